import { readOptions } from "./cli-options.ts";
import type { RunControl } from "./github/runs/run-control.ts";
import { UsageError } from "./scenario/read-scenario.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "./start-simulator.ts";

const USAGE = `Usage: npm run simulator -- [--service-port N] [--github-port N] [--dialect seed|observed] [--scenario FILE] [--factor N]

Starts the simulated rental service and the stand-in for GitHub, and prints where they are. Ctrl-C ends both, and all machines.`;

/** A run to look at and to play with: its `rent` job runs, its GPU job waits for a runner. */
function addSampleRun({ github }: Simulator): RunControl {
  const runId = 1001;
  const gpuJob = { name: "test", labels: [`gpu-${runId}-1`], run: ["nvidia-smi -L", "echo hello from the GPU"] };
  const rentJob = { name: "rent", labels: ["ubuntu-latest"], status: "in_progress" as const };
  return github.addRun({ repository: "octo/gpu-lib", runId, jobs: [rentJob, gpuJob] });
}

function greeting({ service, github }: Simulator, options: SimulatorOptions, run: RunControl): string {
  const key = `-H 'Authorization: Bearer ${service.apiKey}'`;
  const token = `-H 'Authorization: Bearer ${github.jobToken}'`;
  const list = options.dialect === "seed" ? "/api/v0/instances/" : "/api/v1/instances/";
  const offers = `-H 'Content-Type: application/json' -d '{"gpu_name": {"eq": "RTX 4090"}, "limit": 3}'`;
  const jobs = `/repos/${run.repository}/actions/runs/${run.id}/attempts/${run.attempt}/jobs`;
  return [
    `service ${service.url}`,
    `github ${github.url}`,
    `api-key ${service.apiKey}`,
    `github-token ${github.runnerToken}`,
    `job-token ${github.jobToken}`,
    `curl -s ${key} ${offers} ${service.url}/api/v0/bundles/`,
    `curl -s ${key} ${service.url}${list}`,
    `curl -s ${token} ${github.url}${jobs}`,
    `curl -s ${service.url}/_control/books`,
  ].join("\n");
}

function untilSignalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  });
}

async function main(args: string[]): Promise<void> {
  if (args.includes("--help")) return console.log(USAGE);
  const options = readOptions(args);
  // From the very start: what is up must be ended also when the signal comes early.
  const signalled = untilSignalled();
  const machines = process.platform === "linux";
  if (!machines) console.error("Machines can be simulated on Linux only: no onstart will run.");
  await using simulator = await startSimulator({ ...options, machines, ssh: true, log: (line) => console.error(line) });
  console.log(greeting(simulator, options, addSampleRun(simulator)));
  await signalled;
}

try {
  await main(process.argv.slice(2));
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : fault);
  process.exitCode = fault instanceof UsageError ? 2 : 1;
}
