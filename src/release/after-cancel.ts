import type { Job } from "../github/jobs.ts";
import { machineNoOf } from "../machine/record.ts";
import { poll } from "../shared/poll.ts";
import type { SessionRemains } from "./destroy-session.ts";
import { DESTROY_BY_HAND } from "./errors.ts";
import type { Ledger } from "./ledger.ts";
import { answeredInTime, type Session } from "./session.ts";

const LOOK_AFTER_CANCEL_MS = 3000;
/** An answer that takes longer does not count: it neither ends nor lengthens the wait. */
const ANSWER_WITHIN_MS = 5000;
/** How long after its start post leaves machines with a job, so that their runners can end it. */
const LEFT_FOR_JOBS_MS = 30_000;

type Watching = Pick<Session, "clock" | "jobs" | "log" | "runnerNamePrefix">;

/** Says what may be rented, and how to destroy it by hand, in case the platform ends this step. */
export function describeRented({ known, prefix }: SessionRemains): string {
  const ids = known.map(({ id }) => `instance ${id}`).join(", ");
  const what = known.length === 0 ? `Something may be rented under labels that begin with ${prefix}` : `Rented: ${ids}`;
  return `${what}. If this step is ended before it says that nothing is left: ${DESTROY_BY_HAND}`;
}

/** What is kept after a cancel: it may go when the time is over, or once GitHub lists no job of it as open. */
interface Kept {
  /** Its first runner has this name. */
  machine: string;
  /** Milliseconds since the epoch. */
  until: number;
  hadJob: boolean;
}

/** What says after a cancel which instances may go. */
export type Keeping = ReturnType<typeof keepAfterCancel>;

/**
 * Keeps machines for some seconds after a cancel, because a runner needs some ten to end its step and to store the
 * log. `start`: that of post. A machine on which main last saw a job waits until GitHub lists that job as over, 30 s
 * at most. Any other one may have got a job since, as main's notes are as old as main's last look or older: it waits
 * for the first list of jobs, 5 s at most.
 */
export function keepAfterCancel(session: Watching, reports: Ledger["reports"], start: number) {
  /** By instance. Undefined: main saw that it is gone. */
  const kept = new Map<number, Kept | undefined>();
  for (const [row, record] of reports) {
    const hadJob = record.jobs?.some(({ conclusion }) => conclusion === undefined) === true;
    const machine = `${session.runnerNamePrefix}-${machineNoOf(row)}`;
    const until = start + (hadJob ? LEFT_FOR_JOBS_MS : ANSWER_WITHIN_MS);
    kept.set(record.instanceId, record.isGone ? undefined : { machine, until, hadJob });
  }
  const unreported: Kept = { machine: session.runnerNamePrefix, until: start + ANSWER_WITHIN_MS, hadJob: false };
  const known = [...kept.values()].filter((each) => each !== undefined);
  let isWatched = false;
  const watchOnce = () => {
    if (!isWatched) void watch(session, [...known, unreported], start);
    isWatched = true;
  };
  if (known.length > 0) watchOnce();
  return {
    mayGo: (id: number) => {
      const its = kept.has(id) ? kept.get(id) : unreported;
      if (its === unreported) watchOnce();
      return session.clock.now() >= (its?.until ?? start);
    },
    /** Those that were kept because a job was on them. */
    leftForJobs: () => [...kept].flatMap(([id, its]) => (its?.hadJob ? [id] : [])),
  };
}

/** Lets machines go as GitHub lists their jobs. Throws nothing: whatever goes wrong here, their time is over in the end. */
async function watch({ clock, jobs, log }: Watching, kept: readonly Kept[], start: number): Promise<void> {
  const until = start + LEFT_FOR_JOBS_MS;
  const look = async () => {
    const listed = await answeredInTime((signal) => jobs.list(signal), Math.min(ANSWER_WITHIN_MS, until - clock.now()));
    for (const each of listed === undefined ? [] : kept) note(each, listed ?? [], { now: clock.now(), until });
    return kept.every((each) => clock.now() >= each.until);
  };
  try {
    await poll(look, { clock, intervalMs: LOOK_AFTER_CANCEL_MS, until });
  } catch (error) {
    log.warning(`Whether jobs are over could not be seen: ${error}. Their machines are destroyed now.`);
    for (const each of kept) each.until = start;
  }
}

/** Notes what a list of jobs says of one machine. That it lacks a job which main saw proves nothing. */
function note(kept: Kept, listed: readonly Job[], { now, until }: { now: number; until: number }): void {
  if (now >= kept.until) return;
  // The first runner has the machine's name, a further one a number after it.
  const own = listed.filter(({ runnerName }) => `${runnerName}-`.startsWith(`${kept.machine}-`));
  const isOpen = own.some(({ status }) => status !== "completed");
  kept.hadJob ||= isOpen;
  if (isOpen) kept.until = until;
  else if (own.length > 0 || !kept.hadJob) kept.until = now;
}
