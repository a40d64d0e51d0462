import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { HostedStep } from "./actions/hosted-step.ts";
import { type DemoOptions, readOptions, USAGE } from "./demo-options.ts";
import type { RunControl } from "./github/runs/run-control.ts";
import { UsageError } from "./scenario/read-scenario.ts";
import type { Scenario } from "./scenario/scenario.ts";
import { bootSteps } from "./scenario/simulate.ts";
import { DEMO_MARKET } from "./service/catalog/market.ts";
import { destruction, type InstanceRecord } from "./service/rentals/instance-record.ts";
import { type Simulator, startSimulator } from "./start-simulator.ts";

/**
 * `npm run demo`: one job that rents and a matrix of three GPU jobs on two machines, start to end,
 * against the simulator, with the built action and the real machine script. README.md has its
 * options.
 */

/** The tests build the action to a folder of their own. */
const ACTION = process.env.BUILT_ACTION ?? fileURLToPath(new URL("../", import.meta.url));
const FACTOR = 12;
const RUN_ID = 1;
/** A boot as a small image has it, so that every stage shows. Seconds. */
const BOOT = bootSteps([5, "created"], [15, "loading", "Pulling image"], [45, "running", "success, running image"]);
/** Per cent of use, MiB, °C, W and reasons of the clocks: what the driver shows while the job runs. */
const DOINGS = `echo '31 7372 71 310.50 0x0' >"\${SIM_MACHINE}sim/gpu"`;
const GPU_JOB = ["nvidia-smi --list-gpus", DOINGS, "sleep 45", "echo 'pytest -m gpu: 12 passed'"];

async function demo(options: DemoOptions): Promise<number> {
  const { scenario } = options;
  const gpuJobs = Array.from({ length: options.jobs }, (_, index) => `test (3.${11 + index})`);
  say(`Nothing is rented for real. One simulated minute takes ${60 / FACTOR} seconds.`);
  if (scenario?.about) say(`The scenario: ${scenario.about}`);
  await using sim = await startSimulator({ factor: FACTOR, scenario: worldOf(options) });
  const run = sim.github.addRun({
    repository: "octo/gpu-lib",
    runId: RUN_ID,
    jobs: [
      { name: "rent", labels: ["ubuntu-latest"], status: "in_progress", runnerName: "hosted-1" },
      ...gpuJobs.map((name) => ({ name, matrix: "test", labels: [`gpu-${RUN_ID}-1`], run: GPU_JOB })),
    ],
  });
  using step = new HostedStep({ ...useOf(sim, options), onOutput: asTheLogShows });
  heading("Job rent, main step");
  const main = await step.startMain().done;
  const jobs = gpuJobs.map((name) => run.job(name));
  for (const job of jobs) tellJob(job);
  heading("Job rent, post step");
  const post = await step.startPost().done;
  heading("The service's own books");
  for (const record of sim.service.instances()) say(fateOf(record, sim));
  say(billedBy(sim));
  heading("Summary of the job");
  process.stdout.write(indented(readable(post.summary)));
  if (options.summary !== undefined) writeFileSync(options.summary, post.summary);
  const billing = sim.service.books.billingNow().length;
  say(`still billing: ${billing} instances`);
  const isWell = main.exitCode === 0 && post.exitCode === 0 && jobs.every(({ conclusion }) => conclusion === "success");
  return billing === 0 && (isWell || mayFail(options)) ? 0 : 1;
}

/** The demo's world, with what a scenario and faults of one's own change in it. */
function worldOf({ scenario, faults }: DemoOptions): Scenario {
  const market = scenario?.offers ? {} : { offers: [...DEMO_MARKET] };
  return { statuses: BOOT, ...market, ...scenario, faults: [...(scenario?.faults ?? []), ...faults] };
}

/** A scenario or inputs may make the session fail. No session may leave anything behind. */
function mayFail({ scenario, faults, with: inputs }: DemoOptions): boolean {
  return scenario !== undefined || faults.length > 0 || Object.keys(inputs).length > 0;
}

function tellJob({ name, runnerName, conclusion, status, log }: ReturnType<RunControl["job"]>): void {
  heading(`Job ${name}, on ${runnerName ?? "no machine"} (${conclusion ?? status})`);
  process.stdout.write(indented(log));
}

/** A summary as a page shows it: what it escapes for Markdown is written out. */
function readable(markdown: string): string {
  return markdown.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}

function fateOf(record: InstanceRecord, sim: Simulator): string {
  const { id, offer, createdAt } = record;
  const end = destruction(record);
  const seconds = Math.round(((end?.at ?? sim.clock.now()) - createdAt) / 1000);
  const bill = (sim.service.books.bill(id)?.total ?? 0).toFixed(4);
  return `instance ${id} on machine ${offer.machine_id}: ${end ? "destroyed" : "left"} after ${seconds} s, ${bill} USD`;
}

/** The receipt counts the image's bytes; only hosts whose scenario says so move any. */
function billedBy({ service }: Simulator): string {
  const instances = service.instances();
  const hasBytes = instances.length === 0 || instances.some(({ id }) => (service.books.bill(id)?.bytes ?? 0) > 0);
  const note = hasBytes ? "" : ", without traffic: no image is pulled here, and the receipt counts one";
  return `billed: ${service.books.total().toFixed(4)} USD${note}`;
}

function useOf(sim: Simulator, { with: inputs }: DemoOptions) {
  return {
    action: ACTION,
    githubToken: sim.github.jobToken,
    with: {
      "api-key": sim.service.apiKey,
      "api-url": sim.service.url,
      "github-token": sim.github.runnerToken,
      "gpu-name": "RTX 4090",
      // Any kind of GPU of the default market can be asked for by its name alone.
      "max-price": "gpu-name" in inputs ? "10" : "0.60",
      "max-cost": "none",
      machines: "2",
      "jobs-per-machine": "2",
      // From the stand-in: the demo asks nobody outside for the image's size.
      image: `${sim.registry.host}/pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime`,
      ...inputs,
    },
    env: {
      ...sim.childEnv(),
      GITHUB_API_URL: sim.github.url,
      GITHUB_REPOSITORY: "octo/gpu-lib",
      GITHUB_RUN_ID: String(RUN_ID),
      GITHUB_RUN_ATTEMPT: "1",
      GITHUB_JOB: "rent",
      RUNNER_NAME: "hosted-1",
    },
  };
}

/** Shows workflow commands as the platform's log does: groups as headings, masks not at all. */
function asTheLogShows(text: string): void {
  const lines = text.split("\n").filter((line) => !/^::(add-mask|endgroup)::/.test(line));
  process.stdout.write(indented(lines.map((line) => line.replace(/^::group::/, "▾ ")).join("\n")));
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}

function heading(text: string): void {
  say(`\n── ${text}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  const given = process.argv.slice(2);
  if (given.includes("--help")) say(USAGE);
  else process.exitCode = await demo(readOptions(given, ACTION));
} catch (fault) {
  if (!(fault instanceof UsageError || (fault instanceof TypeError && "code" in fault))) throw fault;
  console.error(`${fault.message}\nnpm run demo -- --help shows the options.`);
  process.exitCode = 2;
}
