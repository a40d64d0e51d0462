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

/** What a machine is, by all that was seen of it. Each of these facts is decided here alone, when it is asked for. */
export class MachineFacts {
  readonly machine: Machine;

  constructor(machine: Machine) {
    this.machine = machine;
  }

  get stage(): Stage {
    const { answer, ending } = this.machine;
    if (!this.isAlive) return "gone";
    if (this.isBusy || this.isStuck) return "busy";
    if (ending !== undefined || (answer !== undefined && this.slot === undefined)) return "over";
    if (this.isReady) return "ready";
    if (!this.isMade) return "asked";
    return this.runningAt === undefined && !this.wasReady ? "booting" : "starting";
  }

  /** Its instances that may still bill. */
  get alive(): readonly InstanceFacts[] {
    return this.machine.instances.filter(mayBill);
  }

  /** The instance that it is judged by: the first healthy one, if it has several. */
  get instance(): InstanceFacts | undefined {
    const { instances } = this.machine;
    return instances.find(isWell) ?? instances.find(mayBill) ?? instances[0];
  }

  /** The slot that takes the next job or has the current one. Undefined: none is left. */
  get slot(): Slot | undefined {
    return this.machine.slots.find(isLeft);
  }

  /** The slot after that one. Undefined: none is left. */
  get next(): Slot | undefined {
    return this.machine.slots.filter(isLeft)[1];
  }

  /** Its create made an instance. */
  get isMade(): boolean {
    return this.machine.instances.length > 0;
  }

  /** Its create may still make an instance that works: its runners wait for one, and none is being removed. */
  get isInFlight(): boolean {
    const { answer, isDraining, unconfirmedDrains = 0 } = this.machine;
    if (answer === undefined) return true;
    return !this.isMade && this.slot !== undefined && !isDraining && unconfirmedDrains === 0;
  }

  /** An instance may still come of its create: no list that would show it has lacked it. */
  get mayTurnUp(): boolean {
    const { answer } = this.machine;
    const isNone = answer?.kind === "unregistered" || (answer?.kind === "refused" && answer.isMissed === true);
    return !this.isMade && !isNone;
  }

  /** No answer said what became of its create. */
  get isUncertain(): boolean {
    const { answer } = this.machine;
    return answer?.kind === "uncertain" || answer?.kind === "mistaken";
  }

  /** It is not known to be gone, so that it may bill. */
  get isAlive(): boolean {
    return this.isInFlight || this.machine.instances.some(mayBill);
  }

  /** A job runs on it. */
  get isBusy(): boolean {
    const { slot } = this;
    return slot !== undefined && this.isAlive && hasJob(slot);
  }

  /** The same, but the jobs list does not show yet which job. */
  get isUnlisted(): boolean {
    return this.isBusy && this.machine.slots.every(({ job }) => job?.isOver !== false);
  }

  /** GitHub shows its runner as busy, and its jobs lists long enough lack a job of it. It serves nobody. */
  get isStuck(): boolean {
    return this.slot?.isStuck === true && this.isAlive && !this.isBusy;
  }

  /** Its runner was stuck once, and no job ever came to it. A runner that a later one followed is not meant. */
  get wasStuck(): boolean {
    return this.slot?.wasStuck === true && !this.hadJob;
  }

  /** Its runner is online and has no job. */
  get isReady(): boolean {
    return this.slot?.runner === "online" && this.machine.ending === undefined && this.isAlive && !this.isBusy;
  }

  /** It has a job, or is ready for one. */
  get isServing(): boolean {
    return this.isReady || this.isBusy;
  }

  /** It counts against `machines`. One that is stuck doesn't, nor one whose job is over, once it can get no other. */
  get isCounted(): boolean {
    const isDone = this.machine.ending?.kind === "over" && this.slot === undefined && this.hadJob;
    return this.isAlive && !isDone && !this.isStuck;
  }

  /** When its container was first seen running, by the service's state or by its runner. */
  get runningAt(): number | undefined {
    return this.instance?.runningAt;
  }

  /** Its container was seen running, or may run unseen: its host is silent, or GitHub says that a job is on its runner. */
  get mayHaveRun(): boolean {
    const { instances, refusedDrains = 0 } = this.machine;
    return refusedDrains > 0 || instances.some((each) => each.runningAt !== undefined || each.isSilent === true);
  }

  /** An instance of it may have run, or a job may be on it. */
  get hasRun(): boolean {
    return this.wasReady || this.isBusy || this.mayHaveRun;
  }

