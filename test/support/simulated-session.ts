import type { RunningStage, StageResult } from "../../simulator/actions/stage.ts";
import type { RunControl } from "../../simulator/github/runs/run-control.ts";
import type { RunSpec } from "../../simulator/github/runs/run-record.ts";
import { destruction, type InstanceRecord } from "../../simulator/service/rentals/instance-record.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator/start-simulator.ts";
import { ACTION, COMPILED_ONCE } from "./built-action.ts";
import { faultsOfSession } from "./session-faults.ts";
import { type ShownError, shownError } from "./shown-error.ts";
import { WatchedStep } from "./watched-step.ts";

/** One minute of the simulated world takes three seconds. */
const FACTOR = 20;

/** For what must be answered within 5 s: a quarter of a real one is too short for a busy computer. */
export const UNHURRIED = { factor: 2 } as const;

type Texts = Readonly<Record<string, string | undefined>>;

/** The particulars of a session. Everything else is as in the README. */
export interface SessionOptions extends SimulatorOptions {
  /** Inputs beside those that every session needs, or a function for them; undefined takes one away. */
  with?: Texts | ((sim: Simulator) => Texts);
  /** The jobs of the run; by default the job that rents and one GPU job that succeeds. */
  jobs?: RunSpec["jobs"];
  /** The words of their matrices. */
  matrices?: RunSpec["matrices"];
  /** Set by the platform; undefined takes a variable away. */
  env?: Texts | ((sim: Simulator) => Texts);
  attempt?: number;
  /** `own`: the platform tells the id of this job, the first of the run (default: it does not). */
  checkRunId?: "own";
}

/** One session of the built action in a simulated world: the run, the step, and the service's books. */
export type SimulatedSession = Awaited<ReturnType<typeof startSession>>;

const RUN_ID = 4711;

type JobSpec = RunSpec["jobs"][number];

/** The job that rents the machines. */
export const RENT_JOB: JobSpec = {
  name: "rent",
  labels: ["ubuntu-latest"],
  status: "in_progress",
  runnerName: "hosted-1",
};

/** A job on a hosted machine that is under way until the test ends it. */
export const BUILD_JOB: JobSpec = { name: "build", labels: ["ubuntu-latest"], status: "in_progress" };

/** A GPU job of this run; by default one that succeeds at once. */
export function gpuJob(run: string[] = ["nvidia-smi", "echo 12 passed"], attempt = 1): JobSpec {
  return { name: "test", labels: [`gpu-${RUN_ID}-${attempt}`], run };
}

/** A GPU job that ends only when something ends it. */
export const ENDLESS_JOB: JobSpec = gpuJob(["sleep infinity"]);

/** Starts the world and prepares the step. The caller starts main and post. */
export async function startSession(options: SessionOptions = {}) {
  const { with: inputs = {}, jobs, matrices, env = {}, attempt = 1, checkRunId, ...world } = options;
  const events: string[] = [];
  const scenario = { limits: true, ...world.scenario };
  const sim = await startSimulator({ factor: FACTOR, log: (line) => events.push(line), ...world, scenario });
  const run = sim.github.addRun({
    repository: "octo/gpu-lib",
    runId: RUN_ID,
    attempt,
    ...(matrices && { matrices }),
    jobs: jobs ?? [RENT_JOB, gpuJob(undefined, attempt)],
  });
  const steps: WatchedStep[] = [];
  const another = (of: Pick<SessionOptions, "with" | "env" | "attempt">) => {
    const step = stepIn(sim, of, checkRunId && String(run.jobs()[0]?.id));
    steps.push(step);
    return step;
  };
  const step = another({ with: inputs, env, attempt });
  return {
    sim,
    run,
    step,
    /** Another step in this world: a second session beside the first, or a later attempt's. */
    another,
    /** The world's events, one line each: requests, and machines that start and end. */
    events: events as readonly string[],
    ...actsOf(sim, run, steps),
    async [Symbol.asyncDispose]() {
      for (const each of steps) each[Symbol.dispose]();
      await sim[Symbol.asyncDispose]();
    },
  };
}

