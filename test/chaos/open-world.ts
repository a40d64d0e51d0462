import type { InstanceRecord } from "../../simulator/service/rentals/instance-record.ts";
import { BUILD_JOB, gpuJob, RENT_JOB, type SimulatedSession, startSession } from "../support/simulated-session.ts";
import { SWEEP_RUN, sweepStep } from "../support/sweep-of-account.ts";
import { LINES, type PlannedJob, type PlannedRun } from "./simulated.ts";

/** One session among other people's machines, and the sweep that comes after it. */
export type ChaosWorld = Awaited<ReturnType<typeof openWorld>>;

const MATRIX = "gpu";
const YEAR_2100 = 4_102_444_800;
const REPOSITORY = "octo/gpu-lib";
const OPEN_RUN = 4712;

/** Starts the world; the caller ends `session` and `sweep`. */
export async function openWorld(plan: PlannedRun, factor: number) {
  /** Everything that happened, one line each, with the simulated seconds since the start. */
  const transcript: string[] = [];
  let seconds = () => 0;
  const say = (line: string) => transcript.push(`${seconds().toFixed(1).padStart(7)} ${line}`);
  const platform = (id: number) => ({
    GITHUB_REPOSITORY: REPOSITORY,
    GITHUB_WORKFLOW_REF: `${REPOSITORY}/.github/workflows/gpu.yml@refs/heads/main`,
    GITHUB_REPOSITORY_ID: String(id),
  });
  const { dialect, offers } = plan;
  const session = await startSession({
    ...{ factor, log: say, dialect, scenario: { offers }, jobs: jobsOf(plan) },
    ...(plan.matrix && { matrices: { [MATRIX]: plan.matrix } }),
    with: plan.inputs,
    env: ({ github }) => platform(github.repositoryId(REPOSITORY)),
  });
  const { run, sim } = session;
  /** In simulated milliseconds. */
  const begun = sim.clock.now();
  seconds = () => (sim.clock.now() - begun) / 1000;
  const bystanders: InstanceRecord[] = [];
  /** Plants one more machine of somebody else. */
  const addBystander = (label: string) => bystanders.push(sim.service.leaveBehind(label));
  // Another repository's, another run's that goes on, and one that only begins like ours.
  addBystander(`ghr1.${run.repositoryId + 1}.${run.id}-1.abcdef.1.${YEAR_2100}`);
  addBystander(`ghr1.${run.repositoryId}.${OPEN_RUN}-1.abcdef.1.${YEAR_2100}`);
  addBystander(`ghr1.${run.repositoryId}.${run.id}-1.abcdef`);
  sim.github.addRun({ repository: REPOSITORY, runId: OPEN_RUN, jobs: [RENT_JOB] });
  sim.github.addRun({ repository: REPOSITORY, runId: SWEEP_RUN, jobs: [{ ...RENT_JOB, name: "sweep" }] });
  sim.github.addOthers(REPOSITORY, plan.otherRunners);
  for (const job of plan.jobs) letHappen(session, job, say);
  sim.github.holdBack((runnerName) => isHeldBack(plan, session, begun, runnerName));
  /** The step of another run, which sweeps. */
  const sweep = sweepStep(sim, {}, platform(run.repositoryId));
  return { session, bystanders, begun, sweep, transcript, say, addBystander };
}

/** The runner's machine is deaf, or GitHub gives nobody a job. */
function isHeldBack({ deaf, pauses }: PlannedRun, session: SimulatedSession, begun: number, runnerName: string) {
  const now = session.sim.clock.now();
  const isNow = ({ fromS, isSinceStart, lastsS }: PlannedRun["pauses"][number]) => {
    const from = (isSinceStart ? firstStart(session) : begun) + fromS * 1000;
    return now >= from && now < from + lastsS * 1000;
  };
  const isDeaf = ({ label, offer }: InstanceRecord) => deaf.includes(offer.id) && isRunnerOf(runnerName, label);
  return pauses.some(isNow) || session.instances().some(isDeaf);
}

function jobsOf({ jobs, matrix }: PlannedRun) {
  const moments = new Set(jobs.map(({ shownAfter }) => shownAfter).filter((seconds) => seconds > 0));
  return [
    RENT_JOB,
    ...[...moments].map((seconds) => ({ ...BUILD_JOB, name: `build ${seconds}` })),
    ...jobs.map(({ does, name, shownAfter }) => ({
      ...{ ...gpuJob(LINES[does]), name },
      ...(shownAfter > 0 && { needs: [`build ${shownAfter}`] }),
      ...(matrix && { matrix: MATRIX }),
    })),
  ];
}

/** A job is shown when the one before it is over, and may be cancelled. */
function letHappen({ run, sim }: SimulatedSession, job: PlannedJob, say: (line: string) => void): void {
  const { cancelledAfter, name, shownAfter } = job;
  const unlessOver = (seconds: number, of: string, act: () => void) =>
    sim.clock.after(seconds * 1000, () => run.job(of).status !== "completed" && act());
  const build = `build ${shownAfter}`;
  if (shownAfter > 0) unlessOver(shownAfter, build, () => run.job(build).complete("success"));
  if (cancelledAfter === undefined) return;
  unlessOver(cancelledAfter, name, () => {
    say(`'${name}' is cancelled`);
    run.job(name).cancel();
  });
}

/** A label that begins like those of this session, and is none of them. */
export function lookAlikeOf(prefix: string): string {
  return `${prefix}x.1.${YEAR_2100}`;
}

/** Requests of ours until now. */
export function requestsOf({ sim: { github, service } }: SimulatedSession): number {
  const ofService = service.journal.entries.filter(({ caller }) => caller === "account");
  const ofGithub = github.journal.entries.filter(({ token }) => token === "runner" || token === "job");
  return ofService.length + ofGithub.length;
}

/** When the first GPU job began; infinite: none did. */
export function firstStart({ run }: SimulatedSession): number {
  const starts = run.jobs().flatMap(({ name, startedAt }) => (name.startsWith("test") ? (startedAt ?? []) : []));
  return Math.min(...starts, Number.POSITIVE_INFINITY);
}

/** `gpu-4711-1-USE-N` or `…-N-K` is a runner of `ghr1.REPOSITORY.4711-1.USE.N.EXPIRY`. */
export function isRunnerOf(runnerName: string, label: string | null): boolean {
  const [, , run, session, n] = (label ?? "").split(".");
  const name = `gpu-${run}-${session}-${n}`;
  return runnerName === name || runnerName.startsWith(`${name}-`);
}
