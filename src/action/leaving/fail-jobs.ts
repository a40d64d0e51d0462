import { join } from "node:path";
import type { RunnerDownload } from "../../github/runners/runner.ts";
import type { Job } from "../../github/runs/job.ts";
import { KnownError } from "../../known-error.ts";
import type { Log } from "../../log.ts";
import type { RunnersPort } from "../../machine/ports.ts";
import type { Clock } from "../../time/clock.ts";
import { poll } from "../../time/poll.ts";
import { type LoneUser, openLoneUser } from "./lone-user.ts";
import { fetchRunner, runnerFolder } from "./runner-program.ts";

/** The jobs that are to fail, and what that takes. */
export interface FailingJobs {
  /** Jobs that wait, ask for nothing but our label, and can have no machine. */
  jobs: readonly Pick<Job, "id" | "name">[];
  /** Shown at the head of each job's log. */
  reason: string;
  /** The names of runners begin with it; a number follows. */
  runnerNamePrefix: string;
  runners: Pick<RunnersPort, "mint" | "remove">;
  /** Where GitHub's runner program is. */
  download(signal: AbortSignal): Promise<RunnerDownload>;
  /** The jobs of this attempt; undefined when GitHub could not be asked. */
  listJobs(signal: AbortSignal): Promise<readonly Job[] | undefined>;
  clock: Clock;
  log: Log;
  /** The end of all of it, in ms since the epoch; and within two minutes, however late that is. */
  until: number;
  /** For tests: where the user comes from. */
  openUser?: typeof openLoneUser;
}

const WITHIN_MS = 120_000;
/** Of that, to stop what runs and to remove the user. */
const CLEAN_UP_MS = 25_000;
const LOOK_MS = 3000;
const LIST_MAY_LAG_MS = 10_000;

const VARIABLES = {
  // The runner then fails a job before it downloads an action or runs a step: a hook alone would
  // let `if: always()` steps run.
  ACTIONS_RUNNER_REQUIRE_JOB_CONTAINER: "true",
  DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1",
};
const SCRIPT =
  'cd "$HOME" && IFS= read -r ACTIONS_RUNNER_INPUT_JITCONFIG && export ACTIONS_RUNNER_INPUT_JITCONFIG && exec bin/Runner.Listener run </dev/null';

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
  const { clock, log, openUser = openLoneUser } = failing;
  const until = Math.min(failing.until, clock.now() + WITHIN_MS) - CLEAN_UP_MS;
  if (until <= clock.now()) return "There was no time left for it.";
  const signal = AbortSignal.timeout(until - clock.now());
  const runnerIds: number[] = [];
  try {
    await using user = await openUser((line) => log.warning(line));
    const folders = await prepareRunners(failing, user, signal);
    const { running, why } = await startRunners(failing, user, { folders, runnerIds, until, signal });
    // Whatever kept others from it: one that has a job is not ended under it.
    const said = await waitForEnd(failing, running, until);
    return why ?? said;
  } catch (error) {
    if (!(error instanceof KnownError || signal.aborted)) throw error;
    return error instanceof KnownError ? error.message : "The time for it was over.";
  } finally {
    await removeAll(failing, runnerIds);
  }
}

/** A folder with the runner program for each job. */
async function prepareRunners(failing: FailingJobs, user: LoneUser, signal: AbortSignal): Promise<string[]> {
  const program = await fetchRunner(await failing.download(signal), user.folder, signal);
  const folders = failing.jobs.map((_job, index) => join(user.folder, String(index + 1)));
  for (const folder of folders) await runnerFolder(program, folder, failing.reason);
  await user.handOver();
  return folders;
}

interface Starting {
  folders: readonly string[];
  /** Ids of the runners that were registered, as they are. */
  runnerIds: number[];
  until: number;
  signal: AbortSignal;
}

/** Starts a runner in each folder: what each said at its end, and why others did not start. */
async function startRunners(
  failing: FailingJobs,
  user: LoneUser,
  { folders, runnerIds, signal, until }: Starting,
): Promise<{ running: Promise<string>[]; why?: string }> {
  const { clock, runnerNamePrefix, runners } = failing;
  const running: Promise<string>[] = [];
  for (const [index, folder] of folders.entries()) {
    try {
      const { id, jitConfig } = await runners.mint(`${runnerNamePrefix}-${index + 1}`, signal);
      runnerIds.push(id);
      const seconds = Math.max(1, Math.ceil((until - clock.now()) / 1000));
      const variables = { ...VARIABLES, HOME: folder, ACTIONS_RUNNER_HOOK_JOB_STARTED: join(folder, "refuse.sh") };
      running.push(user.start({ script: SCRIPT, secret: jitConfig, variables, seconds }));
    } catch (error) {
      if (!(error instanceof KnownError)) throw error;
      return { running, why: error.message };
    }
  }
  return { running };
}

/**
 * Until each of the jobs is over; or for a while after the last runner has ended, as the list lags.
 * Then what a runner said.
 */
async function waitForEnd(
  { clock, jobs, listJobs }: FailingJobs,
  running: readonly Promise<string>[],
  until: number,
): Promise<string | undefined> {
  const ids = new Set(jobs.map(({ id }) => id));
  let end: { at: number; words: string[] } | undefined;
  void Promise.all(running).then((words) => {
    end = { at: clock.now(), words };
  });
  if (running.length === 0) return undefined;
  const look = async () => {
    const listed = await seenJobs(listJobs, until - clock.now());
    const isOver = listed?.filter(({ id }) => ids.has(id)).every(({ status }) => status === "completed");
    return isOver || (end !== undefined && clock.now() - end.at >= LIST_MAY_LAG_MS);
  };
  await poll(look, { clock, intervalMs: LOOK_MS, until });
  const words = end?.words.at(-1);
  return words ? `The last runner that was to refuse a job said: "${words}".` : undefined;
}

async function seenJobs(listJobs: FailingJobs["listJobs"], withinMs: number): Promise<readonly Job[] | undefined> {
  try {
    return await listJobs(AbortSignal.timeout(Math.max(1, withinMs)));
  } catch (error) {
    if (error instanceof KnownError || (error as Error).name === "TimeoutError") return undefined;
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
