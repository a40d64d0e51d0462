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

/** What came of a machine's create, as far as is known. */
interface CreateFacts {
  /** It made an instance. */
  isMade: boolean;
  /** It may still make an instance that works: its runners wait for one, and none is being removed. */
  isInFlight: boolean;
  /** An instance may still come of it: no list that would show it has lacked it. */
  mayTurnUp: boolean;
  /** No answer said what became of it. */
  isUncertain: boolean;
}

/** What a machine does now. */
interface WorkFacts {
  /** A job runs on it. */
  isBusy: boolean;
  /** The same, but the jobs list does not show yet which job. */
  isUnlisted: boolean;
  /** GitHub shows its runner as busy, and its jobs lists long enough lack a job of it. It serves nobody. */
  isStuck: boolean;
  /** Its runner is online and has no job. */
  isReady: boolean;
  /** It has a job, or is ready for one. */
  isServing: boolean;
}

/** What a machine has done. */
interface PastFacts {
  /** When its container was first seen running, by the service's state or by its runner. */
  runningAt: number | undefined;
  /** Its container was seen running, or may run unseen because its host is silent. */
  mayHaveRun: boolean;
  /** A job came to it at some time. */
  hadJob: boolean;
  /** GitHub gave it a job that never began. It may stay bound to its runner (actions/runner#4598). */
  mayHoldJob: boolean;
  /** It was ready at some time, or a job ran on it. */
  wasReady: boolean;
  /** Since when it has waited for a job, and since when it may have: its runner came online between two looks. */
  idleSince: number;
  mayBeIdleSince: number;
}

/** What a machine is, by all that was seen of it. Each of these facts is decided here alone. */
export interface MachineFacts extends CreateFacts, WorkFacts, PastFacts {
  stage: Stage;
  /** The instance that it is judged by: the first healthy one, if it has several. */
  instance: InstanceFacts | undefined;
  /** Its instances that may still bill. */
  alive: readonly InstanceFacts[];
  /** The slot that takes the next job or has the current one, and the one after that. Undefined: none is left. */
  slot: Slot | undefined;
  next: Slot | undefined;
  /** It is not known to be gone, so that it may bill. */
  isAlive: boolean;
  /** An instance of it may have run, or a job may be on it. */
  hasRun: boolean;
  /** It counts against `machines`. One that is stuck doesn't, nor one whose job is over, once it can get no other. */
  isCounted: boolean;
}

/** What the machines of the decision that is made now are. Undefined between decisions, where machines change. */
let knownFacts: WeakMap<Machine, MachineFacts> | undefined;

/** Makes a decision, while which no machine changes: what each one is, is derived once. */
export function derivingOnce<Result>(decide: () => Result): Result {
  knownFacts = new WeakMap();
  try {
    return decide();
  } finally {
    knownFacts = undefined;
  }
}

/** Returns what a machine is, by all that was seen of it. */
export function machineFacts(machine: Machine): MachineFacts {
  const facts = knownFacts?.get(machine) ?? derived(machine);
  knownFacts?.set(machine, facts);
  return facts;
}

function derived(machine: Machine): MachineFacts {
  const { ending, instances, slots } = machine;
  const alive = instances.filter(({ goneAt }) => goneAt === undefined);
  const isWell = ({ absentSince, brokenSince }: InstanceFacts) => (absentSince ?? brokenSince) === undefined;
  const instance = alive.find(isWell) ?? alive[0] ?? instances[0];
  const [slot, next] = slots.filter(({ spentAt }) => spentAt === undefined);
  const create = createFacts(machine, slot);
  const isAlive = create.isInFlight || alive.length > 0;
  const work = workFacts(machine, slot, isAlive);
  const past = pastFacts(machine, instance);
  const hasRun = past.wasReady || work.isBusy || past.mayHaveRun;
  const isDone = ending?.kind === "over" && slot === undefined && past.hadJob;
  const isCounted = isAlive && !isDone && !work.isStuck;
  const facts = { ...create, ...work, ...past, instance, alive, slot, next, isAlive, hasRun, isCounted };
  return { ...facts, stage: stageOf(machine, facts) };
}

function createFacts(machine: Machine, slot: Slot | undefined): CreateFacts {
  const { answer, instances, isDraining, unconfirmedDrains = 0 } = machine;
  const isMade = instances.length > 0;
  const isAwaited = !isMade && slot !== undefined && !isDraining && unconfirmedDrains === 0;
  const isNone = answer?.kind === "unregistered" || (answer?.kind === "refused" && answer.isMissed === true);
  return {
    isMade,
    isInFlight: answer === undefined || isAwaited,
    mayTurnUp: !isMade && !isNone,
    isUncertain: answer?.kind === "uncertain" || answer?.kind === "mistaken",
  };
}

