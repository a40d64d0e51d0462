import { DESTROY_BY_HAND } from "../create/errors.ts";
import type { MachineRecord } from "../create/machine-record.ts";
import type { Job } from "../github/jobs.ts";
import { poll } from "../shared/poll.ts";
import { UserError } from "../shared/user-error.ts";
import type { Releases, SessionRemains } from "./destroy-session.ts";
import type { Ledger } from "./ledger.ts";
import type { Session } from "./session.ts";

const LOOK_EVERY_MS = 3000;
/** An answer that takes longer does not count: it neither ends nor lengthens the wait. */
const ANSWER_WITHIN_MS = 5000;

type Watching = Pick<Session, "clock" | "jobs" | "log" | "runnerNamePrefix">;

/** Prints what is rented and how to destroy it by hand, in case the platform ends this step. */
export function logRented({ log }: Pick<Session, "log">, { known, prefix }: SessionRemains): void {
  const ids = known.map(({ id }) => `instance ${id}`).join(", ");
  const what = known.length === 0 ? `Something may be rented under labels that begin with ${prefix}` : `Rented: ${ids}`;
  log.info(`${what}. If this step is ended before it says that nothing is left: ${DESTROY_BY_HAND}`);
}

/**
 * Keeps the machines on which main last saw a job until GitHub lists that job as over, or until
 * `until`: after a cancel a runner needs some ten seconds to end its step and to store the log.
 */
export function releasesAfterCancel(session: Watching, reports: Ledger["reports"], until: number): Releases {
  const kept = new Map<number, PromiseWithResolvers<void>>();
  const numbers = new Map<number, number>();
  for (const [n, record] of reports) {
    if (!hasOpenJob(record)) continue;
    kept.set(record.instanceId, Promise.withResolvers<void>());
    numbers.set(record.instanceId, n);
  }
  if (kept.size > 0) void releaseInTime(session, kept, numbers, until);
  return new Map([...kept].map(([id, { promise }]) => [id, promise]));
}

function hasOpenJob({ isGone, jobs = [] }: MachineRecord): boolean {
  return isGone !== true && jobs.some(({ conclusion }) => conclusion === undefined);
}

/** Releases the machines in time. Throws nothing: whatever goes wrong here, they are destroyed. */
async function releaseInTime(
  session: Watching,
  kept: ReadonlyMap<number, PromiseWithResolvers<void>>,
  numbers: ReadonlyMap<number, number>,
  until: number,
): Promise<void> {
  const { clock, log, runnerNamePrefix } = session;
  const open = new Map(numbers);
  const look = async () => {
    const listed = (await listedInTime(session, until - clock.now())) ?? [];
    for (const [id, n] of open) {
      const jobs = listed.filter(({ runnerName }) => isOfMachine(runnerName, `${runnerNamePrefix}-${n}`));
      if (jobs.length === 0 || jobs.some(({ status }) => status !== "completed")) continue;
      open.delete(id);
      kept.get(id)?.resolve();
    }
    return open.size === 0;
  };
  try {
    await poll(look, { clock, intervalMs: LOOK_EVERY_MS, until });
  } catch (error) {
    log.warning(`Whether jobs are over could not be seen: ${error}. Their machines are destroyed now.`);
  } finally {
    for (const { resolve } of kept.values()) resolve();
  }
}

async function listedInTime({ jobs }: Watching, leftMs: number): Promise<readonly Job[] | undefined> {
  const signal = AbortSignal.timeout(Math.max(1, Math.min(ANSWER_WITHIN_MS, leftMs)));
  try {
    return await jobs.list(signal);
  } catch (error) {
    if (error instanceof UserError || signal.aborted) return undefined;
    throw error;
  }
}

/** True for a runner of this machine: the first runner has the machine's name, a further one a number after it. */
function isOfMachine(runnerName: string | undefined, machine: string): boolean {
  return runnerName === machine || runnerName?.startsWith(`${machine}-`) === true;
}
