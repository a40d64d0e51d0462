import { join } from "node:path";
import { type GpuJobs, type Job, waitsForUs } from "../github/jobs.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { poll } from "../shared/poll.ts";
import { UserError } from "../shared/user-error.ts";
import type { Ledger, MainEnd } from "./ledger.ts";
import { addRefusal, fetchRunner, openSandboxUser, PROGRAM, REFUSAL, type SandboxUser } from "./sandbox-user.ts";
import { answeredInTime, type Session } from "./session.ts";

type FailingSession = Pick<Session, "clock" | "jobs" | "log" | "run" | "runnerNamePrefix" | "runners"> & {
  registrations: Pick<Session["registrations"], "registerRunner" | "remove">;
};

/** What failing jobs needs of a session at its end. */
interface FailWaiting {
  session: FailingSession & Pick<Session, "inputs">;
  ledger: Pick<Ledger, "end">;
  /** In milliseconds since the epoch. */
  until: number;
}

/**
 * Fails, for `if-no-machine: fail-jobs`, the jobs of ours that wait, after main has said why no machine
 * comes for them. Nothing may be rented any more. Returns true if jobs may have changed by it.
 */
export async function failWaiting(
  { ledger: { end }, session, until }: FailWaiting,
  seen: GpuJobs,
  fail = failJobs,
): Promise<boolean> {
  // Without a word of main nothing says that no machine comes; a cancel ends the jobs by itself.
  if (session.inputs.ifNoMachine !== "fail-jobs" || end?.kind !== "failed") return false;
  const jobs = seen.ours.filter(waitsForUs);
  if (jobs.length === 0) return false;
  const red = await fail({ session, jobs, reason: reasonOf(session.run.jobName, end), until });
  const names = jobs.filter(({ id }) => red.includes(id)).map(({ name }) => `'${oneLine(name, 100)}'`);
  if (names.length > 0) session.log.info(`Failed, because there is no machine for them: ${names.join(", ")}.`);
  return true;
}

function reasonOf(jobName: string, { message, hint }: Extract<MainEnd, { kind: "failed" }>): string {
  const toDo = hint === undefined ? "" : `\nWhat to do: ${hint}`;
  return `There is no machine for this job. The job '${oneLine(jobName, 100)}' should have rented one. ${message}${toDo}`;
}

/** The jobs that are to fail, and what that takes. */
export interface FailingJobs {
  session: FailingSession;
  /** Jobs that wait, ask for nothing but our label, and can have no machine. */
  jobs: readonly Pick<Job, "id" | "name">[];
  /** Shown at the head of each job's log. */
  reason: string;
  /** When all must be over, in milliseconds since the epoch; at most two minutes are used. */
  until: number;
  /** For tests: where the user comes from. */
  openUser?: typeof openSandboxUser;
}

const WITHIN_MS = 120_000;
/** The part of it for stopping what runs and removing the user. */
const CLEAN_UP_MS = 25_000;
const LOOK_MS = 3000;
const LIST_MAY_LAG_MS = 10_000;

/**
 * Fails jobs that can have no machine. Each gets a single-use runner on this hosted machine, as a
 * user that may do nothing, which refuses every job. The other jobs of the run go on. Nothing may be
 * rented any more when this begins. Returns the ids of those that are red now; a warning says why
 * others are not. Throws only what is a bug. SPEC-SILENT: whether a job has a `container:`, GitHub's
 * list does not say. One that has is not refused by the variable; without Docker it fails as well.
 */
export async function failJobs(failing: FailingJobs): Promise<number[]> {
  const { jobs, session } = failing;
  if (jobs.length === 0) return [];
  const why = await session.log.stage("Fail the jobs that can have no machine", () => tryToFail(failing));
  const red = await redJobs(failing);
  const left = `${jobs.length - red.length} of ${jobs.length} jobs could not be failed as if-no-machine: fail-jobs wants it.`;
  if (red.length < jobs.length) session.log.warning(`${left} ${why ?? "GitHub gave them to no runner in time."}`);
  return red;
}

