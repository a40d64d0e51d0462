import type { Rules } from "../options.ts";
import { countsAsFailure, isOfferGone } from "../renting/failures.ts";
import {
  aliveInstances,
  currentSlot,
  hasRun,
  isAlive,
  isBusy,
  isKeptForLook,
  type Machine,
  mainInstance,
  mayHaveRun,
  ownEnd,
  stageOf,
} from "../stage.ts";
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
    .filter((machine) => isAlive(machine) && !machine.isDraining && now >= (machine.askAgainAt ?? 0))
    .flatMap((machine) => {
      if (isNotMade(machine, now)) return [drain(machine)];
      return machine.ending === undefined
        ? destroyed(machine, surplus(machine, fleet))
        : released(machine, fleet, rules, now);
    });
}

/** True if the create counts as not carried out. A runner that came online is proof that it was. */
function isNotMade(machine: Machine, now: number): boolean {
  const { answer } = machine;
  if (answer === undefined || stageOf(machine) !== "asked") return false;
  const isTold = answer.kind === "unregistered" || isOfferGone(answer) || answer.isMissed === true;
  // No state is unbounded, whatever can't be read.
  return isTold || now - answer.at >= LATE.list;
}

function released(machine: Machine, fleet: Fleet, rules: Rules, now: number): EndCommand[] {
  const isForced = isPastDeadline(machine, { fleet, now });
  if (!isForced && machine.ending?.first === "runners" && !isDrained(machine, fleet))
    return now >= (machine.drainAgainAt ?? 0) ? [drain(machine)] : [];
  return isForced || now >= destroyAt(machine, rules) ? destroyed(machine, aliveInstances(machine)) : [];
}

/**
 * True if no job can come to the machine any more. Its runners are gone; or GitHub gives no answer,
 * and the machine never ran or is unknown to the service; or GitHub would not remove its runner, and
 * two lists of the service show that the machine went.
 */
function isDrained(machine: Machine, fleet: Fleet): boolean {
  const { refusedDrains = 0, unconfirmedDrains = 0 } = machine;
  const isUnconfirmed = unconfirmedDrains > 1 && (!mayHaveRun(machine) || isAbsentMachine(machine));
  const isInVain = refusedDrains + unconfirmedDrains > 0 && wentWhole(machine, fleet);
  return currentSlot(machine) === undefined || ((isUnconfirmed || isInVain) && !isBusy(machine));
}

function isAbsentMachine(machine: Machine): boolean {
  return aliveInstances(machine).every(({ absentSince }) => absentSince !== undefined);
}

function wentWhole(machine: Machine, { instancesAt = 0 }: Fleet): boolean {
  return aliveInstances(machine).every((instance) => isConfirmed(goneFrom(instance), instancesAt));
}

/** Removes the machine's runners, the waiting ones first so that no job comes to them meanwhile. */
function drain(machine: Machine): EndCommand {
  const current = currentSlot(machine);
  const waiting = machine.slots.filter((slot) => slot.spentAt === undefined && slot !== current);
  const runnerIds = [...waiting, ...(current ? [current] : [])].map(({ runnerId }) => runnerId);
  return { kind: "drain", machineNo: machine.machineNo, runnerIds };
}

/**
 * Returns the surplus instances of one create. Once one has run, nobody knows which one has the job.
 * Then only those count of which the service has said twice that it knows none.
 */
function surplus(machine: Machine, { instancesAt = 0 }: Fleet): Machine["instances"] {
  const alive = aliveInstances(machine);
  if (machine.answer === undefined) return [];
  if (!hasRun(machine)) return alive.filter((each) => each !== mainInstance(machine));
  const gone = alive.filter(({ absentSince = instancesAt }) => isConfirmed(absentSince, instancesAt));
  return gone.length < alive.length ? gone : [];
}

function destroyed(machine: Machine, instances: Machine["instances"]): EndCommand[] {
  const { machineNo } = machine;
  const showLogs = countsAsFailure(machine) && machine.ending?.kind !== "lost";
  return instances.filter(({ isAsking }) => !isAsking).map(({ id }) => ({ kind: "destroy", machineNo, id, showLogs }));
}

/** Returns when an ending machine is to be destroyed, in milliseconds since the epoch. */
export function destroyAt(machine: Machine, limits: Parameters<typeof isKeptForLook>[1]): number {
  const { ending, slots } = machine;
  const { absentSince, brokenSince, isSilent } = mainInstance(machine) ?? {};
  if (ending?.kind !== "over" || absentSince !== undefined) return Number.NEGATIVE_INFINITY;
  const isKept = isKeptForLook(machine, limits);
  // A slot that must not start is removed at once, before a job comes to it.
  if (currentSlot(machine) !== undefined && !isKept) return Number.NEGATIVE_INFINITY;
  // `keep-failed` counts from the end of the machine's job. The slots that never start end later.
  const counted = isKept ? slots.filter(({ job }) => job !== undefined) : slots;
  const ended = Math.max(...counted.map(({ spentAt }) => spentAt ?? ending.since));
  const destroyedAt = Math.min(ended + LATE.givesItselfBack + (isKept ? limits.keepFailed : 0), ownEnd(machine).to);
  // A machine that was stopped or has exited can't give itself back, and nobody can log in to it.
  return brokenSince === undefined || isSilent ? destroyedAt : Math.min(destroyedAt, brokenSince + LATE.confirmed);
}
