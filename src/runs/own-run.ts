import { LATE } from "../fleet/lifecycle/late.ts";
import { runUrl } from "../github/github.ts";
import { type GpuJobs, sortJobs } from "../github/jobs.ts";
import type { Ledger, MainEnd } from "../release/ledger.ts";
import { answeredInTime, matcherOf, type Session } from "../release/session.ts";
import { poll } from "../shared/poll.ts";
import { withRetry } from "../shared/retry.ts";
import { UserError } from "../shared/user-error.ts";
import { decideEnd, hasJobs, inState, type RunDecision, withRobbed } from "./decide-end.ts";

interface Leaving {
  session: Pick<Session, "clock" | "inputs" | "jobs" | "log" | "run" | "runnerNamePrefix" | "runs">;
  ledger: Pick<Ledger, "cancelRun" | "end" | "reports" | "runners">;
  /** What post had to destroy. */
  destroyed: readonly number[];
  /** When post began, and until when all must be over, in milliseconds since the epoch. */
  start: number;
  until: number;
}

/**
 * Cancels the run, as `if-no-machine` says, if a GPU job waits for a machine that won't come. That is post's last
 * request: GitHub turns the result of a job whose post still runs into *cancelled*. Returns a sentence about the jobs
 * that are left, if no message named them yet. Throws if this job had succeeded and yet took a machine from a job, or
 * if the run could not be cancelled.
 */
export async function leaveRun(leaving: Leaving, jobs: GpuJobs | undefined): Promise<string | undefined> {
  const { destroyed, ledger, session } = leaving;
  const decide = (seen: GpuJobs | undefined) =>
    decideEnd({ session, jobs: seen, end: ledger.end, tookAway: destroyed.length > 0 });
  const decision = decide(jobs);
  const isCancelled = decision.do === "cancel" && (await isSaidTwice(leaving, decide));
  if (isCancelled) await cancelRun(leaving, jobs);
  if (decision.failed !== undefined) throw new DestroyedUnderJobError(decision.failed);
  return isCancelled ? undefined : decision.tell;
}

/** Lists the jobs of this session, those that post robbed marked. Returns undefined if they can't be seen, and logs why. */
export async function seenJobs(leaving: Leaving): Promise<GpuJobs | undefined> {
  const { destroyed, ledger, session, start, until } = leaving;
  const { clock, jobs, log } = session;
  // Main may have been able to write nothing of what post destroyed.
  const others = [...ledger.reports].filter(([, { instanceId }]) => !destroyed.includes(instanceId));
  const spared = others.flatMap(([row]) => ledger.runners.get(row) ?? []);
  try {
    const seen = sortJobs(await withRetry(() => jobs.list(), { clock, until }), matcherOf(session));
    // A main that ended because its jobs were over had seen how they ended.
    return ledger.end?.kind === "over" ? seen : withRobbed(seen, spared, start);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    log.info(`Whether a GPU job is left could not be seen: ${error.message}`);
    return undefined;
  }
}

/** Looks again: a job that has begun since, or another open job, must not be lost. Main may have looked twice itself. */
async function isSaidTwice(leaving: Leaving, decide: (jobs: GpuJobs | undefined) => RunDecision): Promise<boolean> {
  const { clock } = leaving.session;
  if (leaving.ledger.cancelRun) return true;
  if (clock.now() + LATE.lookAgain >= leaving.until) return false;
  await clock.sleep(LATE.lookAgain);
  return decide(await seenJobs(leaving)).do === "cancel";
}

async function cancelRun({ session, until }: Leaving, jobs: GpuJobs | undefined): Promise<void> {
  const { clock, log, run, runs } = session;
  try {
    await withRetry(() => runs.cancel(run.runId), { clock, until });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new RunNotCancelledError(inState(jobs, "waiting")[0]?.url ?? runUrl(run, run.runId), error);
  }
  log.info("GitHub cancels the run: its GPU job can have no machine.");
}

/** Says that the job that rents ended before the GPU job, so that the GPU job's machine was destroyed. */
export class DestroyedUnderJobError extends UserError {
  constructor(what: string) {
    const hint =
      "Leave hold at true, so that the step waits for the GPU job; with hold: false, keep this job running until the GPU job is over.";
    const message = `The machine was given back while ${what}: this job ended before the GPU job did. Nothing is rented any more.`;
    super(message, { hint });
  }
}

/** Says that a GPU job waits for a machine that won't come, and that the run could not be cancelled. */
export class RunNotCancelledError extends UserError {
  constructor(job: string, cause: UserError) {
    const hint =
      "Cancel the run by hand. Give the job that rents `permissions: { actions: write }`, or set if-no-machine: leave if it is to wait.";
    const what = `The GPU job waits for a machine that does not come, and its run could not be cancelled. ${cause.message} Nothing is rented. The job that waits, for up to a day: ${job}`;
    super(what, { cause, hint });
  }
}

const LOOK_AT_JOBS_MS = 15_000;

/** How long the error of a main that fails waits for the list of jobs. */
const SEEN_WITHIN_MS = 5000;

/** Looks once at a failing main's jobs. Returns those that wait in vain; none if unseen, or if one of ours runs. */
export async function jobsMissed(
  session: Pick<Session, "inputs" | "jobs" | "run" | "runnerNamePrefix">,
  end: MainEnd,
): Promise<GpuJobs["ours"]> {
  if (!hasJobs({ session, end })) return [];
  const listed = await answeredInTime((signal) => session.jobs.list(signal), SEEN_WITHIN_MS);
  const seen = sortJobs(listed ?? [], matcherOf(session));
  return inState(seen, "running").length > 0 ? [] : inState(seen, "waiting");
}

/** `some`: a machine is kept, as a job runs on it or may run. `refused`: something may still bill. */
export type GivenBack = "all" | "some" | "refused";

/**
 * Waits for the other jobs of the attempt to be over, so that a cancel of the run takes nothing from
 * them. `giveBack` is called at each look. `end`: how main ended, by which a job with a mistyped label
 * may count as ours.
 */
export async function waitForOthers(
  session: Pick<Session, "clock" | "inputs" | "jobs" | "log" | "run" | "runnerNamePrefix">,
  signal: AbortSignal,
  giveBack: (jobs: GpuJobs | undefined) => Promise<GivenBack>,
  end?: MainEnd,
): Promise<"cancel" | "leave"> {
  const { clock, log } = session;
  const start = clock.now();
  const told = new Set<string>();
  let before: RunDecision["do"] = "wait";
  const look = async () => {
    const listed = await session.jobs.listOrUndefined(signal);
    const jobs = listed && sortJobs(listed, matcherOf(session));
    const back = await giveBack(jobs);
    if (back === "refused") return "leave";
    const main = { waitedMs: clock.now() - start, isKeeping: back === "some" };
    const { do: does, tell = "" } = decideEnd({ session, jobs, end, main });
    // No annotation: the step's own error, or post, names the same jobs.
    if (tell !== "" && !told.has(tell)) log.info(tell);
    told.add(tell);
    // A cancel needs two looks that say so, one after the other.
    const isSaid = does === "leave" || (does === "cancel" && before === "cancel");
    before = does;
    return isSaid && does;
  };
  const options = { clock, intervalMs: LOOK_AT_JOBS_MS, until: Number.POSITIVE_INFINITY, signal };
  return (await poll(look, options)) ?? "leave";
}
