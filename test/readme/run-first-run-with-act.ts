import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startSimulator } from "../../simulator/start-simulator.ts";
import { conclude, copyAction, runByAct } from "./act.ts";
import { actionReference, firstRunWorkflow, forAct } from "./readme-workflow.ts";

/**
 * Runs the check and both sweeps of docs/first-run.md with act; each sweep finds one machine that a
 * run left, and one that it may not touch.
 */

const RUN_ID = 2028;
const REPOSITORY = { repository: "octo/first-run", repositoryId: 880_002 };
const ours = mkdtempSync(join(tmpdir(), "first-run-"));
process.exitCode = 1;
try {
  copyAction(ours);
  await using sim = await startSimulator({ factor: 10, machines: false });
  sim.github.addRun({
    ...REPOSITORY,
    runId: RUN_ID,
    jobs: [{ name: "check", labels: ["ubuntu-latest"], status: "in_progress" }],
  });
  const hosted = (status: "completed" | "in_progress") => ({ name: "rent", labels: ["ubuntu-latest"], status });
  sim.github.addRun({ ...REPOSITORY, runId: 77, secondsAgo: 300, jobs: [hosted("completed")] });
  sim.github.addRun({ ...REPOSITORY, runId: 78, jobs: [hosted("in_progress")] });
  const leftBy = (runId: number) =>
    sim.service.leaveBehind(
      `ghr1.${REPOSITORY.repositoryId}.${runId}-1.abc${runId}a.1.${Math.floor(sim.clock.now() / 1000) + 3600}`,
    );
  const billing = () => sim.service.books.billingNow().length;
  const run = async (file: string, event: string) => {
    const folder = join(ours, `repository-${file}`);
    mkdirSync(folder);
    return await runByAct({
      ...{ folder, sim, event, runId: RUN_ID, repository: REPOSITORY.repository },
      env: { STAND_IN_TOKEN: sim.github.runnerToken },
      files: { [`.github/workflows/${file}`]: forAct(firstRunWorkflow(file), sim.service.url) },
      repositories: {
        [actionReference()]: ours,
        [actionReference().replace("@", "/sweep@")]: ours,
        [appTokenReference()]: fileURLToPath(new URL("stand-ins/create-github-app-token", import.meta.url)),
      },
    });
  };
  const check = await run("gpu-check.yml", "workflow_dispatch");
  const byApp = await run("gpu-check-app.yml", "workflow_dispatch");
  const checks: [string, boolean][] = [
    ["the check is green and shows offers", check.exitCode === 0 && check.log.includes("RTX 4090")],
    ["so it is with a GitHub App's token", byApp.exitCode === 0 && byApp.log.includes("RTX 4090")],
    ["the checks rented nothing", sim.service.instances().length === 0],
  ];
  leftBy(78);
  let log = check.log + byApp.log;
  for (const [file, event] of [
    ["gpu-sweep.yml", "workflow_run"],
    ["gpu-sweep-scheduled.yml", "schedule"],
  ] as const) {
    leftBy(77);
    const sweep = await run(file, event);
    log += sweep.log;
    checks.push([`${file} is green`, sweep.exitCode === 0]);
    checks.push([`${file} ends what the run that is over left, and nothing else`, billing() === 1]);
  }
  process.exitCode = conclude(checks, log);
} finally {
  rmSync(ours, { recursive: true, force: true });
}

/** The commit of the app's own action that the page names. */
function appTokenReference(): string {
  const [, reference = ""] =
    /uses: (actions\/create-github-app-token@\w+)/.exec(firstRunWorkflow("gpu-check-app.yml")) ?? [];
  return reference;
}
