import type { CutBy } from "../timing/limits.ts";
import { TUNING } from "../timing/tuning.ts";
import { LATE } from "./lifecycle/late.ts";
import type { Rules } from "./options.ts";
import type { DeepReadonly, RunnerSlot, StoredInstance, StoredMachine } from "./state.ts";

export type Machine = DeepReadonly<StoredMachine>;

export type InstanceFacts = DeepReadonly<StoredInstance>;

export type Slot = DeepReadonly<RunnerSlot>;

type SlotLimits = Pick<Rules, "keepFailed" | "maxLifetime">;

/** The words of the log and the docs for how far a machine is. */
export type Stage = "asked" | "booting" | "starting" | "ready" | "busy" | "over" | "gone";

/** Returns the middle between two looks: the best guess for something that happened between them. */
export function middle({ foundAt }: InstanceFacts, from: number, to: number): number {
  return Math.round((Math.max(foundAt, Math.min(from, to)) + to) / 2);
}

/** Returns the machine of this number. */
export function machineOf<Numbered extends { readonly machineNo: number }>(
  { machines }: { readonly machines: readonly Numbered[] },
  machineNo: number,
): Numbered | undefined {
  return machines.find((each) => each.machineNo === machineNo);
}

/** Returns the machine's instances that may still bill. */
export function aliveInstances({ instances }: Machine): InstanceFacts[] {
  return instances.filter(mayBill);
}

function mayBill({ goneAt }: InstanceFacts): boolean {
  return goneAt === undefined;
}

function isWell(instance: InstanceFacts): boolean {
  return mayBill(instance) && instance.absentSince === undefined && instance.brokenSince === undefined;
}

/** Returns the instance that a machine is judged by: the first healthy one, if it has several. */
export function mainInstance(machine: Machine): InstanceFacts | undefined {
  const { instances } = machine;
  return instances.find(isWell) ?? instances.find(mayBill) ?? instances[0];
}

/** True until the machine is known to be gone. An alive machine may bill. */
export function isAlive(machine: Machine): boolean {
  return isInFlight(machine) || machine.instances.some(mayBill);
}

/** True if the create made an instance, as far as is known. */
export function wasMade({ instances }: Machine): boolean {
  return instances.length > 0;
}

/** True while the create may still make an instance that works: its runners wait for one, and none is being removed. */
export function isInFlight(machine: Machine): boolean {
  const { answer, isDraining, unconfirmedDrains = 0 } = machine;
  if (answer === undefined) return true;
  return !wasMade(machine) && currentSlot(machine) !== undefined && !isDraining && unconfirmedDrains === 0;
}

/** True if an instance may still come of the create: no list that would show it has lacked it. */
export function mayTurnUp(machine: Machine): boolean {
  const { answer } = machine;
  if (wasMade(machine) || answer?.kind === "unregistered") return false;
  return answer?.kind !== "refused" || !answer.isMissed;
}

/** True if no answer said what became of the create. */
export function isUncertain({ answer }: Machine): boolean {
  return answer?.kind === "uncertain" || answer?.kind === "mistaken";
}

/** Returns the slot that takes the next job or has the current one. Undefined: no slot is left. */
export function currentSlot({ slots }: Machine): Slot | undefined {
  return slots.find(({ spentAt }) => spentAt === undefined);
}

/** Returns the slot that comes after the current one, if one is left. */
export function nextSlot({ slots }: Machine): Slot | undefined {
  return slots.filter(({ spentAt }) => spentAt === undefined)[1];
}

/** True if a job runs by this slot, as far as GitHub shows. A runner that is stuck has none. */
export function hasJob({ isStuck, job, runner }: Slot): boolean {
  return (!isStuck && (runner === "busy" || runner === "cut-off")) || job?.isOver === false;
}

/** True if GitHub shows the runner as busy, and its jobs lists long enough lack a job of it. Such a machine serves nobody. */
export function isStuck(machine: Machine): boolean {
  return currentSlot(machine)?.isStuck === true && isAlive(machine) && !isBusy(machine);
}

/** True if a job runs on the machine. */
export function isBusy(machine: Machine): boolean {
  const slot = currentSlot(machine);
  return slot !== undefined && isAlive(machine) && hasJob(slot);
}

/** True if the machine is busy, but the jobs list does not show yet with which job. */
export function isUnlisted(machine: Machine): boolean {
  return isBusy(machine) && machine.slots.every(({ job }) => job?.isOver !== false);
}

/** True if GitHub gave the machine a job that never began. It may stay bound to its runner (actions/runner#4598). */
export function mayHoldJob({ slots }: Machine): boolean {
  return slots.some(({ job, wasBusy }) => wasBusy === true && job === undefined);
}

/** When a machine ends itself: at `from` at the earliest, at `to` at the latest, and the input that sets this. */
interface OwnEnd {
  from: number;
  to: number;
  by: CutBy;
}

/**
 * Returns when the machine ends itself: `max-lifetime` after its first runner came online, which happened between two
 * lists, and never after the deadline that it was made with. Its script counts from that runner's start.
 */
export function ownEnd({ askedAt, cutBy, deadline, slots, timing: { lifeMs } }: Machine): OwnEnd {
  const first = slots.find(({ onlineAt }) => onlineAt !== undefined);
  if (first?.onlineAt === undefined) return { from: deadline, to: deadline, by: cutBy };
  const from = (first.notYetAt ?? askedAt) - LATE.tick + lifeMs;
  const to = first.onlineAt + lifeMs;
  const by = to < deadline ? "max-lifetime" : cutBy;
  return { from: Math.min(from, deadline), to: Math.min(to, deadline), by };
}

/**
 * True if the slot's listener can surely start, or has. None starts with less than half of
 * max-lifetime left, when the listener before has ended.
 */
