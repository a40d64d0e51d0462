import { InstanceNotDestroyedError } from "../create/errors.ts";
import { reportSession } from "../report/report-session.ts";
import { systemClock } from "../shared/clock.ts";
import { destroySession, remainsOf, type SessionDestroyed } from "../teardown/destroy-session.ts";
import { leaveRun, seenJobs } from "../teardown/leave-run.ts";
import { type Ledger, readLedger } from "../teardown/ledger.ts";
import { removeRunners } from "../teardown/remove-runners.ts";
import { type ActionInputs, checkServiceInputs, readInputs } from "./inputs.ts";
import { savedState, stepPage } from "./platform.ts";
import { openSession, openSessionService, type ServiceRoom } from "./session.ts";

/** After a cancel all of post has 4 min 45 s. Destroying may take this much of it, in ms. */
const DESTROY_WITHIN_MS = 210_000;
/** And everything together this much. */
const END_WITHIN_MS = 250_000;

const NOTHING_WAS_RENTED: SessionDestroyed = { destroyed: [], undestroyed: [] };

/**
 * The story of post: destroy all of this session and see that it is gone; remove its runners;
 * report; see that no job is left waiting for a machine.
 */
export async function runPost(): Promise<void> {
  const start = systemClock.now();
  const until = start + END_WITHIN_MS;
  const ledger = readLedger(savedState());
  const given = readInputs();
  await using room = openSessionService(given, start + DESTROY_WITHIN_MS);
  const used = await destroy(room, given, ledger, start + DESTROY_WITHIN_MS);
  try {
    // Only now: a platform that tells too little must not keep post from destroying.
    const session = openSession(given, room, { id: ledger.sessionId, until });
    if (ledger.prefix !== undefined)
      await session.log.stage("Remove runner registrations", () => removeRunners(session, ledger, until));
    // While something may still bill, the run's end is not the first thing to see to.
    const mayLeave = used.undestroyed.length === 0 && session.inputs.knowsLabel;
    const leaving = { session, ledger, until };
    const jobs = mayLeave ? await seenJobs(leaving) : undefined;
    if (ledger.end?.kind !== "checked") {
      const { jobStatus } = session.inputs;
      await reportSession({ ...session, page: stepPage }, ledger, used, { jobs, jobStatus });
    }
    if (mayLeave) await leaveRun(leaving, { jobs, destroyedOne: used.destroyed.length > 0 });
  } finally {
    // Whatever else went wrong: that something may still bill is the one thing to say.
    if (used.undestroyed.length > 0) throwNotDestroyed(used.undestroyed);
  }
}

async function destroy(
  room: ServiceRoom,
  given: ActionInputs,
  ledger: Ledger,
  until: number,
): Promise<SessionDestroyed> {
  const remains = remainsOf(ledger);
  if (remains === undefined) return NOTHING_WAS_RENTED;
  checkServiceInputs(given, remains.prefix);
  return await room.log.stage("Destroy the machine", () => destroySession({ ...room, until }, remains));
}

function throwNotDestroyed(undestroyed: readonly string[]): never {
  const what = undestroyed.join(", ");
  const reason = "the service refused, or post ran out of time";
  throw new InstanceNotDestroyedError(what.charAt(0).toUpperCase() + what.slice(1), reason);
}
