import { currentSlot, isAlive, isBusy, type Machine, mainInstance, runningAt } from "../stage.ts";
import type { Fleet } from "../state.ts";
import { waitingJobs } from "./count.ts";

/**
 * A machine that has given up says why, and stays for a minute. Most runners are online before the
 * first look, and a look more often would tell the reason little earlier.
 */
const READ_EVERY_MS = 20_000;

/** Asks whether a machine says why it gives itself back. */
export interface MachineLogCommand {
  kind: "read-machine-log";
  machineNo: number;
  id: number;
}

/** Machines whose log is to be read now: they run, and had no job though one may wait for them. */
export function machineLogsToRead(fleet: Fleet, now: number): MachineLogCommand[] {
  const isWaiting = waitingJobs(fleet, now).length > 0;
  return fleet.machines.flatMap((machine) => {
    const instance = mainInstance(machine);
    if (instance === undefined || !isOpen(machine) || now < readAt(machine, isWaiting)) return [];
    return [{ kind: "read-machine-log", machineNo: machine.machineNo, id: instance.id }];
  });
}

/** It may have ended for a reason that nobody knows. */
function isOpen(machine: Machine): boolean {
  const { ending, isReadingLog, slots, words } = machine;
  const isDone = ending !== undefined || words !== undefined || isReadingLog === true || !isAlive(machine);
  return !isDone && runningAt(machine) !== undefined && !isBusy(machine) && !slots.some(({ job }) => job !== undefined);
}

/** GitHub shows a runner that ended as online for a while; a job that waits would have come to it. */
function readAt(machine: Machine, isWaiting: boolean): number {
  const { logAt = Number.NEGATIVE_INFINITY, readyAt } = machine;
  const isOffline = currentSlot(machine)?.offlineSince !== undefined;
  if (readyAt !== undefined && !isOffline && !isWaiting) return Number.POSITIVE_INFINITY;
  const first = isOffline ? 0 : (readyAt ?? runningAt(machine) ?? 0) + READ_EVERY_MS;
  return Math.max(first, logAt + READ_EVERY_MS);
}
