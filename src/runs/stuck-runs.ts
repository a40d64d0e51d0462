import { LATE } from "../fleet/lifecycle/late.ts";
import { GithubUnavailableError } from "../github/github-errors.ts";
import { type Job, RunJobs } from "../github/jobs.ts";
import { isMistyped } from "../github/mistyped-label.ts";
import type { Run } from "../github/runs.ts";
import type { Attempt, Owned } from "../release/leftovers.ts";
import { formatDuration } from "../shared/duration.ts";
import { poll } from "../shared/poll.ts";
import { UserError } from "../shared/user-error.ts";
import { type RunSearch, runByRun } from "./run-by-run.ts";

/** The tools of a search for stuck runs. */
export interface StuckSearch extends RunSearch {
  /** Lists this repository's machines anew. */
  listMachines(): Promise<readonly Owned[]>;
}

/** A run that waited in vain. `changed`: at the cancel it waited no longer. `failed`: it could not be cancelled. */
export interface StuckRun extends Attempt {
  waitedMs: number;
  outcome: "cancelled" | "would-cancel" | "changed" | "failed";
}

/** How many runs to look at: each costs one request of a thousand an hour. */
const MOST_STUCK_RUNS = 100;
const LOOK_MS = 5000;
const ENDS_WITHIN_MS = 60_000;

/** Cancels runs whose GPU job waits for a machine that nobody will rent. Throws without a list of runs or machines. */
export async function cancelStuckRuns(search: StuckSearch): Promise<StuckRun[]> {
  const { clock, log, ownRunId, signal } = search;
  const old = (await search.runs.listOpen(signal))
    .filter(({ id, startedAt }) => id !== ownRunId && clock.now() - (startedAt ?? 0) >= STUCK_AFTER_MS)
    .sort((left, right) => (left.startedAt ?? 0) - (right.startedAt ?? 0));
  if (old.length > MOST_STUCK_RUNS) log.info(`Only ${MOST_STUCK_RUNS} of ${old.length} open runs are looked at.`);
  const suspects = await findStuck(search, old.slice(0, MOST_STUCK_RUNS));
  if (suspects.length === 0) return [];
  await clock.sleep(LATE.lookAgain, signal);
  const runs = suspects.map((suspect) => suspect.run);
  const stuck: StuckRun[] = [];
  for (const { run, waitedMs } of await findStuck(search, runs)) {
    stuck.push({ runId: run.id, attempt: run.attempt, waitedMs, outcome: await end(search, run, waitedMs) });
  }
  return stuck;
}

async function findStuck(search: StuckSearch, runs: readonly Run[]): Promise<{ run: Run; waitedMs: number }[]> {
  if (runs.length === 0) return [];
  const machines = await search.listMachines();
  const look = async (run: Run) => {
    const waitedMs = await waitedInVain(search, run, machines);
    return waitedMs === undefined ? undefined : { run, waitedMs };
  };
  return await runByRun(runs, look, search.log);
}

async function waitedInVain(
  { client, clock, signal }: StuckSearch,
  { id, attempt }: Run,
  machines: readonly Owned[],
): Promise<number | undefined> {
  const hasMachine = machines.some(({ label }) => label.runId === id && label.attempt === attempt);
  const jobs = await new RunJobs(client, { runId: id, attempt }).list(signal);
  return stuckForMs(jobs, { runId: id, attempt, hasMachine }, clock.now());
}

async function end(search: StuckSearch, run: Run, waitedMs: number): Promise<StuckRun["outcome"]> {
  const { isDryRun, log } = search;
  const what = `Run ${run.id} (attempt ${run.attempt}), whose GPU job has waited for ${formatDuration(waitedMs)} with no machine to come,`;
  try {
    // Ending the runs before took minutes: this one may have been re-run meanwhile, and a cancel
    // knows no attempts.
    if (!(await isStillStuck(search, run))) {
      log.info(`${what} is left: it waits in vain no longer.`);
      return "changed";
    }
    if (isDryRun) {
      log.info(`${what} would be cancelled.`);
      return "would-cancel";
    }
    // Nothing of the run is running, so that a cancel by force cuts no clean-up short.
    const isOver =
      (await tryToEnd(search, run, "cancel")) ||
      !(await goesOn(search, run)) ||
      (await tryToEnd(search, run, "forceCancel"));
    if (isOver) log.info(`${what} is cancelled.`);
    else log.warning(`${what} was cancelled twice, and has not ended yet.`);
    return isOver ? "cancelled" : "failed";
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    log.warning(`${what} could not be cancelled: ${error.message} ${error.hint ?? ""}`);
    return "failed";
  }
}

async function isStillStuck(search: StuckSearch, run: Run): Promise<boolean> {
  return (await goesOn(search, run)) && (await waitedInVain(search, run, await search.listMachines())) !== undefined;
}

/** True while this attempt is still the run's latest, and not over. */
async function goesOn({ runs, signal }: StuckSearch, { id, attempt }: Run): Promise<boolean> {
  const now = await runs.get(id, signal);
  return now?.attempt === attempt && now.status !== "completed";
}

/** Asks GitHub to end the run, and looks for a minute until its attempt is completed. */
async function tryToEnd(search: StuckSearch, run: Run, how: "cancel" | "forceCancel"): Promise<boolean> {
  const { clock, runs, signal } = search;
  await runs[how](run.id, signal);
  const look = () => isCompleted(search, run);
  return (await poll(look, { clock, intervalMs: LOOK_MS, until: clock.now() + ENDS_WITHIN_MS, signal })) ?? false;
}

async function isCompleted({ runs, signal }: StuckSearch, { id, attempt }: Run): Promise<boolean> {
  try {
    return (await runs.attempt(id, attempt, signal))?.isCompleted ?? false;
  } catch (error) {
    // No answer is no evidence: it is asked again.
    if (error instanceof GithubUnavailableError) return false;
    throw error;
  }
}

/** How long a job must have waited to be stuck: even a late job that rents begins long before. */
const STUCK_AFTER_MS = 15 * 60_000;

/**
 * Returns how long a GPU job of this attempt has waited in vain, in milliseconds. Undefined if it
 * may still get its machine: a machine lives, a job that could rent one (any other job that is not
 * over) is there, a GPU job runs, or no GPU job has waited for 15 minutes.
 */
export function stuckForMs(
  jobs: readonly Pick<Job, "status" | "labels" | "createdAt">[],
  run: Attempt & { hasMachine: boolean },
  now: number,
): number | undefined {
  const open = jobs.filter(({ status }) => status !== "completed");
  if (run.hasMachine || !open.every((job) => job.status === "queued" && asksForOurs(job, run))) return undefined;
  const waits = open.map(({ createdAt }) => (createdAt === undefined ? 0 : now - createdAt));
  const longest = Math.max(0, ...waits);
  return longest >= STUCK_AFTER_MS ? longest : undefined;
}

/**
 * True for a job that asks for `gpu-<run>-<attempt>`, perhaps with `-<name>`, of this attempt or of
 * one before it (a re-run may keep an old label, for which no machine comes), or for a misspelling
 * of that label. GitHub compares labels whatever their case.
 */
export function asksForOurs({ labels }: Pick<Job, "labels">, { runId, attempt }: Attempt): boolean {
  return labels.some((label) => {
    const [, run, asked] = /^gpu-(\d+)-([1-9]\d*)(?:-|$)/i.exec(label) ?? [];
    if (run !== undefined) return run === String(runId) && Number(asked) <= attempt;
    return !/^gpu-\d*-/i.test(label) && label.includes(String(runId)) && isMistyped(label, `gpu-${runId}-${attempt}`);
  });
}
