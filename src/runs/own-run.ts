import { isConfirmed, LATE } from "../fleet/lifecycle/late.ts";
import { runUrl } from "../github/github.ts";
import { type GpuJobs, type JobState, jobNames, sortJobs } from "../github/jobs.ts";
import type { Ledger, MainEnd } from "../release/ledger.ts";
import { answeredInTime, type IfNoMachine, matcherOf, type Session } from "../release/session.ts";
import type { Clock } from "../shared/clock.ts";
import { formatDuration } from "../shared/duration.ts";
import { poll } from "../shared/poll.ts";
import { withRetry } from "../shared/retry.ts";
import { UserError } from "../shared/user-error.ts";

/** A session at its end, in post. */
interface Leaving {
  session: Pick<Session, "clock" | "inputs" | "jobs" | "log" | "run" | "runnerNamePrefix" | "runs">;
  ledger: Pick<Ledger, "cancelRun" | "end">;
  /** Until when all must be over, in milliseconds since the epoch. */
  until: number;
}

/** What post finds at its end. */
interface LeftBehind {
  /** Undefined: they could not be seen. */
  jobs: GpuJobs | undefined;
  /** True when a machine was still there to be destroyed. */
  destroyedOne: boolean;
}

const VERIFY_INTERVAL_MS = 5000;

/**
 * Cancels the run, as `if-no-machine` says, if a GPU job waits for a machine that won't come. Returns
 * a sentence about the jobs that are left, if no message named them yet. Throws if this job had
 * succeeded and yet took a machine from a job, or if the run could not be cancelled.
 */
export async function leaveRun(leaving: Leaving, left: LeftBehind): Promise<string | undefined> {
  const { ledger, session } = leaving;
  const jobs = hasJobs(session.inputs, ledger.end) ? countedJobs(left.jobs, ledger.end) : undefined;
  const what = jobs && openJobs(jobs);
  if (jobs === undefined || what === undefined) return undefined;
  const isCancelled = await isToBeCancelled(leaving, jobs);
  if (isCancelled) await cancelRun(leaving, jobs);
  if (left.destroyedOne && hasSucceeded(leaving)) throw new DestroyedUnderJobError(what);
  return isCancelled || isSaidByMain(leaving) ? undefined : describeLeft(leaving, jobs, what);
}

/** True if the error of main says that its jobs will wait, as `if-no-machine: leave` wants it. */
function isSaidByMain({ ledger: { end }, session }: Leaving): boolean {
  return end?.kind === "failed" && end.tellsFate === true && session.inputs.ifNoMachine === "leave";
}

/** True if main succeeded. The job's status alone is not enough: a step with continue-on-error leaves it at success. */
function hasSucceeded({ ledger, session }: Leaving): boolean {
  return session.inputs.jobStatus === "success" && ledger.end?.kind !== "failed" && ledger.end?.kind !== "stopped";
}

function describeLeft({ session }: Leaving, jobs: GpuJobs, what: string): string {
  const waits = inState(jobs, "waiting").length > 0;
  const or = waits ? "its job waits for up to a day" : "GitHub ends its job after about ten minutes";
  return `No machine is left, while ${what}. Cancel the run, or ${or}: ${linkTo(session)}`;
}

/**
 * False if the jobs that wait are not ours: a check rents for nobody, nobody knows the label of a
 * `name` that can't be read, and if the label is in use another session serves its jobs.
 */
export function hasJobs({ check, knowsLabel }: Session["inputs"], end: MainEnd | undefined): boolean {
  return !check && knowsLabel && !(end?.kind === "failed" && end.what === "label-in-use");
}

/** Lists the jobs of this session. Returns undefined if they can't be seen, and logs why. */
export async function seenJobs({ session, until }: Pick<Leaving, "session" | "until">): Promise<GpuJobs | undefined> {
  const { clock, jobs, log } = session;
  try {
    return sortJobs(await withRetry(() => jobs.list(), { clock, until }), matcherOf(session));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    log.info(`Whether a GPU job is left could not be seen: ${error.message}`);
    return undefined;
  }
}

async function concerned(leaving: Leaving): Promise<GpuJobs | undefined> {
  return countedJobs(await seenJobs(leaving), leaving.ledger.end);
}

/** Counts jobs that were meant to ask for our label as ours, if main ended on them. */
export function countedJobs(jobs: GpuJobs | undefined, end: MainEnd | undefined): GpuJobs | undefined {
  if (jobs === undefined || end?.kind !== "failed" || end.what !== "mistyped-label") return jobs;
  const { mistyped, othersOpen, ours } = jobs;
  // One that runs has found a runner with that label.
  const isOther = ({ labels, status }: (typeof othersOpen)[number]) =>
    status === "in_progress" || !mistyped.some(({ label }) => labels.includes(label));
  return { ...jobs, ours: [...ours, ...mistyped], othersOpen: othersOpen.filter(isOther), mistyped: [] };
}

/**
 * Decides by a second look whether to cancel the run: a job that has begun since, or another open
 * job, must not be lost.
 */
