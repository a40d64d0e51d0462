import type { MachineRecord } from "../machine/record.ts";
import { machineNoOf } from "../machine/record.ts";
import { poll } from "../shared/poll.ts";
import type { Releases, SessionRemains } from "./destroy-session.ts";
import { DESTROY_BY_HAND } from "./errors.ts";
import type { Ledger } from "./ledger.ts";
import { answeredInTime, type Session } from "./session.ts";

const LOOK_AFTER_CANCEL_MS = 3000;
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
  const kept = [...reports].flatMap(([row, record]): Kept[] =>
    hasOpenJob(record)
      ? [
          {
            instanceId: record.instanceId,
            machine: `${session.runnerNamePrefix}-${machineNoOf(row)}`,
            ...Promise.withResolvers<void>(),
          },
        ]
      : [],
  );
  if (kept.length > 0) void releaseInTime(session, kept, until);
  return new Map(kept.map(({ instanceId, promise }) => [instanceId, promise]));
}

/** A machine that is kept until its promise resolves. Its first runner has the name `machine`. */
interface Kept extends PromiseWithResolvers<void> {
  instanceId: number;
  machine: string;
}

function hasOpenJob({ isGone, jobs = [] }: MachineRecord): boolean {
  return isGone !== true && jobs.some(({ conclusion }) => conclusion === undefined);
}

/** Releases the machines in time. Throws nothing: whatever goes wrong here, they are destroyed. */
async function releaseInTime({ clock, jobs, log }: Watching, kept: readonly Kept[], until: number): Promise<void> {
  let open = kept;
  const look = async () => {
    const withinMs = Math.min(ANSWER_WITHIN_MS, until - clock.now());
    const listed = (await answeredInTime((signal) => jobs.list(signal), withinMs)) ?? [];
    const isOver = ({ machine }: Kept) => {
      const own = listed.filter(({ runnerName }) => isRunnerOf(runnerName, machine));
      return own.length > 0 && own.every(({ status }) => status === "completed");
    };
    for (const { resolve } of open.filter(isOver)) resolve();
    open = open.filter((each) => !isOver(each));
    return open.length === 0;
  };
  try {
    await poll(look, { clock, intervalMs: LOOK_AFTER_CANCEL_MS, until });
  } catch (error) {
    log.warning(`Whether jobs are over could not be seen: ${error}. Their machines are destroyed now.`);
  } finally {
    for (const { resolve } of kept) resolve();
  }
}

/** True for a runner of this machine: the first runner has the machine's name, a further one a number after it. */
function isRunnerOf(runnerName: string | undefined, machine: string): boolean {
  return runnerName === machine || runnerName?.startsWith(`${machine}-`) === true;
}
