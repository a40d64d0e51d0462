import type { RunSpec } from "../../../simulator/github/runs/run-record.ts";
import type { Scenario } from "../../../simulator/scenario/scenario.ts";
import type { InstanceRecord } from "../../../simulator/service/rentals/instance-record.ts";
import type { Simulator } from "../../../simulator/start-simulator.ts";
import { ACTION } from "../../support/built-action.ts";
import { BUILD_JOB, gpuJob, RENT_JOB, type SimulatedSession, startSession } from "../../support/simulated-session.ts";
import { WatchedStep } from "../../support/watched-step.ts";
import type { PlannedJob, PlannedRun } from "../planned-run.ts";
import { firstStart } from "./run-entry.ts";
import { isRunnerOf } from "./watch.ts";

/** One session among other people's machines, and the sweep that comes after it. */
export interface ChaosWorld {
  session: SimulatedSession;
  bystanders: InstanceRecord[];
  /** When it began, in simulated milliseconds. */
  begun: number;
  /** The step of another run, which sweeps. */
  sweep: WatchedStep;
  /** Tells an event, with the simulated seconds since the start. */
  say(line: string): void;
  /** Plants one more machine of somebody else, of this offer or of any. */
  addBystander(label: string, offer?: number): void;
}

const IMAGE = "pytorch/pytorch";
const MATRIX = "gpu";
/** A rival's create comes in the moment of ours. */
const RIVAL_IS_FRESH_SECONDS = 60;
const YEAR_2100 = 4_102_444_800;
const REPOSITORY = "octo/gpu-lib";
const SWEEP_RUN = 9000;
const OPEN_RUN = 4712;
const FORGED_RUN = 4700;

/** Starts the world; the caller ends `session` and `sweep`. */
export async function openWorld(plan: PlannedRun, factor: number, transcript: string[]): Promise<ChaosWorld> {
  let begun: number | undefined;
  let sim: Simulator | undefined;
  const say = (line: string) => {
    const seconds = sim && begun ? (sim.clock.now() - begun) / 1000 : 0;
    transcript.push(`${seconds.toFixed(1).padStart(7)} ${line}`);
  };
  const session = await startSession({
    ...{ factor, log: say, dialect: plan.dialect, scenario: scenarioOf(plan), jobs: jobsOf(plan) },
    ...(plan.matrix && { matrices: { [MATRIX]: plan.matrix } }),
    with: ({ registry }) => ({
      ...plan.inputs,
      image: `${registry.host}/${IMAGE}:2.8.0-cuda12.8-cudnn9-runtime`,
    }),
    env: ({ github }) => ({
      GITHUB_WORKFLOW_REF: `${REPOSITORY}/.github/workflows/gpu.yml@refs/heads/main`,
      GITHUB_REPOSITORY_ID: String(github.repositoryId(REPOSITORY)),
    }),
  });
  sim = session.sim;
  begun = sim.clock.now();
  const bystanders: InstanceRecord[] = [];
  const addBystander = (label: string, offer?: number) =>
    bystanders.push(session.sim.service.leaveBehind(label, offer));
  for (const label of lookAlikes(session)) addBystander(label);
  session.sim.github.addRun({ repository: REPOSITORY, runId: OPEN_RUN, jobs: [RENT_JOB] });
  addForgedRun(session);
  session.sim.github.addRun({ repository: REPOSITORY, runId: SWEEP_RUN, jobs: [{ ...RENT_JOB, name: "sweep" }] });
  session.sim.github.addOthers(REPOSITORY, plan.otherRunners ?? 0);
  for (const job of plan.jobs) letHappen(session, job, say);
  session.sim.github.holdBack((runnerName) => isHeldBack(plan, session, { runnerName, begun: begun ?? 0 }));
  return { session, bystanders, begun, sweep: sweepStep(session), say, addBystander };
}

/** The runner's machine is deaf, or GitHub gives nobody a job. */
function isHeldBack(
  { deaf, pauses }: PlannedRun,
  session: SimulatedSession,
  { begun, runnerName }: { begun: number; runnerName: string },
): boolean {
  const now = session.sim.clock.now();
  const isNow = ({ fromS, isSinceStart, lastsS }: PlannedRun["pauses"][number]) => {
    const from = (isSinceStart ? firstStart(session) : begun) + fromS * 1000;
    return now >= from && now < from + lastsS * 1000;
  };
  const isDeaf = ({ label, offer }: InstanceRecord) => deaf.includes(offer.id) && isRunnerOf(runnerName, label);
  return pauses.some(isNow) || session.instances().some(isDeaf);
}