async function isToBeCancelled(leaving: Leaving, jobs: GpuJobs): Promise<boolean> {
  const { ledger, session, until } = leaving;
  const { clock, inputs } = session;
  const { ifNoMachine } = inputs;
  const decide = (seen: GpuJobs) => decideLeaving({ ifNoMachine, jobs: seen, waitedMs: 0 }) === "cancel";
  if (!decide(jobs)) return false;
  if (ledger.cancelRun) return true;
  if (clock.now() + LATE.lookAgain >= until) return false;
  await clock.sleep(LATE.lookAgain);
  const again = await concerned(leaving);
  return again !== undefined && decide(again);
}

/** Cancels the run, and waits until every GPU job is over. */
async function cancelRun(leaving: Leaving, jobs: GpuJobs): Promise<void> {
  const { session, until } = leaving;
  const { clock, log, run, runs } = session;
  const link = inState(jobs, "waiting")[0]?.url ?? linkTo(session);
  try {
    await withRetry(() => runs.cancel(run.runId), { clock, until });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new RunNotCancelledError(link, error);
  }
  const look = async () => {
    const left = await concerned(leaving);
    return left !== undefined && inState(left, "waiting").length === 0;
  };
  const isOver = await poll(look, { clock, intervalMs: VERIFY_INTERVAL_MS, until });
  if (isOver) log.info("The run is cancelled: its GPU job could have no machine.");
  else log.warning(`GitHub accepted the cancel of the run, and still lists its GPU job as waiting: ${link}`);
}

/** Says which jobs run, or wait if none runs; undefined if none does either. */
function openJobs(jobs: GpuJobs): string | undefined {
  const running = inState(jobs, "running");
  const named = running.length > 0 ? running : inState(jobs, "waiting");
  const did = running.length > 0 ? "running" : "waiting for it";
  return named.length === 0 ? undefined : `${jobNames(named)} ${named.length === 1 ? "was" : "were"} ${did}`;
}

/** Lists the jobs of ours in this state. */
export function inState({ ours }: GpuJobs, state: JobState): GpuJobs["ours"] {
  return ours.filter((job) => job.state === state);
}

function linkTo({ run }: Leaving["session"]): string {
  return runUrl(run, run.runId);
}

/** The facts that decide what becomes of waiting jobs after this job has failed. */
interface LeavingFacts {
  ifNoMachine: IfNoMachine;
  /** Undefined: the list could not be read. */
  jobs: GpuJobs | undefined;
  /** Milliseconds since the failure. */
  waitedMs: number;
  /** True if a machine is kept, as a job runs on it or may run. Post would take it. */
  isKept?: boolean;
}

/** `leave`: no job is left waiting, or nothing may be done about it here. */
type LeavingDecision = "wait" | "cancel" | "leave";

/** How long to wait for the run's other jobs: they are worth more than the waiting job. */
export const OTHERS_MAY_TAKE_MS = 1_800_000;

/** How long GitHub may be away; after that the job is left to the sweep. */
const OUTAGE_MAY_TAKE_MS = 600_000;

/** Decides what becomes of jobs that can have no machine. Two looks must say "cancel". */
export function decideLeaving({ ifNoMachine, isKept = false, jobs, waitedMs }: LeavingFacts): LeavingDecision {
  const mayTakeMs = jobs === undefined ? OUTAGE_MAY_TAKE_MS : OTHERS_MAY_TAKE_MS;
  if (isKept) return waitedMs < mayTakeMs ? "wait" : "leave";
  if (ifNoMachine === "leave") return "leave";
  // No answer is no evidence; but it must not keep this job for ever either.
  if (jobs !== undefined && inState(jobs, "waiting").length === 0) return "leave";
  if (jobs !== undefined && openBeside(jobs, ifNoMachine) === 0) return "cancel";
  return waitedMs < mayTakeMs ? "wait" : "leave";
}

/**
 * Counts the open jobs, other than those that wait, that keep a run from its cancel. A job of ours that waits for an
 * approval is open, too. `cancel` spares only one of ours that runs, or whose lost machine GitHub has not missed yet.
 */
export function openBeside(jobs: GpuJobs, ifNoMachine: IfNoMachine): number {
  const running = inState(jobs, "running").length;
  return ifNoMachine === "cancel" ? running : running + jobs.othersOpen.length + inState(jobs, "held").length;
}

/** Says that the job that rents ended before the GPU job, so that the GPU job's machine was destroyed. */
export class DestroyedUnderJobError extends UserError {
  override readonly name = "DestroyedUnderJobError";

  constructor(what: string) {
    super(
      `The machine was given back while ${what}: this job ended before the GPU job did. Nothing is rented any more.`,
      {
        hint: "Leave hold at true, so that the step waits for the GPU job; with hold: false, keep this job running until the GPU job is over.",
      },
    );
  }
}

/** Says that a GPU job waits for a machine that won't come, and that the run could not be cancelled. */
export class RunNotCancelledError extends UserError {
  override readonly name = "RunNotCancelledError";

