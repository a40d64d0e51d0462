import { recordsOfMachine, rowOf } from "../fleet/records.ts";
import { isAlive, isUncertain, type Machine, mayTurnUp } from "../fleet/stage.ts";
import type { FleetState } from "../fleet/state.ts";
import { type GpuJobs, jobNames, sortJobs } from "../github/jobs.ts";
import type { LedgerPort } from "../machine/create.ts";
import { destroySession, doomedOf, recordedEnd } from "../release/destroy-session.ts";
import type { MainEnd } from "../release/ledger.ts";
import type { IfNoMachine } from "../release/session.ts";
import { answeredInTime, matcherOf, type Session } from "../release/session.ts";
import type { Clock } from "../shared/clock.ts";
import { formatDuration } from "../shared/duration.ts";
import { poll } from "../shared/poll.ts";
import { UserError } from "../shared/user-error.ts";
import {
  CONFIRMED_AFTER_MS,
  countedJobs,
  decideLeaving,
  hasJobs,
  inState,
  OTHERS_MAY_TAKE_MS,
  openBeside,
} from "./leave-run.ts";

/** How long main may take to destroy what a failure left rented; what is left then is post's. */
const DESTROY_WITHIN_MS = 90_000;
const LOOK_EVERY_MS = 15_000;
/** How long the error of a main that fails waits for the list of jobs. */
const SEEN_WITHIN_MS = 5000;

/** What main has rented, as far as it came. */
export interface Rented {
  /** The beginning of the label of every instance. */
  prefix: string;
  fleet: FleetState;
  /** True once all of it is destroyed. */
  isDestroyed: boolean;
}

/** A session whose main has failed. `rented` is undefined where nothing can have been rented yet. */
interface FailedMain {
  session: Session;
  rented: Rented | undefined;
  ledger: Pick<LedgerPort, "report">;
  signal: AbortSignal;
}

/**
 * Looks once at the jobs of a main that fails. Returns those that wait and will have no machine; none if
 * they can't be seen soon, or if one of ours runs.
 */
export async function jobsMissed(
  { inputs, jobs, run, runnerNamePrefix }: Pick<Session, "inputs" | "jobs" | "run" | "runnerNamePrefix">,
  end: MainEnd,
): Promise<GpuJobs["ours"]> {
  if (!hasJobs(inputs, end)) return [];
  const listed = await answeredInTime((signal) => jobs.list(signal), SEEN_WITHIN_MS);
  const seen = sortJobs(listed ?? [], matcherOf({ inputs, run, runnerNamePrefix }));
  return inState(seen, "running").length > 0 ? [] : inState(seen, "waiting");
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
  { fleet, prefix }: Rented,
  alive: readonly Machine[],
): Promise<boolean> {
  const { clock, log, service } = session;
  const records = alive.flatMap((machine) =>
    recordsOfMachine(machine).map((record, index) => ({ row: rowOf(machine, index), record })),
  );
  const known = records.flatMap(({ record }) => (record.isGone ? [] : [doomedOf(record.instanceId, record)]));
  const destroying = { clock, log, service, until: clock.now() + DESTROY_WITHIN_MS, signal };
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

/** What the wait for other jobs needs of a session. */
type Waiting = Pick<Session, "clock" | "inputs" | "jobs" | "log" | "run" | "runnerNamePrefix">;

/**
 * Waits for the other jobs of the attempt to be over, so that a cancel of the run takes nothing from
 * them. `destroy` is called at each look; it returns false while something may still bill. `end`:
 * how main ended, by which a job with a mistyped label may count as ours.
 */
export async function waitForOthers(
  session: Waiting,
  signal: AbortSignal,
  destroy: (jobs: GpuJobs | undefined) => Promise<boolean>,
  end?: MainEnd,
): Promise<"cancel" | "leave"> {
  const { clock, inputs } = session;
  const { ifNoMachine } = inputs;
  const start = clock.now();
  const isConfirmed = confirmation(clock);
  let isLogged = false;
  const look = async () => {
    const listed = await session.jobs.listOrUndefined(signal);
    const jobs = countedJobs(listed && sortJobs(listed, matcherOf(session)), end);
    if (!(await destroy(jobs))) return "leave";
    const decision = decideLeaving({ ifNoMachine, jobs, waitedMs: clock.now() - start });
    if (decision === "leave") return logLeft(session, jobs);
    if (isConfirmed(decision === "cancel")) return "cancel";
    if (!isLogged) isLogged = logWaiting(session, jobs, decision);
    return undefined;
  };
  const options = { clock, intervalMs: LOOK_EVERY_MS, until: Number.POSITIVE_INFINITY, signal };
  return (await poll(look, options)) ?? "leave";
}

/**
 * Makes a function that returns true once it was called with true twice, far enough apart, and
 * never with false between.
 */
function confirmation(clock: Clock): (isFound: boolean) => boolean {
  let since = Number.POSITIVE_INFINITY;
  return (isFound) => {
    since = isFound ? Math.min(since, clock.now()) : Number.POSITIVE_INFINITY;
    return clock.now() - since >= CONFIRMED_AFTER_MS;
  };
}

function logLeft({ inputs, log }: Waiting, jobs: GpuJobs | undefined): "leave" {
  const waiting = jobs === undefined ? [] : inState(jobs, "waiting");
  if (waiting.length > 0 && inputs.ifNoMachine === "auto")
    // No annotation: post names the jobs that are left.
    log.info(
      `No machine can be had for ${jobNames(waiting)}, and other jobs of this run are open: the sweep ends the run when they are over.`,
    );
  return "leave";
}

/** Logs what we wait for. Returns true if there was something to log. */
function logWaiting({ inputs, log }: Waiting, jobs: GpuJobs | undefined, decision: "cancel" | "wait"): boolean {
  if (jobs === undefined) return false;
  const waiting = inState(jobs, "waiting");
  const where = waiting[0]?.url;
  // No annotation: the step's own error names the same jobs.
  log.info(
    `No machine can be had for ${jobNames(waiting)}${where ? ` (${where})` : ""}. Nothing is rented. The run will be cancelled${decision === "wait" ? whenOf(jobs, inputs.ifNoMachine) : ""}.`,
  );
  return true;
}

/** Says when the run may be cancelled. */
function whenOf(jobs: GpuJobs, ifNoMachine: IfNoMachine): string {
  const open = openBeside(jobs, ifNoMachine);
  const which = open === 1 ? "its other open job is" : `its ${open} other open jobs are`;
  return ` when ${which} over; after ${formatDuration(OTHERS_MAY_TAKE_MS)} that is left to the sweep`;
}