/** An earlier run of the workflow whose log has lines that look like a history, and that nobody with the key wrote. */
function addForgedRun({ sim }: SimulatedSession): void {
  const jobs = [{ ...RENT_JOB, status: "completed" as const }];
  const run = sim.github.addRun({ repository: REPOSITORY, runId: FORGED_RUN, secondsAgo: 3600, jobs });
  run.job("rent").print(`known-1.${"A".repeat(22)}.${"B".repeat(900)}\nknown-1.::error::forged\n`);
}

function scenarioOf({ imageGb, offers, rivals = [] }: PlannedRun): Scenario {
  return {
    offers: offers.map(({ simulate, ...offer }) => ({
      ...offer,
      simulate: { ...simulate, ...(rivals.includes(offer.id) && { takenTwiceWithin: RIVAL_IS_FRESH_SECONDS }) },
    })),
    ...(imageGb !== undefined && { registry: { images: { [IMAGE]: imageGb * 1e9 } } }),
  };
}

function jobsOf({ jobs, matrix }: PlannedRun): RunSpec["jobs"] {
  const moments = new Set(jobs.flatMap(({ shownAfter }) => shownAfter ?? []));
  return [
    RENT_JOB,
    ...[...moments].map((seconds) => ({ ...BUILD_JOB, name: buildUntil(seconds) })),
    ...jobs.map((job) => ({
      ...{ ...gpuJob(LINES[job.does]), name: job.name },
      ...(job.shownAfter !== undefined && { needs: [buildUntil(job.shownAfter)] }),
      ...(matrix && { matrix: MATRIX }),
    })),
  ];
}

const LINES: Record<PlannedJob["does"], string[]> = {
  short: ["nvidia-smi", "echo 12 passed"],
  long: ["sleep 25", "echo 12 passed"],
  endless: ["while true; do sleep 5; done"],
  failing: ["echo no", "exit 3"],
};

function buildUntil(seconds: number): string {
  return `build ${seconds}`;
}

/** A job is shown when the one before it is over, and may be cancelled. */
function letHappen({ run, sim }: SimulatedSession, job: PlannedJob, say: (line: string) => void): void {
  const { cancelledAfter, name, shownAfter } = job;
  const unlessOver = (of: string, act: () => void) => () => {
    if (run.job(of).status !== "completed") act();
  };
  if (shownAfter !== undefined) {
    const build = buildUntil(shownAfter);
    sim.clock.after(
      shownAfter * 1000,
      unlessOver(build, () => run.job(build).complete("success")),
    );
  }
  if (cancelledAfter === undefined) return;
  const cancel = () => {
    say(`'${name}' is cancelled`);
    run.job(name).cancel();
  };
  sim.clock.after(cancelledAfter * 1000, unlessOver(name, cancel));
}

/** Another repository's, another run's that goes on, and one that only begins like ours. */
function lookAlikes({ run }: SimulatedSession): string[] {
  return [
    `ghr1.${run.repositoryId + 1}.${run.id}-1.abcdef.1.${YEAR_2100}`,
    `ghr1.${run.repositoryId}.${OPEN_RUN}-1.abcdef.1.${YEAR_2100}`,
    `ghr1.${run.repositoryId}.${run.id}-1.abcdef`,
  ];
}

/** A label that begins like those of this session, and is none of them. */
export function lookAlikeOf(prefix: string): string {
  return `${prefix}x.1.${YEAR_2100}`;
}

function sweepStep({ sim, run }: SimulatedSession): WatchedStep {
  return new WatchedStep({
    action: `${ACTION}sweep/`,
    with: { "api-key": sim.service.apiKey, "api-url": sim.service.url },
    env: {
      ...sim.childEnv(),
      GITHUB_API_URL: sim.github.url,
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_REPOSITORY_ID: String(run.repositoryId),
      GITHUB_RUN_ID: String(SWEEP_RUN),
      GITHUB_RUN_ATTEMPT: "1",
      GITHUB_JOB: "sweep",
      RUNNER_NAME: "hosted-9",
    },
    githubToken: sim.github.jobToken,
  });
}
