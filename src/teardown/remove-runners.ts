import type { ListedRunner } from "../github/runners.ts";
import { withRetry } from "../shared/retry.ts";
import { UserError } from "../shared/user-error.ts";
import type { Ledger } from "./ledger.ts";
import type { Session } from "./session.ts";

type Removing = Pick<Session, "clock" | "log" | "runnerNamePrefix" | "runners">;

/** After so many faults GitHub counts as away: each takes time that post needs elsewhere. */
const MOST_FAULTS = 2;

/**
 * Removes every runner registration of a session: those that main wrote down, and those that its
 * names tell, as main may have been cut off before it wrote. Registrations cost nothing, so a fault
 * is only a warning. `until`: the end of post, in milliseconds since the epoch.
 */
export async function removeRunners(session: Removing, ledger: Ledger, until: number): Promise<void> {
  const { clock, log, runnerNamePrefix, runners } = session;
  let known = new Set([...ledger.runners.values()].flat());
  const faults: UserError[] = [];
  await noting(faults, async () => {
    const isOurs = ({ name }: ListedRunner) => name.startsWith(`${runnerNamePrefix}-`);
    const listed = await withRetry(() => runners.find(isOurs), { clock, until });
    // One of a machine that may be there may be too fresh for the list.
    known = new Set([...runnersLeft(ledger), ...listed.map(({ id }) => id)]);
  });
  for (const id of known) if (faults.length < MOST_FAULTS) await noting(faults, () => removeOne(session, id));
  const [first] = faults;
  if (first === undefined) return;
  log.warning(`A runner registration may be left over; GitHub drops it within a day. ${first.message}`);
}

/** Lists the runners of machines that are not known to be gone: of a large matrix hundreds are gone. */
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

async function removeOne({ runners, log }: Removing, id: number): Promise<void> {
  const answer = await runners.remove(id);
  log.info(
    answer === "removed"
      ? `Runner ${id} is not registered any more.`
      : `Runner ${id} still counts as busy; GitHub drops it by itself.`,
  );
}