function canBegin(slot: Slot, machine: Machine, { maxLifetime }: SlotLimits, now: number): boolean {
  const { slots } = machine;
  const before = slots[slots.indexOf(slot) - 1];
  const looksAt = Math.min(now, before?.spentAt ?? now) + LATE.tick;
  return before === undefined || slot.onlineAt !== undefined || ownEnd(machine).from - looksAt >= maxLifetime / 2;
}

/** True if the slot's job failed by itself: it was neither cancelled nor cut off. */
export function hasFailed({ job }: Slot): boolean {
  return job?.conclusion === "failure";
}

/** True if `keep-failed` keeps the machine because a job failed on it. Its script starts no other runner. */
export function isKeptForLook({ slots }: Machine, { keepFailed }: SlotLimits): boolean {
  return keepFailed > 0 && slots.some(hasFailed);
}

/** True if the machine has a slot that can begin, or has begun, and has no job yet. */
export function hasSlot(machine: Machine, limits: SlotLimits, now: number): boolean {
  if (isKeptForLook(machine, limits)) return false;
  // Its runners are being registered.
  if (machine.slots.length === 0) return machine.answer === undefined;
  const slot = currentSlot(machine);
  return slot !== undefined && canBegin(slot, machine, limits, now);
}

/** True if no job runs on the machine and one may come, now or when it is ready. */
export function isFree(machine: Machine, limits: SlotLimits, now: number): boolean {
  const isOpen = isAlive(machine) && machine.ending === undefined && !isBusy(machine) && !isStuck(machine);
  return isOpen && hasSlot(machine, limits, now);
}

/** True if the machine's runner is online and has no job. */
export function isReady(machine: Machine): boolean {
  const isOnline = currentSlot(machine)?.runner === "online";
  return isOnline && machine.ending === undefined && isAlive(machine) && !isBusy(machine);
}

/** True if the machine has a job, or is ready for one. */
export function isServing(machine: Machine): boolean {
  return isReady(machine) || isBusy(machine);
}

/** True if another slot begins on the machine when its current job is over. */
export function hasNextSlot(machine: Machine, limits: SlotLimits, now: number): boolean {
  const next = nextSlot(machine);
  return isBusy(machine) && machine.ending === undefined && next !== undefined && canBegin(next, machine, limits, now);
}

/** Returns when the container was first seen running, by the service's state or by its runner. */
export function runningAt(machine: Machine): number | undefined {
  return mainInstance(machine)?.runningAt;
}

/** True if the container was seen running, or may run unseen because its host is silent. */
export function mayHaveRun(machine: Machine): boolean {
  return machine.instances.some((instance) => instance.runningAt !== undefined || instance.isSilent === true);
}

/** True if an instance of the machine may have run, or a job may be on it. */
export function hasRun(machine: Machine): boolean {
  return wasReady(machine) || isBusy(machine) || mayHaveRun(machine);
}

/** True if a job came to the machine at some time. */
export function hadJob({ slots }: Machine): boolean {
  return slots.some(({ job }) => job !== undefined);
}

/** True if the machine was ready at some time, or a job ran on it. */
export function wasReady(machine: Machine): boolean {
  return machine.readyAt !== undefined || hadJob(machine);
}

/** True if the machine is on its way and slower than expected. */
export function isLate(machine: Machine, now: number): boolean {
  const { timing } = machine;
  const instance = mainInstance(machine);
  if (instance === undefined || wasReady(machine)) return false;
  const late = TUNING.late.onlineMs + (timing.setupMs ?? 0);
  return instance.runningAt === undefined ? now - instance.foundAt > timing.lateMs : now - instance.runningAt > late;
}

/** Returns since when the machine has waited for a job. */
export function idleSince({ slots, readyAt, askedAt }: Machine): number {
  const ends = slots.flatMap(({ spentAt }) => (spentAt === undefined ? [] : [spentAt]));
  const online = slots.findLast(({ onlineAt }) => onlineAt !== undefined)?.onlineAt;
  return Math.max(readyAt ?? askedAt, online ?? 0, ...ends);
}

/** Returns since when the machine may have waited for a job. Its runner came online between two looks. */
export function mayBeIdleSince(machine: Machine): number {
  const { slots } = machine;
  const ends = slots.flatMap(({ spentAt }) => (spentAt === undefined ? [] : [spentAt]));
  const online = slots.findLast(({ onlineAt }) => onlineAt !== undefined);
  return Math.max(online?.notYetAt ?? runningAt(machine) ?? idleSince(machine), ...ends);
}

/** True if the machine counts against `machines`. One that is stuck doesn't, nor one whose job is over, once it can get no other. */
export function isCounted(machine: Machine): boolean {
  const isDone = machine.ending?.kind === "over" && currentSlot(machine) === undefined && hadJob(machine);
  return isAlive(machine) && !isDone && !isStuck(machine);
}

/** Says in a word how far the machine is. */
export function stageOf(machine: Machine): Stage {
  if (!isAlive(machine)) return "gone";
  if (isBusy(machine) || isStuck(machine)) return "busy";
  if (machine.ending !== undefined || (machine.answer !== undefined && currentSlot(machine) === undefined))
    return "over";
  if (isReady(machine)) return "ready";
  if (!wasMade(machine)) return "asked";
  return runningAt(machine) === undefined && !wasReady(machine) ? "booting" : "starting";
}

const FARNESS: readonly Stage[] = ["asked", "booting", "starting", "ready", "busy"];

/** Sorts machines that are further along first, and among equals the one asked for first. */
export function byFarness(left: Machine, right: Machine): number {
  return FARNESS.indexOf(stageOf(right)) - FARNESS.indexOf(stageOf(left)) || left.machineNo - right.machineNo;
}
