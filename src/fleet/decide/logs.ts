import { currentSlot, isAlive, isBusy, isReady, type Machine, mainInstance, runningAt, wasReady } from "../stage.ts";
import type { Fleet } from "../state.ts";

/**
 * A machine that has given up says why, and stays for a minute. Most runners are online before the
 * first look, and a look more often would tell the reason little earlier.
 */
const READ_EVERY_MS = 20_000;

/** Asks whether a machine says why it gives itself back. */
export interface LogCommand {
  kind: "read-log";
  machineNo: number;
  id: number;
}

/** Machines whose log is to be read now: they run, and their runner does not, before any job. */
export function logCommands({ machines }: Fleet, now: number): LogCommand[] {
  return machines.flatMap((machine) => {
    const instance = mainInstance(machine);
    if (instance === undefined || !isAwaited(machine) || now < readAt(machine)) return [];
    return [{ kind: "read-log", machineNo: machine.machineNo, id: instance.id }];
  });
}

/** It may have ended for a reason that nobody knows. */
function isAwaited(machine: Machine): boolean {
  const { ending, isReadingLog, slots, words } = machine;
  const isDone = ending !== undefined || words !== undefined || isReadingLog === true || !isAlive(machine);
  return !isDone && runningAt(machine) !== undefined && !slots.some(({ job }) => job !== undefined) && isAway(machine);
}

/** Its runner is not online: not yet, or not any more. */
function isAway(machine: Machine): boolean {
  if (isBusy(machine) || isReady(machine)) return false;
  return !wasReady(machine) || currentSlot(machine)?.offlineSince !== undefined;
}

/** At once where its runner went. */
function readAt(machine: Machine): number {
  const first = wasReady(machine) ? 0 : (runningAt(machine) ?? 0) + READ_EVERY_MS;
  return Math.max(first, (machine.logAt ?? Number.NEGATIVE_INFINITY) + READ_EVERY_MS);
}
