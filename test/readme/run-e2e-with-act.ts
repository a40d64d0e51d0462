import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSimulator } from "../../simulator/start-simulator.ts";
import { ACTION } from "../support/built-action.ts";
import { conclude, copyAction, runByAct } from "./act.ts";

/**
 * Runs the first job of .github/workflows/e2e.yml with act: the simulated service as a step, the
 * action, and both post steps in their order. Only GitHub is a stand-in here, and what `npm ci`
 * would bring is linked.
 */

const RUN_ID = 2031;

const folder = mkdtempSync(join(tmpdir(), "e2e-"));
process.exitCode = 1;
try {
  copyAction(folder);
  for (const path of ["simulator", "test/e2e", "onstart", "package.json"])
    cpSync(join(ACTION, path), join(folder, path), { recursive: true });
  await using sim = await startSimulator({ machines: false });
  const run = sim.github.addRun({
    repository: "octo/gpu-lib",
    runId: RUN_ID,
    jobs: [
      { name: "rent-happy", labels: ["ubuntu-latest"], status: "in_progress" },
      { name: "happy", labels: [`gpu-${RUN_ID}-1-happy`], run: ["nvidia-smi -L", "echo a GPU job"] },
    ],
  });
  const { exitCode, log } = await runByAct({
    ...{ folder, sim, runId: RUN_ID, event: "workflow_dispatch", job: "rent-happy" },
    files: { ".github/workflows/e2e.yml": e2eForAct() },
    repositories: {},
  });
  process.exitCode = conclude(
    [
      ["the job is green", exitCode === 0],
      ["the GPU job ran on the machine", run.job("happy").log.includes("a GPU job")],
      ["the action gave back", log.includes("Nothing is rented any more.")],
      [
        "the simulated service has the last word",
        log.indexOf("still billing: 0 instances; rented: 1") > log.indexOf("Nothing is rented any more."),
      ],
    ],
    log,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function e2eForAct(): string {
  return readFileSync(join(ACTION, ".github/workflows/e2e.yml"), "utf8")
    .replace(/^ +cache-mode: none.*\n/gm, "")
    .replace(/^ +- uses: actions\/setup-node.*\n.*\n/gm, "")
    .replaceAll("- run: npm ci", `- run: ln -s '${join(ACTION, "node_modules")}' node_modules`);
}
