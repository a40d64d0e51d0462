import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSimulator } from "../../simulator/start-simulator.ts";
import { conclude, copyAction, runByAct, withoutMasks } from "./act.ts";
import { actionReference, forAct, readmeWorkflow } from "./readme-workflow.ts";

/**
 * Runs the README's own workflow with act, a runner that others wrote, on this host against the
 * simulator: the rent job by act, the GPU job by the simulated machine. So defaults, outputs, state
 * and post are not our own reading of the platform.
 */

const RUN_ID = 2026;

const folder = mkdtempSync(join(tmpdir(), "readme-workflow-"));
const [repository, ours] = [join(folder, "repository"), join(folder, "ours")];
process.exitCode = 1;
try {
  mkdirSync(repository);
  copyAction(ours);
  await using sim = await startSimulator({ factor: 10 });
  const run = sim.github.addRun({
    repository: "octo/gpu-lib",
    runId: RUN_ID,
    jobs: [
      { name: "rent", labels: ["ubuntu-latest"], status: "in_progress" },
      { name: "test", labels: [`gpu-${RUN_ID}-1`], run: ["nvidia-smi", "sleep 30", "echo 12 passed"] },
    ],
  });
  const { exitCode, log } = await runByAct({
    folder: repository,
    sim,
    runId: RUN_ID,
    job: "rent",
    files: { ".github/workflows/gpu.yml": forAct(readmeWorkflow(), sim.service.url) },
    repositories: { [actionReference()]: ours },
  });
  const test = run.job("test");
  const secrets = [sim.service.apiKey, sim.github.runnerToken];
  process.exitCode = conclude(
    [
      ["act ends with success", exitCode === 0],
      ["the GPU job ran on the machine", test.conclusion === "success" && test.log.includes("12 passed")],
      ["main saw it end", log.includes("The GPU job is over.")],
      ["post got the state and confirmed", log.includes("Nothing is rented any more.")],
      ["no secret is in the log", !secrets.some((secret) => withoutMasks(log).includes(secret))],
      ["exactly one machine was rented", sim.service.instances().length === 1],
      ["still billing: 0 instances", sim.service.books.billingNow().length === 0],
    ],
    log,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
