import { cancelRunOf, decideAfterFailure, LIST_MAY_LAG_MS } from "../../fleet/decide-after-failure.ts";
import { GithubDoubtError } from "../../github/github-errors.ts";
import { countJobs, type JobCounts } from "../../jobs/job-counts.ts";
import { LOOKS_APART_MS } from "../../jobs/two-looks.ts";
import { KnownError } from "../../known-error.ts";
import { done, PENDING, poll } from "../../time/poll.ts";
import type { RunInputs } from "../inputs/inputs.ts";
import type { Ledger } from "../platform/ledger.ts";
import type { Rooms } from "../platform/rooms.ts";
import type { RunContext } from "../platform/run-context.ts";
import { DestroyedUnderJobError, RunNotCancelledError } from "./leave-run-errors.ts";

/** What post has open at its end. */
export interface Leaving {
  rooms: Pick<Rooms, "clock" | "log" | "jobs" | "cancel">;
  run: RunContext;
  ledger: Ledger;
  inputs: Pick<RunInputs, "if-no-machine" | "job-check-run-id" | "job-status">;
  /** Until when all must be over, in milliseconds since the epoch. */
  until: number;
}

/** What post knows when it looks at the jobs that are left. */
export interface LeftBehind {
  /** Undefined: they could not be seen. */
  jobs: JobCounts | undefined;
  /** True when a machine was still there to be destroyed. */
  destroyedOne: boolean;
}

/** The errors' names, as main has written them down. */
const CHECK_FAILED = "CheckFailedError";
const LABEL_IN_USE = "LabelInUseError";
const VERIFY_INTERVAL_MS = 5000;
const INSIST_PAUSES_MS = [2000, 5000, 10_000];

/**
 * The last act of post: a GPU job that is left waiting, with no machine to come, is ended by a cancel of the run, if `if-no-machine` allows it. What
 * is not ended is told. Throws when this job had succeeded and yet took the machine away, and when the run could not be cancelled.
 */
export async function leaveRun(leaving: Leaving, left: LeftBehind): Promise<void> {
  const { jobs } = left;
  if (!isOurs(leaving.ledger)) return;
  const what = jobs && inWords(jobs);
  if (jobs === undefined || what === undefined) return;
  const { inputs, rooms, run } = leaving;
  const isCancelled = jobs.running === 0 && (await isToBeCancelled(leaving, jobs));
  if (isCancelled) await cancelRun(leaving, jobs);
  if (left.destroyedOne && inputs["job-status"] === "success") throw new DestroyedUnderJobError(what);
  if (isCancelled) return;
  rooms.log.warning(
    `No machine is left, while ${what}. Cancel the run, or its job waits for up to a day: ${linkTo(run)}`,
  );
}

/** A check rents for nobody, and a use that was refused for another's label has no say about that one's jobs. */
function isOurs({ end }: Ledger): boolean {
  const name = end?.kind === "failed" ? end.name : undefined;
  return end?.kind !== "checked" && name !== CHECK_FAILED && name !== LABEL_IN_USE;
}

/** The jobs that ask for this use's machine; undefined, with a word in the log, when they can't be seen. */
export async function seenJobs(leaving: Leaving): Promise<JobCounts | undefined> {
  const { rooms, run, ledger, inputs } = leaving;
  try {
    const checkRunId = Number(inputs["job-check-run-id"]) || undefined;
    const own = { checkRunId, runnerName: run.runnerName, jobName: run.jobName };
    const runnerIds = new Set(ledger.runners.values());
    const listed = await insist(leaving, () => rooms.jobs.list());
    return countJobs(listed, { runnerLabel: run.runnerLabel, runnerIds, own });
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    rooms.log.info(`Whether a GPU job is left could not be seen: ${error.message}`);
    return undefined;
  }
}

/** Asks GitHub again when it could not be asked: a job would wait for a day for it. What is asked here may be asked twice. */
async function insist<T>({ rooms: { clock }, until }: Leaving, ask: () => Promise<T>): Promise<T> {
  for (const pause of INSIST_PAUSES_MS) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof GithubDoubtError) || clock.now() + pause >= until) throw error;
      await clock.sleep(pause);
    }
  }
  return await ask();
}

/** Main has looked twice, or post does: a job whose needs are just over appears a moment later. */
async function isToBeCancelled(leaving: Leaving, jobs: JobCounts): Promise<boolean> {
  const { inputs, ledger, rooms } = leaving;
  const decide = (seen: JobCounts) =>
    decideAfterFailure({
      cancelRun: cancelRunOf(inputs["if-no-machine"]),
      jobs: seen,
      waitedMs: 0,
      ageMs: LIST_MAY_LAG_MS,
      machinelessMs: 0,
    });
  if (inputs["if-no-machine"] !== "leave" && ledger.cancelRun) return true;
  if (decide(jobs) !== "cancel" || rooms.clock.now() + LOOKS_APART_MS >= leaving.until) return false;
  await rooms.clock.sleep(LOOKS_APART_MS);
  const again = await seenJobs(leaving);
  return again !== undefined && decide(again) === "cancel";
}

/** Cancels, and sees that every GPU job is over. */
async function cancelRun(leaving: Leaving, jobs: JobCounts): Promise<void> {
  const { rooms, run, until } = leaving;
  try {
    await insist(leaving, () => rooms.cancel.cancel(run.runId));
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    throw new RunNotCancelledError(jobs.url ?? linkTo(run), error);
  }
  const isOver = await poll(async () => ((await seenJobs(leaving))?.waiting === 0 ? done(true) : PENDING), {
    clock: rooms.clock,
    intervalMs: VERIFY_INTERVAL_MS,
    until,
  });
  if (isOver) rooms.log.info("The run is cancelled: its GPU job could have no machine.");
  else
    rooms.log.warning(
      `GitHub took the cancel of the run; its GPU job is still listed as waiting: ${jobs.url ?? linkTo(run)}`,
    );
}

function inWords({ waiting, running }: JobCounts): string | undefined {
  if (running > 0) return "the GPU job was running";
  return waiting > 0 ? "the GPU job was waiting for it" : undefined;
}

function linkTo({ serverUrl, owner, repo, runId }: RunContext): string {
  return `${serverUrl}/${owner}/${repo}/actions/runs/${runId}`;
}
