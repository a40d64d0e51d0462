import { parseArgs } from "node:util";
import { z } from "zod";
import type { RunControl } from "./github/runs/run-control.ts";
import { readScenario, UsageError } from "./scenario/read-scenario.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "./start-simulator.ts";

const USAGE = `Usage: npm run simulator -- [--service-port N] [--github-port N] [--dialect seed|observed] [--scenario FILE] [--factor N]

Starts the simulated rental service and the stand-in for GitHub, and prints where they are. Ctrl-C ends both, and all machines.`;

// Not by coercion alone, which takes an empty text for 0.
const number = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .transform(Number);
const port = number.pipe(z.int().max(65_535)).optional();
const Options = z.object({
  "service-port": port,
  "github-port": port,
  dialect: z.enum(["seed", "observed"]).optional(),
  scenario: z.string().optional(),
  factor: number.pipe(z.number().positive().max(10_000)).optional(),
});

const ALLOWED: Record<string, string> = {
  "service-port": "a port from 0 to 65535",
  "github-port": "a port from 0 to 65535",
  dialect: "seed or observed",
  factor: "a number above 0, at most 10000",
};

function readOptions(args: string[]): SimulatorOptions {
  const given = Options.safeParse(parseArguments(args));
  if (!given.success) {
    const name = String(given.error.issues[0]?.path[0]);
    throw new UsageError(`--${name} must be ${ALLOWED[name]}.`);
  }
  const { "service-port": servicePort, "github-port": githubPort, dialect, scenario, factor } = given.data;
  return {
    ...(servicePort !== undefined && { servicePort }),
    ...(githubPort !== undefined && { githubPort }),
    ...(dialect !== undefined && { dialect }),
    ...(factor !== undefined && { factor }),
    ...(scenario !== undefined && { scenario: readScenario(scenario) }),
  };
}

function parseArguments(args: string[]) {
  const names = ["service-port", "github-port", "dialect", "scenario", "factor"];
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
    return parseArgs({ args, options }).values;
  } catch (fault) {
    // Its first sentence says what is wrong; the rest explains how options work.
    const [sentence] = (fault instanceof Error ? fault.message : String(fault)).split(". ");
    throw new UsageError(`${sentence?.replaceAll("\n", " ")}.`);
  }
}

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
