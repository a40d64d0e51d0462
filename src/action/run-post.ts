import { InstanceNotDestroyedError } from "../create/errors.ts";
import { reportUse } from "../report/report-use.ts";
import { systemClock } from "../shared/clock.ts";
import { destroyUse, type UseDestroyed } from "../teardown/destroy-use.ts";
import { leaveRun, seenJobs } from "../teardown/leave-run.ts";
import { removeRunners } from "../teardown/remove-runners.ts";
import { remainsOf } from "../teardown/use-remains.ts";
import { actionsLog } from "./actions-log.ts";
import { openGithub, openService } from "./clients.ts";
import { readPostInputs, readRunInputs } from "./inputs.ts";
import { type Ledger, readLedger } from "./ledger.ts";
import { readRunContext } from "./run-context.ts";

/** After a cancel all of post has 4 min 45 s. Destroying may take this much of it, in ms. */
const DESTROY_WITHIN_MS = 210_000;
/** And everything together this much. */
const END_WITHIN_MS = 250_000;

const NOTHING_WAS_RENTED: UseDestroyed = { destroyed: [], undestroyed: [] };

/**
 * The story of post: destroy all of this use and see that it is gone; remove its runners; report;
 * see that no job is left waiting for a machine.
 */
export async function runPost(): Promise<void> {
  const start = systemClock.now();
  const until = start + END_WITHIN_MS;
  const ledger = readLedger();
  const used = await giveBack(ledger, start + DESTROY_WITHIN_MS);
  try {
    const inputs = readRunInputs();
    const run = readRunContext(inputs.name);
    const rooms = { log: actionsLog, clock: systemClock, ...openGithub(inputs, run, until) };
    const leaving = { rooms, run, ledger, inputs, until };
    const { prefix } = ledger;
    if (prefix !== undefined)
      await rooms.log.stage("Remove runner registrations", () => removeRunners(leaving, prefix));
    // While something may still bill, the run's end is not the first thing to see to.
    const mayLeave = used.undestroyed.length === 0 && inputs.knowsLabel;
    const jobs = mayLeave ? await seenJobs(leaving) : undefined;
    if (ledger.end?.kind !== "checked") await reportUse(rooms, ledger, used, { jobs, jobStatus: inputs["job-status"] });
    if (mayLeave) await leaveRun(leaving, { jobs, destroyedOne: used.destroyed.length > 0 });
  } finally {
    // Whatever else went wrong: that something may still bill is the one thing to say.
    if (used.undestroyed.length > 0) throwNotDestroyed(used.undestroyed);
  }
}

async function giveBack(ledger: Ledger, until: number): Promise<UseDestroyed> {
  const remains = remainsOf(ledger);
  if (remains === undefined) return NOTHING_WAS_RENTED;
  await using room = openService(readPostInputs(remains.prefix), until);
  return await room.log.stage("Destroy the machine", () => destroyUse({ ...room, until }, remains));
}

function throwNotDestroyed(undestroyed: readonly string[]): never {
  const what = undestroyed.join(", ");
  const reason = "the service refused, or post ran out of time";
  throw new InstanceNotDestroyedError(what.charAt(0).toUpperCase() + what.slice(1), reason);
}