function workFacts({ ending, slots }: Machine, slot: Slot | undefined, isAlive: boolean): WorkFacts {
  const isBusy = slot !== undefined && isAlive && hasJob(slot);
  const isReady = slot?.runner === "online" && ending === undefined && isAlive && !isBusy;
  return {
    isBusy,
    isReady,
    isServing: isReady || isBusy,
    isUnlisted: isBusy && slots.every(({ job }) => job?.isOver !== false),
    isStuck: slot?.isStuck === true && isAlive && !isBusy,
  };
}

function pastFacts({ askedAt, instances, readyAt, slots }: Machine, instance: InstanceFacts | undefined): PastFacts {
  const hadJob = slots.some(({ job }) => job !== undefined);
  const ends = slots.flatMap(({ spentAt }) => spentAt ?? []);
  const online = slots.findLast(({ onlineAt }) => onlineAt !== undefined);
  const idleSince = Math.max(readyAt ?? askedAt, online?.onlineAt ?? 0, ...ends);
  return {
    runningAt: instance?.runningAt,
    mayHaveRun: instances.some((each) => each.runningAt !== undefined || each.isSilent === true),
    hadJob,
    mayHoldJob: slots.some(({ job, wasBusy }) => wasBusy === true && job === undefined),
    wasReady: readyAt !== undefined || hadJob,
    idleSince,
    mayBeIdleSince: Math.max(online?.notYetAt ?? instance?.runningAt ?? idleSince, ...ends),
  };
}

function stageOf({ answer, ending }: Machine, facts: Omit<MachineFacts, "stage">): Stage {
  if (!facts.isAlive) return "gone";
  if (facts.isBusy || facts.isStuck) return "busy";
  if (ending !== undefined || (answer !== undefined && facts.slot === undefined)) return "over";
  if (facts.isReady) return "ready";
  if (!facts.isMade) return "asked";
  return facts.runningAt === undefined && !facts.wasReady ? "booting" : "starting";
}

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

/** True if a job runs by this slot, as far as GitHub shows. A runner that is stuck has none. */
export function hasJob({ isStuck, job, runner }: Slot): boolean {
  return (!isStuck && (runner === "busy" || runner === "cut-off")) || job?.isOver === false;
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

/** True if `keep-failed` keeps the machine because a job failed on it by itself. Its script starts no other runner. */
export function isKeptForLook({ slots }: Machine, { keepFailed }: Pick<Rules, "keepFailed">): boolean {
  return keepFailed > 0 && slots.some(({ job }) => job?.conclusion === "failure");
}

/** What use a machine is of, at a time and by the inputs. */
export interface Use {
  /** It has a slot that can begin, or has begun, and has no job yet. */
  hasSlot: boolean;
  /** No job runs on it and one may come, now or when it is ready. */
  isFree: boolean;
  /** Another slot begins on it when its current job is over. */
  hasNext: boolean;
  /** It is on its way and slower than expected. */
  isLate: boolean;
}

/** Returns what use a machine is of at this time. */
export function useOf(machine: Machine, limits: SlotLimits, now: number): Use {
  const { answer, ending, slots, timing } = machine;
  const { instance, isAlive, isBusy, isStuck, next, slot, wasReady } = machineFacts(machine);
  const isOpen = isAlive && ending === undefined;
  // Without a slot, its runners are being registered.
  const canServe = slots.length === 0 ? answer === undefined : canBegin(slot, machine, limits, now);
  const hasSlot = canServe && !isKeptForLook(machine, limits);
  const lateFrom =
    instance?.runningAt === undefined
      ? (instance?.foundAt ?? now) + timing.lateMs
      : instance.runningAt + TUNING.late.onlineMs + (timing.setupMs ?? 0);
  return {
    hasSlot,
    isFree: isOpen && !isBusy && !isStuck && hasSlot,
    hasNext: isOpen && isBusy && canBegin(next, machine, limits, now),
    isLate: !wasReady && now > lateFrom,
  };
}

/**
 * True if there is such a slot, and its listener can surely start, or has. None starts with less than half of
 * max-lifetime left, when the listener before has ended.
 */
function canBegin(slot: Slot | undefined, machine: Machine, { maxLifetime }: SlotLimits, now: number): boolean {
  const { slots } = machine;
  if (slot === undefined) return false;
  const before = slots[slots.indexOf(slot) - 1];
  const looksAt = Math.min(now, before?.spentAt ?? now) + LATE.tick;
  return before === undefined || slot.onlineAt !== undefined || ownEnd(machine).from - looksAt >= maxLifetime / 2;
}

const FARNESS: readonly Stage[] = ["asked", "booting", "starting", "ready", "busy"];

/** Sorts machines that are further along first, and among equals the one asked for first. */
export function byFarness(left: Machine, right: Machine): number {
  const farness = (machine: Machine) => FARNESS.indexOf(machineFacts(machine).stage);
  return farness(right) - farness(left) || left.machineNo - right.machineNo;
}
