import { recordsOfMachine, rowOf } from "../fleet/recording/records.ts";
import { isAlive, isUncertain, type Machine, mayTurnUp } from "../fleet/stage.ts";
import type { FleetState } from "../fleet/state.ts";
import type { GpuJobs } from "../github/jobs.ts";
import type { LedgerPort } from "../machine/create.ts";
import { DESTROY_WITHIN_MS } from "../release/destroy.ts";
import { destroySession, doomedOf, recordedEnd } from "../release/destroy-session.ts";
import type { MainEnd } from "../release/ledger.ts";
import type { Session } from "../release/session.ts";
import { hasJobs, waitForOthers } from "../runs/own-run.ts";
import { UserError } from "../shared/user-error.ts";

/** What main has rented, as far as it came. */
export interface LeftRented {
  /** The beginning of the label of every instance. */
  prefix: string;
  fleet: FleetState;
  /** True once all of it is destroyed. */
  isDestroyed: boolean;
}

/** A session whose main has failed. `rented` is undefined where nothing can have been rented yet. */
interface FailedMain {
  session: Session;
  rented: LeftRented | undefined;
  ledger: Pick<LedgerPort, "report">;
  signal: AbortSignal;
}

/**
 * Destroys what a failed main left rented. Then, if a GPU job is left waiting, waits for the other
 * jobs of the run, so that post may cancel the run; returns `leave` if post must not. A cancelled
 * step ends at once.
 */
export async function settleFailure(end: MainEnd, failed: FailedMain): Promise<"cancel" | "leave"> {
  const { session, signal } = failed;
  if (signal.aborted || !hasJobs(session.inputs, end)) return "leave";
  try {
    return await waitForOthers(session, signal, (jobs) => destroyUnlessBusy(failed, jobs), end);
  } catch (fault) {
    // Main's failure is already reported. Post reports why nothing more could be done about the waiting job.
    if (!signal.aborted && !(fault instanceof UserError)) throw fault;
    return "leave";
  }
}

/**
 * Destroys what is rented, except machines with a busy runner. Returns true when nothing of this
 * session is rented any more.
 */
async function destroyUnlessBusy(failed: FailedMain, jobs: GpuJobs | undefined): Promise<boolean> {
  const { rented } = failed;
  if (rented === undefined || rented.isDestroyed) return true;
  const alive = rented.fleet.machines.filter(isAlive);
  if (alive.length === 0 && !rented.fleet.machines.some(mayTurnUp)) return true;
  // A job may run on one of them.
  if (jobs === undefined || (await isAnyBusy(failed, alive))) return false;
  rented.isDestroyed = await destroyAll(failed, rented, alive);
  return rented.isDestroyed;
}

async function isAnyBusy({ session, signal }: FailedMain, machines: readonly Machine[]): Promise<boolean> {
  for (const { runnerId } of machines.flatMap(({ slots }) => slots))
    if ((await session.registrations.remove(runnerId, signal)) === "busy") return true;
  return false;
}

async function destroyAll(
  { ledger, session, signal }: FailedMain,
  { fleet, prefix }: LeftRented,
  alive: readonly Machine[],
): Promise<boolean> {
  const { clock, log, service } = session;
  const records = alive.flatMap((machine) =>
    recordsOfMachine(machine).map((record, index) => ({ row: rowOf(machine, index), record })),
  );
  const known = records.flatMap(({ record }) => (record.isGone ? [] : [doomedOf(record.instanceId, record)]));
  const destroying = { clock, log, service, until: clock.now() + DESTROY_WITHIN_MS.main, signal };
  // A create that gave no answer may still come true: nobody says "nothing" before.
  const isOpen = fleet.machines.some((machine) => machine.answer === undefined || isUncertain(machine));
  const used = await log.stage("Destroy the machines", () =>
    destroySession(destroying, { prefix, known, isUncertain: isOpen }),
  );
  signal.throwIfAborted();
  for (const { row, record } of records) {
    if (!used.goneAt.has(record.instanceId)) continue;
    const ended = recordedEnd(record, used, "destroyed when the step failed");
    ledger.report(row, { ...ended, isGone: true });
  }
  return used.undestroyed.length === 0;
}
