import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { HostedStep } from "./actions/hosted-step.ts";
import type { StageResult } from "./actions/stage.ts";
import { readScenario, UsageError } from "./scenario/read-scenario.ts";
import type { Scenario } from "./scenario/scenario.ts";
import { destruction, type InstanceRecord } from "./service/rentals/instance-record.ts";
import { type Simulator, startSimulator } from "./start-simulator.ts";

/**
 * `npm run demo`: one job that rents and a matrix of three GPU jobs on two machines, start to end,
 * against the simulator, with the built action and the real machine script. `-- --scenario FILE`
 * does it in another world of `scenarios/`, and tells at the end what stood behind it.
 */

const ACTION = fileURLToPath(new URL("../", import.meta.url));
const FACTOR = 12;
const RUN_ID = 1;
/** A boot as a small image has it, so that every stage shows. Seconds. */
const BOOT = [
  { after: 0, actual_status: null },
  { after: 5, actual_status: "created" },
  { after: 15, actual_status: "loading", status_msg: "Pulling image" },
  { after: 45, actual_status: "running", status_msg: "success, running image" },
];
const GPU_JOB = ["nvidia-smi --list-gpus", "sleep 45", "echo 'pytest -m gpu: 12 passed'"];
const GPU_JOBS = ["test (3.11)", "test (3.12)", "test (3.13)"];

async function demo(scenario: Scenario | undefined): Promise<number> {
  say(`Nothing is rented for real. One simulated minute takes ${60 / FACTOR} seconds.`);
  if (scenario?.about) say(`The scenario: ${scenario.about}`);
  await using sim = await startSimulator({ factor: FACTOR, scenario: { statuses: BOOT, ...scenario } });
  const run = sim.github.addRun({
    repository: "octo/gpu-lib",
    runId: RUN_ID,
    jobs: [
      { name: "rent", labels: ["ubuntu-latest"], status: "in_progress", runnerName: "hosted-1" },
      ...GPU_JOBS.map((name) => ({ name, matrix: "test", labels: [`gpu-${RUN_ID}-1`], run: GPU_JOB })),
    ],
  });
  using step = new HostedStep({ ...useOf(sim), onOutput: asTheLogShows });
  heading("Job rent, main step");
  const main = await step.startMain().done;
  for (const job of GPU_JOBS.map((name) => run.job(name))) {
    heading(`Job ${job.name}, on ${job.runnerName ?? "no machine"} (${job.conclusion ?? job.status})`);
    process.stdout.write(indented(job.log));
  }
  heading("Job rent, post step");
  const post = await step.startPost().done;
  tellReceipt(post);
  heading("Summary of the job");
  process.stdout.write(indented(readable(post.summary)));
  heading("The service's own books");
  for (const record of sim.service.instances()) say(fateOf(record, sim));
  say(billedBy(sim));
  const billing = sim.service.books.billingNow().length;
  say(`still billing: ${billing} instances`);
  const isWell = isGood(main) && isGood(post) && GPU_JOBS.every((name) => run.job(name).conclusion === "success");
  // A scenario may be about a use that fails; what none may do is to leave something behind.
  return billing === 0 && (isWell || scenario !== undefined) ? 0 : 1;
}

/** Shows the receipt that the log names: it goes with the job's folder for temporary files. */
function tellReceipt({ temp }: StageResult): void {
  for (const [name, text] of Object.entries(temp).filter(([file]) => /^ephemeral-gpu-runner-.*\.json$/.test(file))) {
    heading(`The receipt, ${name} (it goes with the job's temporary folder)`);
    process.stdout.write(indented(text));
  }
}

/** A summary as a page shows it: what it escapes for Markdown is written out. */
function readable(markdown: string): string {
  return markdown.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}

/** Tells of an instance's fate and the cause behind it, which the action can't know. */
function fateOf(record: InstanceRecord, sim: Simulator): string {
  const { id, offer, behind, createdAt } = record;
  const end = destruction(record);
  const seconds = Math.round(((end?.at ?? sim.clock.now()) - createdAt) / 1000);
  const bill = (sim.service.books.bill(id)?.total ?? 0).toFixed(4);
  return `instance ${id} on machine ${offer.machine_id}: ${behind === undefined ? "" : `${behind}; `}${end ? "destroyed" : "left"} after ${seconds} s, ${bill} USD`;
}

/** The receipt counts the image's bytes; only the hosts of a drawn market move any. */
function billedBy({ service }: Simulator): string {
  const instances = service.instances();
  const hasBytes = instances.length === 0 || instances.some(({ id }) => (service.books.bill(id)?.bytes ?? 0) > 0);
  const note = hasBytes ? "" : ", bytes not among it: no image is pulled here, and the receipt counts one";
  return `billed: ${service.books.total().toFixed(4)} USD${note}`;
}

function useOf(sim: Simulator) {
  return {
    action: ACTION,
    githubToken: sim.github.jobToken,
    with: {
      "api-key": sim.service.apiKey,
      "api-url": sim.service.url,
      "github-token": sim.github.runnerToken,
      "gpu-name": "RTX 4090",
      "max-price": "0.60",
      machines: "2",
      "jobs-per-machine": "2",
      // From the stand-in: the demo asks nobody outside for the image's size.
      image: `${sim.registry.host}/pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime`,
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

function isGood({ exitCode }: StageResult): boolean {
  return exitCode === 0;
}

try {
  const { scenario } = parseArgs({ options: { scenario: { type: "string" } } }).values;
  process.exitCode = await demo(scenario === undefined ? undefined : readScenario(scenario));
} catch (fault) {
  if (!(fault instanceof UsageError) && !(fault instanceof TypeError && "code" in fault)) throw fault;
  console.error(fault.message);
  process.exitCode = 2;
}