  /** A job came to it at some time. */
  get hadJob(): boolean {
    return this.machine.slots.some(({ job }) => job !== undefined);
  }

  /** GitHub gave it a job that never began. It may stay bound to its runner (actions/runner#4598). */
  get mayHoldJob(): boolean {
    return this.machine.slots.some(({ job, wasBusy }) => wasBusy === true && job === undefined);
  }

  /** It was ready at some time, or a job ran on it. */
  get wasReady(): boolean {
    return this.machine.readyAt !== undefined || this.hadJob;
  }

  /** Since when it has waited for a job. */
  get idleSince(): number {
    const { askedAt, readyAt, slots } = this.machine;
    return Math.max(readyAt ?? askedAt, lastOnline(slots)?.onlineAt ?? 0, ...endsOf(slots));
  }

  /** Since when it may have waited for a job: its runner came online between two looks. */
  get mayBeIdleSince(): number {
    const { slots } = this.machine;
    return Math.max(lastOnline(slots)?.notYetAt ?? this.runningAt ?? this.idleSince, ...endsOf(slots));
  }
}

/** Returns what a machine is, by all that was seen of it. */
export function machineFacts(machine: Machine): MachineFacts {
  return new MachineFacts(machine);
}

const mayBill = ({ goneAt }: InstanceFacts) => goneAt === undefined;
const isWell = ({ absentSince, brokenSince, goneAt }: InstanceFacts) =>
  (goneAt ?? absentSince ?? brokenSince) === undefined;
const isLeft = ({ spentAt }: Slot) => spentAt === undefined;
const lastOnline = (slots: readonly Slot[]) => slots.findLast(({ onlineAt }) => onlineAt !== undefined);
const endsOf = (slots: readonly Slot[]) => slots.flatMap(({ spentAt }) => spentAt ?? []);

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
export class Use {
  readonly #its: MachineFacts;
  readonly #limits: SlotLimits;
  readonly #now: number;

  constructor(machine: Machine, limits: SlotLimits, now: number) {
    this.#its = machineFacts(machine);
    this.#limits = limits;
    this.#now = now;
  }

  /** It has a slot that can begin, or has begun, and has no job yet. Without a slot, its runners are being registered. */
  get hasSlot(): boolean {
    const { machine, slot } = this.#its;
    const canServe = machine.slots.length === 0 ? machine.answer === undefined : this.#canBegin(slot);
    return canServe && !isKeptForLook(machine, this.#limits);
  }

  /** No job runs on it and one may come, now or when it is ready. */
  get isFree(): boolean {
    return this.#isOpen() && !this.#its.isBusy && !this.#its.isStuck && this.hasSlot;
  }

  /** Another slot begins on it when its current job is over. */
  get hasNext(): boolean {
    return this.#isOpen() && this.#its.isBusy && this.#canBegin(this.#its.next);
  }

  /** It is on its way and slower than expected. */
  get isLate(): boolean {
    const { instance, machine, wasReady } = this.#its;
    const { lateMs, setupMs = 0 } = machine.timing;
    if (wasReady) return false;
    const runsFrom = instance?.runningAt;
    const lateFrom =
      runsFrom === undefined ? (instance?.foundAt ?? this.#now) + lateMs : runsFrom + TUNING.late.onlineMs + setupMs;
    return this.#now > lateFrom;
  }

  #isOpen(): boolean {
    return this.#its.machine.ending === undefined && this.#its.isAlive;
  }

  /**
   * True if there is such a slot, and its listener can surely start, or has. None starts with less than half of
   * max-lifetime left, when the listener before has ended.
   */
  #canBegin(slot: Slot | undefined): boolean {
    const { machine } = this.#its;
    if (slot === undefined) return false;
    const before = machine.slots[machine.slots.indexOf(slot) - 1];
    if (before === undefined || slot.onlineAt !== undefined) return true;
    const looksAt = Math.min(this.#now, before.spentAt ?? this.#now) + LATE.tick;
    return ownEnd(machine).from - looksAt >= this.#limits.maxLifetime / 2;
  }
}

/** Returns what use a machine is of at this time. */
export function useOf(machine: Machine, limits: SlotLimits, now: number): Use {
  return new Use(machine, limits, now);
}

const FARNESS: readonly Stage[] = ["asked", "booting", "starting", "ready", "busy"];

/** Sorts machines that are further along first, and among equals the one asked for first. */
export function byFarness(left: Machine, right: Machine): number {
  const farness = (machine: Machine) => FARNESS.indexOf(machineFacts(machine).stage);
  return farness(right) - farness(left) || left.machineNo - right.machineNo;
}