/** Tries to fail the jobs. Returns what went wrong, in words; undefined: nothing, as far as could be seen. */
async function tryToFail(failing: FailingJobs): Promise<string | undefined> {
  const { jobs, openUser = openSandboxUser, session } = failing;
  const { clock, log } = session;
  const until = Math.min(failing.until, clock.now() + WITHIN_MS) - CLEAN_UP_MS;
  if (until <= clock.now()) return "There was no time left for it.";
  const time = AbortSignal.timeout(until - clock.now());
  const stop = new AbortController();
  const signal = AbortSignal.any([time, stop.signal]);
  const turns: Turns = { begun: 0, runnerIds: [] };
  try {
    await using user = await openUser((line) => log.warning(line));
    await prepareProgram(failing, user, signal);
    // A runner that has a job is not ended under it, whatever kept the others from theirs.
    const end = waitForEnd({ ...failing, until }, turns, stop.signal).finally(() => stop.abort());
    const [isOver] = await Promise.all([end, rejectInTurn({ ...failing, user, until, signal }, turns)]);
    return lackOf(turns, isOver ? turns.begun : jobs.length);
  } catch (error) {
    if (!(error instanceof UserError || time.aborted)) throw error;
    return error instanceof UserError ? error.message : "The time for it was over.";
  } finally {
    stop.abort();
    await removeAll(session, turns.runnerIds);
  }
}

/** Puts the runner program into the user's folder and gives the folder to the user. */
async function prepareProgram({ reason, session }: FailingJobs, user: SandboxUser, signal: AbortSignal): Promise<void> {
  const program = await fetchRunner(await session.runners.download(signal), user.folder, signal);
  await addRefusal(program, reason);
  await user.handOver(signal);
}

/**
 * Waits until each of the jobs is over, or for a while after the last runner has ended, as the list
 * lags. Returns false if the time ran out.
 */
async function waitForEnd(failing: FailingJobs, turns: Turns, signal: AbortSignal): Promise<boolean> {
  const { session, until } = failing;
  const { clock } = session;
  const look = async () => {
    const isOver = (await listedJobs(failing))?.every(({ status }) => status === "completed");
    const lagMs = turns.runnerIds.length === 0 ? 0 : LIST_MAY_LAG_MS;
    return isOver || (turns.endedAt !== undefined && clock.now() - turns.endedAt >= lagMs);
  };
  return (await poll(look, { clock, intervalMs: LOOK_MS, until, signal })) ?? false;
}

/** Says why jobs are left although there should have been time for all. */
function lackOf({ begun, said, why }: Turns, count: number): string | undefined {
  if (why !== undefined) return why;
  if (begun < count) return `There was time for the runners of ${begun} of them.`;
  return said ? `The last runner that was to refuse a job said: "${said}".` : undefined;
}

/** Lists the jobs as they are now; undefined if GitHub can't be asked in time. */
async function listedJobs({ jobs, session, until }: FailingJobs): Promise<Job[] | undefined> {
  const ids = new Set(jobs.map(({ id }) => id));
  const withinMs = until - session.clock.now();
  const listed = await answeredInTime((signal) => session.jobs.listOrUndefined(signal), withinMs);
  return listed?.filter(({ id }) => ids.has(id));
}

/** Lists the jobs that failed on a runner of ours. */
async function redJobs(failing: FailingJobs): Promise<number[]> {
  const isRed = ({ conclusion, runnerName }: Job) =>
    conclusion === "failure" && runnerName?.startsWith(`${namePrefix(failing)}-`);
  return ((await listedJobs(failing)) ?? []).filter(isRed).map(({ id }) => id);
}

/** Returns how the names of these runners begin. No machine's runner is named so: a number follows in its name. */
function namePrefix({ session }: FailingJobs): string {
  return `${session.runnerNamePrefix}-none`;
}

