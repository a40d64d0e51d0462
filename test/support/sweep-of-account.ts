import type { RunSpec } from "../../simulator/github/runs/run-record.ts";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator/start-simulator.ts";
import { ACTION, COMPILED_ONCE } from "./built-action.ts";
import { faultsOfSession } from "./session-faults.ts";
import { WatchedStep } from "./watched-step.ts";

/** One minute of the simulated world takes three seconds. */
const FACTOR = 20;

/** The repository whose machines are swept, as its labels name it. */
export const REPOSITORY_ID = 880_001;
const REPOSITORY = "octo/swept";

/** The run that sweeps. */
export const SWEEP_RUN = 9000;

type Texts = Readonly<Record<string, string>>;

/** A sweep's particulars. */
export interface SweepOptions extends SimulatorOptions {
  with?: Texts;
  env?: Texts;
}

/** One sweep by the built action, of an account in a world where nobody else does anything. */
export type SweepOfAccount = Awaited<ReturnType<typeof startSweep>>;

/** Whose machine a run left behind; by default its label expires in an hour. */
interface Whose {
  runId: number;
  attempt?: number;
  repository?: number | string;
  expiresIn?: number;
}

/** A job that is over. */
export const DONE_JOB: RunSpec["jobs"][number] = { name: "build", labels: ["ubuntu-latest"], status: "completed" };

/** A job that runs. */
export const RUNNING_JOB: RunSpec["jobs"][number] = { name: "rent", labels: ["ubuntu-latest"], status: "in_progress" };

let sessions = 100_000;

/** Starts the world and prepares the step; the caller starts its main. */
export async function startSweep(options: SweepOptions = {}) {
  const { with: inputs = {}, env = {}, ...world } = options;
  const scenario = { limits: true, ...world.scenario };
  const sim = await startSimulator({ factor: FACTOR, machines: false, ...world, scenario });
  const step = sweepStep(sim, inputs, env);
  type More = Pick<RunSpec, "attempt" | "secondsAgo">;
  const addRun = (runId: number, jobs: RunSpec["jobs"], more: More = {}) =>
    sim.github.addRun({ repository: REPOSITORY, repositoryId: REPOSITORY_ID, runId, jobs, ...more });
  addRun(SWEEP_RUN, [{ ...RUNNING_JOB, name: "sweep" }]);
  const alive = () => sim.service.instances().filter((instance) => !destruction(instance));
  return {
    sim,
    step,
    /** An attempt of a run of the repository. */
    addRun,
    /** A machine that a run left behind. */
    leftover({ runId, attempt = 1, repository = REPOSITORY_ID, expiresIn = 3600 }: Whose) {
      sessions += 1;
      const expiry = Math.floor(sim.clock.now() / 1000) + expiresIn;
      return sim.service.leaveBehind(`ghr1.${repository}.${runId}-${attempt}.${sessions}.1.${expiry}`);
    },
    /** Ids of what still exists. */
    alive: () => alive().map(({ id }) => id),
    /** As in every scenario, for this repository. Throws on breaches of what no session may ever do. */
    stillBilling() {
      const faults = faultsOfSession(sim, step.results);
      if (faults.length > 0) throw new Error(faults.join("\n"));
      const ours = alive().filter(({ label }) => label?.startsWith(`ghr1.${REPOSITORY_ID}.`));
      return `still billing: ${ours.length} instances`;
    },
    async [Symbol.asyncDispose]() {
      step[Symbol.dispose]();
      await sim[Symbol.asyncDispose]();
    },
  };
}

/** A step that sweeps the account, of this repository's run unless `env` says another. */
export function sweepStep(sim: Simulator, inputs: Texts = {}, env: Texts = {}): WatchedStep {
  return new WatchedStep({
    action: `${ACTION}sweep/`,
    with: { "api-key": sim.service.apiKey, "api-url": sim.service.url, ...inputs },
    env: { ...sim.childEnv(), ...COMPILED_ONCE, ...platformEnv(sim), ...env },
    githubToken: sim.github.jobToken,
  });
}

function platformEnv(sim: Simulator): Texts {
  return {
    GITHUB_API_URL: sim.github.url,
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_REPOSITORY: REPOSITORY,
    GITHUB_REPOSITORY_ID: String(REPOSITORY_ID),
    GITHUB_RUN_ID: String(SWEEP_RUN),
    GITHUB_RUN_ATTEMPT: "1",
    GITHUB_JOB: "sweep",
    RUNNER_NAME: "hosted-9",
  };
}