/** What a test does with the first step of a session, and asks of its books. */
function actsOf(sim: Simulator, run: RunControl, steps: readonly WatchedStep[]) {
  const [step] = steps as readonly [WatchedStep];
  const instances = () => sim.service.instances();
  const mainUntil = async (isTrue: (stage: RunningStage) => boolean, what: string) => {
    const stage = step.startMain();
    await until(() => isTrue(stage), what);
    return stage;
  };
  /** Runs post. Throws unless it is green, nothing bills any more, and no runner without a job is left. */
  const endClean = async (): Promise<StageResult> => {
    const post = await step.postSucceeds();
    const bills = stillBilling(sim, steps);
    if (bills !== "still billing: 0 instances") throw new Error(`${bills}\n${post.log}`);
    // GitHub lets nobody remove one that has a job, or had been given one until post cancelled the run.
    const idle = sim.github
      .runners()
      .filter(({ id, job }) => job === undefined && !post.log.includes(`Runner ${id} still counts as busy`));
    if (idle.length > 0) throw new Error(`Runners without a job are left: ${idle.length}\n${post.log}`);
    return post;
  };
  return {
    /** Every instance there ever was, oldest first. */
    instances: (): readonly InstanceRecord[] => instances(),
    /** Ids of the offers that were rented, in order. */
    rentedOffers: () => instances().map(({ offer }) => offer.id),
    /** Who destroyed each instance, in order; undefined where it is there. */
    destroyers: () => instances().map((instance) => destruction(instance)?.by),
    /** Starts main, and resolves as soon as its log has this text. */
    mainUntil: (said: string) => mainUntil((stage) => stage.log().includes(said), said),
    /** Starts main, and resolves as soon as the GPU job runs. */
    mainUntilJobRuns: () => mainUntil(() => run.job("test").status === "in_progress", "the GPU job"),
    /** Runs main to the error that fails it: that error, and all that main printed. */
    async errorOfMain(): Promise<ShownError & { log: string }> {
      const { log } = await step.mainFails();
      return { ...shownError(log), log };
    },
    stillBilling: () => stillBilling(sim, steps),
    endClean,
    /** As `endClean`, and throws if a create was sent. */
    async endWithoutRenting(): Promise<StageResult> {
      const post = await endClean();
      const creates = sim.service.journal.of("createInstance").length;
      if (creates > 0) throw new Error(`${creates} creates were sent.\n${post.log}`);
      return post;
    },
  };
}

/**
 * `still billing: 0 instances`, from the service's books, ends every scenario. Throws when the action did what it must
 * never do: print a secret, obey foreign text, fail with a bug, ask for what is not there.
 */
function stillBilling(sim: Simulator, steps: readonly WatchedStep[]): string {
  const faults = faultsOfSession(
    sim,
    steps.flatMap(({ results }) => results),
  );
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return `still billing: ${sim.service.books.billingNow().length} instances`;
}

function stepIn(sim: Simulator, options: SessionOptions, checkRunId: string | undefined): WatchedStep {
  const { with: inputs = {}, env = {}, attempt = 1 } = options;
  return new WatchedStep({
    action: ACTION,
    with: withoutUndefined({ ...inputsFor(sim), ...of(inputs, sim) }),
    env: withoutUndefined({ ...sim.childEnv(), ...COMPILED_ONCE, ...platformEnv(sim, attempt), ...of(env, sim) }),
    githubToken: sim.github.jobToken,
    ...(checkRunId !== undefined && { checkRunId }),
  });
}

function of(texts: Texts | ((sim: Simulator) => Texts), sim: Simulator): Texts {
  return typeof texts === "function" ? texts(sim) : texts;
}

function inputsFor(sim: Simulator): Record<string, string> {
  return {
    "api-key": sim.service.apiKey,
    "api-url": sim.service.url,
    "github-token": sim.github.runnerToken,
    "gpu-name": "RTX 4090",
    "max-price": "0.60",
    "max-cost": "none",
    // The README's, at a registry of this world: nothing that is tested here asks the internet.
    image: `${sim.registry.host}/pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime`,
    // One machine after the other, cheapest first: a story that is about more says so.
    machines: "1",
    hedge: "false",
    order: "price",
    "search-timeout": "0s",
  };
}

function platformEnv(sim: Simulator, attempt: number): Record<string, string> {
  return {
    GITHUB_API_URL: sim.github.url,
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_REPOSITORY: "octo/gpu-lib",
    GITHUB_RUN_ID: String(RUN_ID),
    GITHUB_RUN_ATTEMPT: String(attempt),
    GITHUB_JOB: "rent",
    RUNNER_NAME: "hosted-1",
  };
}

function withoutUndefined(texts: Texts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Real time; simulated time passes more slowly on a busy computer. */
const PATIENCE_MS = 240_000;

/** Looks every 5 ms until the condition holds; rejects after four minutes of real time. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`Still waiting for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