/** Removes registrations, best effort: one without its runner does no harm, and GitHub drops it within a day. */
async function removeAll({ log, registrations }: FailingSession, runnerIds: readonly number[]): Promise<void> {
  for (const id of runnerIds) {
    const answer = await registrations.remove(id);
    if (answer !== "removed") log.info(`Runner ${id} may still be registered (${answer}); GitHub drops it by itself.`);
  }
}

/** Runners that are to refuse one job each. */
interface Rejecting extends FailingJobs {
  /** With the runner program in its folder. */
  user: SandboxUser;
  /** When those that still run are ended, in ms since the epoch. */
  until: number;
  /** No runner begins after this signal. */
  signal: AbortSignal;
}

/** How far the runners have come. */
interface Turns {
  /** How many have begun. */
  begun: number;
  /** The ids of the runners that were registered, in order. */
  readonly runnerIds: number[];
  /** Why the others have none. */
  why?: string;
  /** The last words of the runner that ended last. */
  said?: string;
  /** When the last runner ended, in milliseconds since the epoch; undefined while one runs or is to come. */
  endedAt?: number;
}

/**
 * A runner is two .NET programs, and a hosted machine may have two cores: the runners of a large
 * matrix, all at once, would leave it no memory. GitHub takes eighty such requests a minute, too.
 */
const AT_A_TIME = 4;

const VARIABLES = {
  // The runner then fails a job before it downloads an action or runs a step: a hook alone would
  // let `if: always()` steps run.
  ACTIONS_RUNNER_REQUIRE_JOB_CONTAINER: "true",
  DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1",
};
/** Gives each runner a folder of its own, made of links: that takes no room and no time. */
const SCRIPT = [
  `rm --recursive --force "$HOME" && mkdir "$HOME" && cd "$HOME" && cp --archive --link ../${PROGRAM}/. .`,
  "IFS= read -r ACTIONS_RUNNER_INPUT_JITCONFIG && export ACTIONS_RUNNER_INPUT_JITCONFIG",
  "exec bin/Runner.Listener run </dev/null",
].join(" && ");

/**
 * Runs the runners, a few at a time, and writes down how far they are. Ends when all are over, or
 * the signal comes; after one that could not be registered no other begins.
 */
async function rejectInTurn(rejecting: Rejecting, turns: Turns): Promise<void> {
  const { jobs, session, signal } = rejecting;
  const stopped = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const folders = Array.from({ length: Math.min(AT_A_TIME, jobs.length) }, (_, index) => `runner-${index + 1}`);
  await Promise.all(folders.map((folder) => oneAfterAnother(rejecting, turns, { folder, stopped })));
  turns.endedAt = session.clock.now();
}

interface Place {
  /** The folder that one runner after another uses. */
  folder: string;
  /** Resolves with the signal. */
  stopped: Promise<undefined>;
}

async function oneAfterAnother(rejecting: Rejecting, turns: Turns, place: Place): Promise<void> {
  const { jobs, signal } = rejecting;
  while (!signal.aborted && turns.why === undefined && turns.begun < jobs.length) {
    try {
      await takeTurn(rejecting, turns, place);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof UserError)) throw error;
      turns.why ??= error.message;
    }
  }
}

/** Registers the next runner, runs it, and notes its last words. */
async function takeTurn(rejecting: Rejecting, turns: Turns, { folder, stopped }: Place): Promise<void> {
  const { session, signal, until, user } = rejecting;
  turns.begun += 1;
  const name = `${namePrefix(rejecting)}-${turns.begun}`;
  const { id, jitConfig: secret } = await session.registrations.registerRunner(name, signal);
  turns.runnerIds.push(id);
  signal.throwIfAborted();
  const home = join(user.folder, folder);
  const variables = { ...VARIABLES, HOME: home, ACTIONS_RUNNER_HOOK_JOB_STARTED: join(home, REFUSAL) };
  const seconds = Math.max(1, Math.ceil((until - session.clock.now()) / 1000));
  const said = await Promise.race([user.start({ script: SCRIPT, secret, variables, seconds }), stopped]);
  if (said !== undefined) turns.said = said;
}
