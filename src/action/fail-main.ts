import { isPastDeadline } from "../fleet/lifecycle/reasons.ts";
import { recordsOfMachine, rowOf } from "../fleet/recording/records.ts";
import { reduce } from "../fleet/reduce.ts";
import { type Machine, machineFacts, type Slot } from "../fleet/stage.ts";
import type { FleetState } from "../fleet/state.ts";
import type { GpuJobs } from "../github/jobs.ts";
import type { LedgerPort } from "../machine/create.ts";
import { DESTROY_WITHIN_MS } from "../release/destroy.ts";
import { destroySession, doomedOf, recordedEnd } from "../release/destroy-session.ts";
import type { MainEnd } from "../release/ledger.ts";
import type { Session } from "../release/session.ts";
import { hasJobs } from "../runs/decide-end.ts";
import { type GivenBack, waitForOthers } from "../runs/own-run.ts";
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
  if (signal.aborted || !hasJobs({ session, end })) return "leave";
  try {
    return await waitForOthers(session, signal, (jobs) => giveBack(failed, jobs), end);
  } catch (fault) {
    // Main's failure is already reported. Post reports why nothing more could be done about the waiting job.
    if (!signal.aborted && !(fault instanceof UserError)) throw fault;
    return "leave";
  }
}

/** Gives back all machines, but those on which a job runs, or may run for all that is known, until their time is over. */
async function giveBack(failed: FailedMain, jobs: GpuJobs | undefined): Promise<GivenBack> {
  const { rented, session } = failed;
  if (rented === undefined || rented.isDestroyed) return "all";
  const { fleet } = rented;
  const { machines } = fleet;
  const alive = machines.filter((machine) => machineFacts(machine).isAlive);
  if (alive.length === 0 && !machines.some((machine) => machineFacts(machine).mayTurnUp)) return "all";
  const now = session.clock.now();
  const overdue = alive.filter((machine) => isPastDeadline({ fleet, machine, now }));
  if (jobs === undefined && overdue.length === 0) return "some";
  const kept = await busyOf(failed, { fleet, jobs, machines: alive.filter((machine) => !overdue.includes(machine)) });
  // While nobody knows of jobs, one that turned up late may have one, too.
  const mayGo = (id: number) => (jobs === undefined ? hasInstance(overdue, id) : !hasInstance(kept, id));
  rented.isDestroyed = await destroyOthers(failed, rented, { isAll: kept.length === 0, mayGo });
  if (rented.isDestroyed) return "all";
  return kept.length > 0 ? "some" : "refused";
}

function hasInstance(machines: readonly Machine[], wanted: number): boolean {
  return machines.some(({ instances }) => instances.some(({ id }) => id === wanted));
}

/** Returns those on which a job runs, or may run. */
async function busyOf(
  failed: FailedMain,
  { fleet, jobs, machines }: { fleet: FleetState; jobs: GpuJobs | undefined; machines: readonly Machine[] },
): Promise<Machine[]> {
  const busy: Machine[] = [];
  for (const machine of machines)
    if (jobs === undefined || (await mayBeBusy(failed, { fleet, jobs, machine }))) busy.push(machine);
  return busy;
}

/** True if a job runs on the machine, or GitHub does not say that none does. A slot whose job is over keeps nothing. */
async function mayBeBusy(
  { session, signal }: FailedMain,
  { fleet, jobs, machine }: { fleet: FleetState; jobs: GpuJobs; machine: Machine },
): Promise<boolean> {
  const { clock, registrations } = session;
  const { drainAgainAt = 0, machineNo, slots } = machine;
  const jobOf = ({ runnerName }: Slot) => jobs.ours.find((job) => job.runnerName === runnerName);
  if (slots.some((slot) => jobOf(slot)?.state === "running")) return true;
  // No list showed a job of a runner that is stuck, for minutes.
  const isSpent = ({ isStuck, job, spentAt }: Slot) => job?.isOver ?? (isStuck || spentAt !== undefined);
  for (const { runnerId: id } of slots.filter((slot) => jobOf(slot)?.state !== "over" && !isSpent(slot))) {
    if (clock.now() < drainAgainAt) return true;
    const answer = await registrations.remove(id, signal);
    const said = answer === "removed" ? { removed: [id] } : { removed: [], kept: { id, answer } };
    const at = clock.now();
    reduce(fleet, { kind: "RunnerRemoved", machineNo, askedAt: at, at, ...said });
    if (answer !== "removed") return true;
  }
  return false;
}

/** Destroys the machines that may go. Returns true when nothing of this session is rented any more. */
async function destroyOthers(
  { ledger, session, signal }: FailedMain,
  { fleet, prefix }: LeftRented,
  { isAll, mayGo }: { isAll: boolean; mayGo: (id: number) => boolean },
): Promise<boolean> {
  const { clock, log, service } = session;
  const rows = fleet.machines
    .filter((machine) => machineFacts(machine).isAlive)
    .flatMap((machine) => recordsOfMachine(machine).map((record, index) => ({ machine, index, record })));
  const known = rows.flatMap(({ record }) => (record.isGone ? [] : [doomedOf(record.instanceId, record)]));
  // A create that gave no answer may still come true: nobody says "nothing" before.
  const isOpen = fleet.machines.some((machine) => machine.answer === undefined || machineFacts(machine).isUncertain);
  // While a machine is kept, the next look goes on with the others.
  const until = clock.now() + (isAll ? DESTROY_WITHIN_MS.main : 0);
  const used = await log.stage("Destroy the machines", () =>
    destroySession({ clock, log, service, until, signal }, { prefix, known, isUncertain: isOpen }, mayGo),
  );
  signal.throwIfAborted();
  for (const { index, machine, record } of rows) {
    const { machineNo } = machine;
    const { instanceId: id } = record;
    const at = used.goneAt.get(id);
    if (at === undefined) continue;
    const ended = recordedEnd(record, used, "destroyed when the step failed");
    ledger.report(rowOf(machine, index), { ...ended, isGone: true });
    const how = used.destroyed.includes(id) ? "destroyed" : "was-gone";
    reduce(fleet, { kind: "DestroyAnswered", machineNo, id, how, askedAt: at, at });
  }
  return used.undestroyed.length === 0;
}
