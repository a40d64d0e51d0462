import type { RunnersPort } from "../create/rent.ts";
import type { Job } from "../github/job.ts";
import type { RunnerDownload } from "../github/runner.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { poll } from "../shared/poll.ts";
import { UserError } from "../shared/user-error.ts";
import { refuseInTurn, type Turns } from "./rejecting-runners.ts";
import { addRefusal, fetchRunner } from "./runner-program.ts";
import { openSandboxUser, type SandboxUser } from "./sandbox-user.ts";

/** The jobs that are to fail, and what that takes. */
export interface FailingJobs {
  /** Jobs that wait, ask for nothing but our label, and can have no machine. */
  jobs: readonly Pick<Job, "id" | "name">[];
  /** Shown at the head of each job's log. */
  reason: string;
  /** The names of runners begin with it; a number follows. */
  runnerNamePrefix: string;
  runners: Pick<RunnersPort, "registerRunner" | "remove">;
  /** Where GitHub's runner program is. */
  download(signal: AbortSignal): Promise<RunnerDownload>;
  /** The jobs of this attempt; undefined when GitHub could not be asked. */
  listJobs(signal: AbortSignal): Promise<readonly Job[] | undefined>;
  clock: Clock;
  log: Log;
  /** The end of all of it, in ms since the epoch; and within two minutes, however late that is. */
  until: number;
  /** For tests: where the user comes from. */
  openUser?: typeof openSandboxUser;
}

const WITHIN_MS = 120_000;
/** Of that, to stop what runs and to remove the user. */
const CLEAN_UP_MS = 25_000;
const LOOK_MS = 3000;
const LIST_MAY_LAG_MS = 10_000;

/**
 * Fails jobs that can have no machine, one by one: a single-use runner for each, on this hosted
 * machine, as a user that may do nothing, told to refuse whatever it gets. The other jobs of the
 * run go on. Nothing may be rented any more when this begins. Returns the ids of those that are
 * red now; a warning tells why others are not. Throws only what is a bug.
 *
 * SPEC-SILENT: whether a job has a `container:`, GitHub's list does not say. One that has is not
 * refused by the variable; without Docker it fails as well.
 */
export async function failJobs(failing: FailingJobs): Promise<number[]> {
  const { jobs, log } = failing;
  if (jobs.length === 0) return [];
  const why = await log.stage("Fail the jobs that can have no machine", () => tryToFail(failing));
  const red = await redJobs(failing);
  const left = `${jobs.length - red.length} of ${jobs.length} jobs could not be failed as if-no-machine: fail-jobs wants it.`;
  if (red.length < jobs.length) log.warning(`${left} ${why ?? "GitHub gave them to no runner in time."}`);
  return red;
}

/** Undefined: nothing went wrong, as far as could be seen. */
async function tryToFail(failing: FailingJobs): Promise<string | undefined> {
  const { clock, jobs, log, openUser = openSandboxUser } = failing;
  const until = Math.min(failing.until, clock.now() + WITHIN_MS) - CLEAN_UP_MS;
  if (until <= clock.now()) return "There was no time left for it.";
  const time = AbortSignal.timeout(until - clock.now());
  const stop = new AbortController();
  const signal = AbortSignal.any([time, stop.signal]);
  const turns: Turns = { begun: 0, runnerIds: [] };
  try {
    await using user = await openUser((line) => log.warning(line));
    await prepareProgram(failing, user, signal);
    // Whatever kept others from it: one that has a job is not ended under it.
    const end = waitForEnd(failing, turns, { until, signal: stop.signal }).finally(() => stop.abort());
    const [isOver] = await Promise.all([
      end,
      refuseInTurn({ ...failing, user, count: jobs.length, until, signal }, turns),
    ]);
    return lackOf(turns, isOver ? turns.begun : jobs.length);
  } catch (error) {
    if (!(error instanceof UserError || time.aborted)) throw error;
    return error instanceof UserError ? error.message : "The time for it was over.";
  } finally {
    stop.abort();
    await removeAll(failing, turns.runnerIds);
  }
}

/** The runner program in the user's folder, and the user's. */
async function prepareProgram(failing: FailingJobs, user: SandboxUser, signal: AbortSignal): Promise<void> {
  const program = await fetchRunner(await failing.download(signal), user.folder, signal);
  await addRefusal(program, failing.reason);
  await user.handOver(signal);
}

/**
 * Until each of the jobs is over; or for a while after the last runner has ended, as the list lags.
 * False: until the time was over.
 */
async function waitForEnd(
  { clock, jobs, listJobs }: FailingJobs,
  turns: Turns,
  { until, signal }: { until: number; signal: AbortSignal },
): Promise<boolean> {
  const ids = new Set(jobs.map(({ id }) => id));
  const look = async () => {
    const listed = await seenJobs(listJobs, until - clock.now());
    const isOver = listed?.filter(({ id }) => ids.has(id)).every(({ status }) => status === "completed");
    const lagMs = turns.runnerIds.length === 0 ? 0 : LIST_MAY_LAG_MS;
    return isOver || (turns.endedAt !== undefined && clock.now() - turns.endedAt >= lagMs);
  };
  return (await poll(look, { clock, intervalMs: LOOK_MS, until, signal })) ?? false;
}

/** Why jobs may be left of so many for which there should have been time. */
function lackOf({ begun, said, why }: Turns, count: number): string | undefined {
  if (why !== undefined) return why;
  if (begun < count) return `There was time for the runners of ${begun} of them.`;
  return said ? `The last runner that was to refuse a job said: "${said}".` : undefined;
}

async function seenJobs(listJobs: FailingJobs["listJobs"], withinMs: number): Promise<readonly Job[] | undefined> {
  try {
    return await listJobs(AbortSignal.timeout(Math.max(1, withinMs)));
  } catch (error) {
    if (error instanceof UserError || (error as Error).name === "TimeoutError") return undefined;
    throw error;
  }
}

/** Of the jobs that were to fail, those that did so on a runner of ours. */
async function redJobs({ clock, jobs, listJobs, runnerNamePrefix, until }: FailingJobs): Promise<number[]> {
  const ids = new Set(jobs.map(({ id }) => id));
  const listed = (await seenJobs(listJobs, until - clock.now())) ?? [];
  return listed
    .filter(({ id, conclusion, runnerName }) => {
      return ids.has(id) && conclusion === "failure" && runnerName?.startsWith(`${runnerNamePrefix}-`);
    })
    .map(({ id }) => id);
}

/** A registration without its runner does no harm: GitHub drops it within a day. */
async function removeAll({ log, runners }: FailingJobs, runnerIds: readonly number[]): Promise<void> {
  for (const id of runnerIds) {
    const answer = await runners.remove(id);
    if (answer !== "removed") log.info(`Runner ${id} may still be registered (${answer}); GitHub drops it by itself.`);
  }
}
