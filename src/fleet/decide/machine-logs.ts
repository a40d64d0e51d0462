import type { Rules } from "../options.ts";
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

/** Requests in a row that brought no log: a service may have none, and is asked no more then. */
const MOST_FAULTS = 5;

/** Machines whose log is to be read now: they run, and had no job though one may wait for them. */
export function machineLogsToRead(
  fleet: Fleet,
  { idleTimeout }: Pick<Rules, "idleTimeout">,
  now: number,
): MachineLogCommand[] {
  if ((fleet.logFaults ?? 0) >= MOST_FAULTS) return [];
  const isWaiting = waitingJobs(fleet, now).length > 0;
  return fleet.machines.flatMap((machine) => {
    const instance = mainInstance(machine);
    if (instance === undefined || !isOpen(machine) || now < readAt(machine, { idleTimeout, isWaiting })) return [];
    return [{ kind: "read-machine-log", machineNo: machine.machineNo, id: instance.id }];
  });
}

/** It may have ended for a reason that nobody knows, perhaps before its log could show that. */
function isOpen(machine: Machine): boolean {
  const { ending, isReadingLog, slots, words } = machine;
  const hasEnded = ending !== undefined && ending.kind !== "over";
  const isDone = hasEnded || words !== undefined || isReadingLog === true || !isAlive(machine);
  return !isDone && runningAt(machine) !== undefined && !slots.some(({ job }) => job !== undefined);
}

function readAt(machine: Machine, situation: { idleTimeout: number; isWaiting: boolean }): number {
  const { logAt = Number.NEGATIVE_INFINITY } = machine;
  return Math.max(mayTellAt(machine, situation), logAt + READ_EVERY_MS);
}

/** When its log may tell something at the earliest. */
function mayTellAt(machine: Machine, { idleTimeout, isWaiting }: { idleTimeout: number; isWaiting: boolean }): number {
  const { readyAt } = machine;
  const slot = currentSlot(machine);
  // GitHub gave it a job that no list shows: its runner may be refused that until it is idle too long.
  if (isBusy(machine)) return (slot?.busySince ?? Number.POSITIVE_INFINITY) + idleTimeout;
  if (slot === undefined || slot.offlineSince !== undefined || slot.missingSince !== undefined) return 0;
  // GitHub shows a runner that ended as online for a while; a job that waits would have come to it.
  if (readyAt !== undefined && !isWaiting) return Number.POSITIVE_INFINITY;
  return (readyAt ?? runningAt(machine) ?? 0) + READ_EVERY_MS;
}
