import type { Clients } from "../action/clients.ts";
import type { Ledger } from "../action/ledger.ts";
import type { RunContext } from "../action/run-context.ts";
import { insist } from "../github/insist.ts";
import type { ListedRunner } from "../github/runners.ts";
import { UserError } from "../shared/user-error.ts";

/** The rooms and facts for removing them. */
interface RemovingRunners {
  rooms: Pick<Clients, "clock" | "runners" | "log">;
  run: RunContext;
  ledger: Ledger;
  /** Until when all of post must be over, in milliseconds since the epoch. */
  until: number;
}

/** After so many GitHub is away: each takes its time, and post has other things to do. */
const MOST_FAULTS = 2;

/**
 * Removes every runner registration of this use: those that were written down, and one that was
 * minted and not written down any more, which its name tells. Nothing bills for a registration, so
 * a fault here is only told, and the others are removed all the same.
 */
export async function removeRunners({ rooms, run, ledger, until }: RemovingRunners, prefix: string): Promise<void> {
  const use = prefix.slice(prefix.lastIndexOf(".") + 1);
  let known = new Set([...ledger.runners.values()].flat());
  const faults: UserError[] = [];
  await noting(faults, async () => {
    const isOurs = ({ name }: ListedRunner) => name.startsWith(`${run.runnerLabel}-${use}-`);
    const listed = await insist(() => rooms.runners.find(isOurs), rooms.clock, { until });
    // One of a machine that may be there may be too fresh for the list.
    known = new Set([...runnersLeft(ledger), ...listed.map(({ id }) => id)]);
  });
  for (const id of known) if (faults.length < MOST_FAULTS) await noting(faults, () => removeOne(rooms, id));
  const [first] = faults;
  if (first === undefined) return;
  rooms.log.warning(`A runner registration may be left over; GitHub drops it within a day. ${first.message}`);
}

/** Those of machines that are not known to be gone: of a large matrix hundreds are. */
function runnersLeft({ created, reports, runners }: Ledger): number[] {
  return [...runners].flatMap(([n, ids]) => (created.get(n) === "none" || reports.get(n)?.isGone ? [] : ids));
}

async function noting(faults: UserError[], ask: () => Promise<void>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    faults.push(error);
  }
}

async function removeOne({ runners, log }: Pick<Clients, "runners" | "log">, id: number): Promise<void> {
  const answer = await runners.remove(id);
  log.info(
    answer === "removed"
      ? `Runner ${id} is not registered any more.`
      : `Runner ${id} still counts as busy; GitHub drops it by itself.`,
  );
}
