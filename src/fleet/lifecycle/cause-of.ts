import { firstMatch } from "../../shared/rows.ts";
import type { CutBy } from "../../timing/limits.ts";
import { type InstanceFacts, type Machine, machineFacts, ownEnd, type Slot } from "../stage.ts";
import type { Fleet, LostJob } from "../state.ts";
import type { Look } from "./evidence.ts";
import { isConfirmed, LATE } from "./late.ts";

/** Who ended a job. `open`: nobody yet, or nobody can say. */
export type Cause =
  | { by: "open" }
  | { by: "job" }
  /** The input that set the deadline of its machine. */
  | { by: "deadline"; input: CutBy }
  | { by: "machine"; went: LostJob["went"] };

/** What the rows ask about: a job and its machine, with the moments that they compare. */
interface Case {
  machine: Machine;
  slot: Slot;
  instance: InstanceFacts | undefined;
  look: Look;
  /** When the job ended, by GitHub. */
  endedAt: number;
  /** When the machine went, by the service's own word. A missing heartbeat is none. Infinite: it did not. */
  wentAt: number;
}

const OPEN: Cause = { by: "open" };
const BY_JOB: Cause = { by: "job" };

/** The rows for a job that runs, by what is still to be seen of its machine. The first that holds decides. */
export const RUNNING: readonly ((given: Case) => Cause | undefined)[] = [machineOfRunningJob, deadlineOfRunningJob];

/** The rows for a job that ended badly. The first that holds decides. */
export const ENDED_BADLY: readonly ((given: Case) => Cause | undefined)[] = [
  cutOffAtDeadline,
  machineWorkedOn,
  stoppedUnderIt,
  wentLongBefore,
  silentLongBefore,
];

/**
 * Says who ended the job of a slot, by what was seen until now. A cause beats an effect: what a machine does after
 * its job's end is its own doing, and nobody waits for a cause.
 */
export function causeOf(slot: Slot, machine: Machine, look: Look): Cause {
  const { job } = slot;
  if (job === undefined) return OPEN;
  if (job.isOver && !job.isBad) return BY_JOB;
  const { instance } = machineFacts(machine);
  const endedAt = job.completedAt ?? slot.spentAt ?? look.jobs;
  const given = { machine, slot, instance, look, endedAt, wentAt: goneFrom(instance) };
  return job.isOver ? (firstMatch(ENDED_BADLY, given) ?? BY_JOB) : (firstMatch(RUNNING, given) ?? OPEN);
}

/** Returns when an instance went, by the service's own word. A missing heartbeat is none. Infinite: it did not. */
export function goneFrom(instance: InstanceFacts | undefined): number {
  const { absentSince = Number.POSITIVE_INFINITY, brokenSince, isSilent } = instance ?? {};
  return Math.min(absentSince, (isSilent ? undefined : brokenSince) ?? Number.POSITIVE_INFINITY);
}

/** A minute after its machine went, GitHub still lists the job as running. */
function machineOfRunningJob({ instance, look, wentAt: went }: Case): Cause | undefined {
  const isGone = isConfirmed(went, look.instances) && look.jobs - went >= LATE.job;
  return isGone ? { by: "machine", went: instance?.stopped?.how ?? "vanished" } : undefined;
}

/** The machine's script ends what runs at the deadline, and GitHub's list shows that within a minute. */
function deadlineOfRunningJob(given: Case): Cause | undefined {
  const { instance, look, machine } = given;
  const { by, to } = ownEnd(machine);
  const end = to + LATE.endsItself;
  // A script that hangs ends nothing, so that the job runs on until the machine is destroyed.
  const outlivesIt = isHere(given) && instance?.goneAt === undefined && look.instances >= end;
  return Math.min(look.now, look.jobs - LATE.job) >= end && !outlivesIt ? { by: "deadline", input: by } : undefined;
}

/** A job that ends badly at the deadline was ended by the machine's script, unless the machine had gone before. */
function cutOffAtDeadline({ endedAt, machine, wentAt: went }: Case): Cause | undefined {
  const end = ownEnd(machine);
  // The script stops the runner a tick before the deadline, and not before all of max-lifetime is over.
  const from = Math.min(end.from, machine.deadline - LATE.tick) - LATE.clocks;
  return endedAt >= from && went >= from ? { by: "deadline", input: end.by } : undefined;
}

/** The machine was seen at work after the job's end, so its own end, if any, was not the cause. */
function machineWorkedOn(given: Case): Cause | undefined {
  const { endedAt, instance, machine, slot } = given;
  const { lastRunningAt = 0 } = instance ?? {};
  // A later runner may be known by its job alone, seen when that was over.
  const hasNext = machine.slots.some((other) => other.runnerId !== slot.runnerId && (other.onlineAt ?? 0) > endedAt);
  return isHere(given) || hasNext || lastRunningAt > endedAt + LATE.list ? BY_JOB : undefined;
}

/** Nothing of what the service says speaks against the machine. */
function isHere({ instance, wentAt: went }: Case): boolean {
  return went === Number.POSITIVE_INFINITY && instance?.isSilent !== true && instance?.stopped === undefined;
}

/** The service says that it outbid or stopped the machine, and no later list shows it running. */
function stoppedUnderIt({ instance }: Case): Cause | undefined {
  const stop = instance?.stopped;
  return stop === undefined ? undefined : { by: "machine", went: stop.how };
}

/** GitHub ends a job some time after its machine went, as it misses the runner. */
function wentLongBefore({ endedAt, look, wentAt: went }: Case): Cause | undefined {
  const isLong = endedAt - went > LATE.github && isConfirmed(went, look.instances);
  return isLong ? { by: "machine", went: "vanished" } : undefined;
}

/** The same where only the heartbeat and the runner were missing. */
function silentLongBefore({ endedAt, instance, slot: { offlineSince } }: Case): Cause | undefined {
  const isSilent = instance?.isSilent === true && offlineSince !== undefined;
  return isSilent && endedAt - offlineSince > LATE.github ? { by: "machine", went: "fell silent" } : undefined;
}

/** Returns the jobs that were ended by their machines, or by a machine's deadline. */
export function lostJobs({ machines }: Fleet, look: Look): LostJob[] {
  return machines.flatMap((machine) => machine.slots.flatMap((slot) => lostJob(slot, machine, look)));
}

function lostJob(slot: Slot, machine: Machine, look: Look): LostJob[] {
  const { job } = slot;
  const cause = causeOf(slot, machine, look);
  if (job === undefined || cause.by === "open" || cause.by === "job") return [];
  const { id, name, url } = job;
  const { machineNo } = machine;
  const went = cause.by === "machine" ? cause.went : "vanished";
  const cutBy = cause.by === "deadline" ? cause.input : undefined;
  return [{ id, name, url, machineNo, instanceId: machineFacts(machine).instance?.id, went, cutBy }];
}
