import type { Rules } from "../options.ts";
import { followsOf, isOfferGone } from "../renting/failures.ts";
import { isKeptForLook, type Machine, machineFacts, ownEnd } from "../stage.ts";
import type { Fleet } from "../state.ts";
import { goneFrom } from "./cause-of.ts";
import { isConfirmed, LATE } from "./late.ts";
import { isPastDeadline } from "./reasons.ts";

/** What gives a machine back. */
export type EndCommand =
  /** Removes these runners in order, until one has a job. */
  | { kind: "drain"; machineNo: number; runnerIds: number[] }
  /** `showLogs`: first show what the machine printed last. */
  | { kind: "destroy"; machineNo: number; id: number; showLogs: boolean };

/** Returns the commands that release ending machines, what no create made, and surplus instances of one create. */
export function endCommands(fleet: Fleet, rules: Rules, now: number): EndCommand[] {
  return fleet.machines
    .filter((machine) => machineFacts(machine).isAlive && !machine.isDraining && now >= (machine.askAgainAt ?? 0))
    .flatMap((machine) => endCommandsOf(machine, fleet, rules, now));
}

function endCommandsOf(machine: Machine, fleet: Fleet, rules: Rules, now: number): EndCommand[] {
  const { answer, ending } = machine;
  const isTold = answer?.kind === "unregistered" || isOfferGone(answer) || answer?.isMissed === true;
  // No state is unbounded, whatever can't be read.
  const isNotMade = isTold || now - (answer?.at ?? now) >= LATE.list;
  const { isBusy, isMade, isReady } = machineFacts(machine);
  // A runner that came online is proof that the create was carried out. Else nothing but the runners is left of it.
  if (isNotMade && !isMade && !isBusy && !isReady) return drainWhenDue(machine, now);
  return ending === undefined ? destroyed(machine, surplus(machine, fleet)) : released(machine, fleet, rules, now);
}

function released(machine: Machine, fleet: Fleet, rules: Rules, now: number): EndCommand[] {
  const isForced = isPastDeadline({ machine, fleet, now });
  if (!isForced && machine.ending?.first === "runners" && !isDrained(machine, fleet)) return drainWhenDue(machine, now);
  return isForced || now >= destroyAt(machine, rules) ? destroyed(machine, machineFacts(machine).alive) : [];
}

/**
 * True if no job can come to the machine any more. Its runners are gone; or GitHub gives no answer,
 * and the machine never ran or is unknown to the service; or GitHub would not remove its runner, and
 * two lists of the service show that the machine went, which outweighs a job there that no list has.
 */
function isDrained(machine: Machine, { instancesAt = 0 }: Fleet): boolean {
  const { refusedDrains = 0, unconfirmedDrains = 0 } = machine;
  const { alive, isBusy, isMade, isUnlisted, mayHaveRun, slot } = machineFacts(machine);
  const isAbsent = alive.every(({ absentSince }) => absentSince !== undefined);
  const isUnconfirmed = unconfirmedDrains > 1 && (!mayHaveRun || isAbsent);
  const hasGone = isMade && alive.every((instance) => isConfirmed(goneFrom(instance), instancesAt));
  const isInVain = refusedDrains + unconfirmedDrains > 0 && hasGone;
  const isListed = isBusy && !isUnlisted;
  return slot === undefined || (isInVain && !isListed) || (isUnconfirmed && !isBusy);
}

function drainWhenDue(machine: Machine, now: number): EndCommand[] {
  return now >= (machine.drainAgainAt ?? 0) ? [drain(machine)] : [];
}

/** Removes the machine's runners, the waiting ones first so that no job comes to them meanwhile. */
function drain({ machineNo, slots }: Machine): EndCommand {
  const [current, ...waiting] = slots.filter(({ spentAt }) => spentAt === undefined);
  const runnerIds = [...waiting, ...(current ? [current] : [])].map(({ runnerId }) => runnerId);
  return { kind: "drain", machineNo, runnerIds };
}

/**
 * Returns the surplus instances of one create. Once one has run, nobody knows which one has the job.
 * Then only those count of which the service has said twice that it knows none.
 */
function surplus(machine: Machine, { instancesAt = 0 }: Fleet): Machine["instances"] {
  const { alive, hasRun, instance } = machineFacts(machine);
  if (machine.answer === undefined) return [];
  if (!hasRun) return alive.filter((each) => each !== instance);
  const gone = alive.filter(({ absentSince = instancesAt }) => isConfirmed(absentSince, instancesAt));
  return gone.length < alive.length ? gone : [];
}

function destroyed(machine: Machine, instances: Machine["instances"]): EndCommand[] {
  const { ending, machineNo } = machine;
  const showLogs = followsOf(machine).attempt && ending?.kind !== "lost";
  return instances.filter(({ isAsking }) => !isAsking).map(({ id }) => ({ kind: "destroy", machineNo, id, showLogs }));
}

/** Returns when an ending machine is to be destroyed, in milliseconds since the epoch. */
export function destroyAt(machine: Machine, limits: Pick<Rules, "keepFailed">): number {
  const { ending, slots } = machine;
  const { instance, slot } = machineFacts(machine);
  const { absentSince, brokenSince, isSilent } = instance ?? {};
  if (ending?.kind !== "over" || absentSince !== undefined) return Number.NEGATIVE_INFINITY;
  const isKept = isKeptForLook(machine, limits);
  // A slot that must not start is removed at once, before a job comes to it.
  if (slot !== undefined && !isKept) return Number.NEGATIVE_INFINITY;
  // `keep-failed` counts from the end of the machine's job. The slots that never start end later.
  const counted = isKept ? slots.filter(({ job }) => job !== undefined) : slots;
  const ended = Math.max(...counted.map(({ spentAt }) => spentAt ?? ending.since));
  const destroyedAt = Math.min(ended + LATE.givesItselfBack + (isKept ? limits.keepFailed : 0), ownEnd(machine).to);
  // A machine that was stopped or has exited can't give itself back, and nobody can log in to it.
  return brokenSince === undefined || isSilent ? destroyedAt : Math.min(destroyedAt, brokenSince + LATE.confirmed);
}