  constructor(job: string, cause: UserError) {
    super(
      `The GPU job waits for a machine that does not come, and its run could not be cancelled. ${cause.message} Nothing is rented. The job that waits, for up to a day: ${job}`,
      {
        cause,
        hint: "Cancel the run by hand. Give the job that rents `permissions: { actions: write }`, or set if-no-machine: leave if it is to wait.",
      },
    );
  }
}

const LOOK_AT_JOBS_MS = 15_000;

/** How long the error of a main that fails waits for the list of jobs. */
const SEEN_WITHIN_MS = 5000;

/**
 * Looks once at the jobs of a main that fails. Returns those that wait and will have no machine; none if
 * they can't be seen soon, or if one of ours runs.
 */
export async function jobsMissed(
  { inputs, jobs, run, runnerNamePrefix }: Pick<Session, "inputs" | "jobs" | "run" | "runnerNamePrefix">,
  end: MainEnd,
): Promise<GpuJobs["ours"]> {
  if (!hasJobs(inputs, end)) return [];
  const listed = await answeredInTime((signal) => jobs.list(signal), SEEN_WITHIN_MS);
  const seen = sortJobs(listed ?? [], matcherOf({ inputs, run, runnerNamePrefix }));
  return inState(seen, "running").length > 0 ? [] : inState(seen, "waiting");
}

/** What the wait for other jobs needs of a session. */
type Waiting = Pick<Session, "clock" | "inputs" | "jobs" | "log" | "run" | "runnerNamePrefix">;

/** `some`: a machine is kept, as a job runs on it or may run. `refused`: something may still bill. */
export type GivenBack = "all" | "some" | "refused";

/**
 * Waits for the other jobs of the attempt to be over, so that a cancel of the run takes nothing from
 * them. `giveBack` is called at each look. `end`:
 * how main ended, by which a job with a mistyped label may count as ours.
 */
export async function waitForOthers(
  session: Waiting,
  signal: AbortSignal,
  giveBack: (jobs: GpuJobs | undefined) => Promise<GivenBack>,
  end?: MainEnd,
): Promise<"cancel" | "leave"> {
  const { clock, inputs } = session;
  const { ifNoMachine } = inputs;
  const start = clock.now();
  const isConfirmed = confirmation(clock);
  let isLogged = false;
  const look = async () => {
    const listed = await session.jobs.listOrUndefined(signal);
    const jobs = countedJobs(listed && sortJobs(listed, matcherOf(session)), end);
    const back = await giveBack(jobs);
    if (back === "refused") return "leave";
    const decision = decideLeaving({ ifNoMachine, jobs, waitedMs: clock.now() - start, isKept: back === "some" });
    if (decision === "leave") return logLeft(session, jobs);
    if (isConfirmed(decision === "cancel")) return "cancel";
    if (!isLogged) isLogged = logWaiting(session, jobs, decision);
    return undefined;
  };
  const options = { clock, intervalMs: LOOK_AT_JOBS_MS, until: Number.POSITIVE_INFINITY, signal };
  return (await poll(look, options)) ?? "leave";
}

/**
 * Makes a function that returns true once it was called with true twice, far enough apart, and
 * never with false between.
 */
function confirmation(clock: Clock): (isFound: boolean) => boolean {
  let since = Number.POSITIVE_INFINITY;
  return (isFound) => {
    since = isFound ? Math.min(since, clock.now()) : Number.POSITIVE_INFINITY;
    return isConfirmed(since, clock.now());
  };
}

function logLeft({ inputs, log }: Waiting, jobs: GpuJobs | undefined): "leave" {
  const waiting = jobs === undefined ? [] : inState(jobs, "waiting");
  if (waiting.length > 0 && inputs.ifNoMachine === "auto")
    // No annotation: post names the jobs that are left.
    log.info(
      `No machine can be had for ${jobNames(waiting)}, and other jobs of this run are open: the sweep ends the run when they are over.`,
    );
  return "leave";
}

/** Logs what we wait for. Returns true if there was something to log. */
function logWaiting({ inputs, log }: Waiting, jobs: GpuJobs | undefined, decision: "cancel" | "wait"): boolean {
  if (jobs === undefined) return false;
  const waiting = inState(jobs, "waiting");
  const where = waiting[0]?.url;
  // No annotation: the step's own error names the same jobs.
  log.info(
    `No machine can be had for ${jobNames(waiting)}${where ? ` (${where})` : ""}. Nothing is rented. The run will be cancelled${decision === "wait" ? whenOf(jobs, inputs.ifNoMachine) : ""}.`,
  );
  return true;
}

function whenOf(jobs: GpuJobs, ifNoMachine: IfNoMachine): string {
  const open = openBeside(jobs, ifNoMachine);
  const which = open === 1 ? "its other open job is" : `its ${open} other open jobs are`;
  return ` when ${which} over; after ${formatDuration(OTHERS_MAY_TAKE_MS)} that is left to the sweep`;
}
