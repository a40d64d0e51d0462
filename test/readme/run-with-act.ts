import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { ACTION } from "../support/use-of-action.ts";
import { actionReference, workflowForAct } from "./readme-workflow.ts";

/**
 * Runs the README's own workflow with act, a runner that others wrote, on this host against the simulator: the rent job by act, the GPU
 * job by the simulated machine. So defaults, outputs, state and post are not our own reading of the platform.
 */

const RUN_ID = 2026;

const folder = mkdtempSync(join(tmpdir(), "readme-workflow-"));
process.exitCode = 1;
try {
  await using sim = await startSimulator({ factor: 10 });
  const run = sim.github.addRun({
    repository: "octo/gpu-lib",
    runId: RUN_ID,
    jobs: [
      { name: "rent", labels: ["ubuntu-latest"], status: "in_progress" },
      { name: "test", labels: [`gpu-${RUN_ID}-1`], run: ["nvidia-smi", "sleep 30", "echo 12 passed"] },
    ],
  });
  writeRepository(sim.service.url);
  const { exitCode, log } = await act(sim);
  const checks: [string, boolean][] = [
    ["act ends with success", exitCode === 0],
    [
      "the GPU job ran on the machine",
      run.job("test").conclusion === "success" && run.job("test").log.includes("12 passed"),
    ],
    ["main saw it end", log.includes("The GPU job is over.")],
    ["post got the state and confirmed", log.includes("Nothing is rented any more.")],
    [
      "no secret is in the log",
      ![sim.service.apiKey, sim.github.runnerToken].some((secret) => withoutMasks(log).includes(secret)),
    ],
    ["exactly one machine was rented", sim.service.instances().length === 1],
    ["still billing: 0 instances", sim.service.books.billingNow().length === 0],
  ];
  for (const [what, isGood] of checks) console.log(`${isGood ? "ok" : "NOT OK"}: ${what}`);
  if (checks.every(([, isGood]) => isGood)) process.exitCode = 0;
  else console.log(log);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function writeRepository(apiUrl: string): void {
  mkdirSync(join(folder, ".github/workflows"), { recursive: true });
  writeFileSync(join(folder, ".github/workflows/gpu.yml"), workflowForAct(apiUrl));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.com", ...args], { cwd: folder });
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", "https://github.com/octo/gpu-lib.git");
  git("add", ".");
  git("commit", "--quiet", "--message", "The README's workflow");
}

function act(sim: Simulator): Promise<{ exitCode: number | null; log: string }> {
  const env = { ...sim.childEnv(), GITHUB_API_URL: sim.github.url, GITHUB_RUN_ID: String(RUN_ID) };
  const args = [
    ...["push", "--job", "rent", "--platform", "ubuntu-latest=-self-hosted"],
    ...["--local-repository", `${actionReference()}=${ACTION.replace(/\/$/, "")}`],
    ...["--secret", `RENTAL_API_KEY=${sim.service.apiKey}`, "--secret", `RUNNER_TOKEN=${sim.github.runnerToken}`],
    ...["--secret", `GITHUB_TOKEN=${sim.github.jobToken}`, "--no-cache-server"],
    ...Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
  ];
  const child = spawn("act", args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => resolve({ exitCode, log }));
  });
}

function withoutMasks(log: string): string {
  return log.replace(/^.*::add-mask::.*$/gm, "");
}
