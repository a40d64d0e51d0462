import { waitingJobs } from "../jobs.ts";
import type { Rules } from "../options.ts";
import { type Machine, machineFacts } from "../stage.ts";
import type { Fleet } from "../state.ts";
import { LATE } from "./late.ts";

/**
 * Returns the logs of finished jobs to read, one for each that ran on one of our machines: its machine's last line says
 * what its GPUs did. The end of the loop waits for none of them. What is not read by then is not reported.
 */
export function jobLogsToRead({ machines }: Fleet, { gpuFigures }: Rules) {
  if (!gpuFigures) return [];
  return machines.flatMap(({ machineNo, slots }) =>
    slots.flatMap(({ job, log }) =>
      job?.isOver && log === undefined ? [{ kind: "read-job-log" as const, machineNo, jobId: job.id }] : [],
    ),
  );
}

/**
 * How often a log is read: three times while a machine that ends itself stays and says why. Most runners
 * are online before the first look.
 */
const READ_EVERY_MS = LATE.givesItselfBack / 3;

/** How many requests in a row may bring no log. After that no log is asked for: the service may have none. */
const MOST_LOG_FAULTS = 5;

/**
 * Returns the machines in whose logs to read now whether they say why they give themselves back: they run, and have
 * had no job though one may wait for them.
 */
export function machineLogsToRead(fleet: Fleet, { idleTimeout }: Pick<Rules, "idleTimeout">, now: number) {
  if ((fleet.logFaults ?? 0) >= MOST_LOG_FAULTS) return [];
  const isWaiting = waitingJobs(fleet, now).length > 0;
  return fleet.machines.flatMap((machine) => {
    const { ending, isReadingLog, logAt = Number.NEGATIVE_INFINITY, machineNo, words } = machine;
    const its = machineFacts(machine);
    const hasEnded = ending !== undefined && ending.kind !== "over";
    if (hasEnded || words !== undefined || isReadingLog === true || !its.isAlive || its.hadJob) return [];
    const { instance } = its;
    if (instance?.runningAt === undefined) return [];
    const readAt = Math.max(maySayAt(machine, { idleTimeout, isWaiting }), logAt + READ_EVERY_MS);
    return now < readAt ? [] : [{ kind: "read-machine-log" as const, machineNo, id: instance.id }];
  });
}

/** Returns when the machine's log may say something at the earliest. */
function maySayAt(machine: Machine, { idleTimeout, isWaiting }: { idleTimeout: number; isWaiting: boolean }): number {
  const { readyAt } = machine;
  const { isBusy, runningAt = 0, slot } = machineFacts(machine);
  // GitHub shows a job that no list has. The runner may be refused that job until it has been idle too long.
  if (isBusy) return (slot?.busySince ?? Number.POSITIVE_INFINITY) + idleTimeout;
  if (slot === undefined || slot.offlineSince !== undefined || slot.missingSince !== undefined) return 0;
  // GitHub shows an ended runner as online for a while. A waiting job would have come to a live one.
  if (readyAt !== undefined && !isWaiting) return Number.POSITIVE_INFINITY;
  return (readyAt ?? runningAt) + READ_EVERY_MS;
}
