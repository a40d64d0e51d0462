import type { Facts } from "../facts.ts";
import { runningJobs } from "../jobs.ts";
import { priceAbove } from "../price.ts";
import { type Machine, type MachineFacts, machineFacts, useOf } from "../stage.ts";
import { causeOf, goneFrom } from "./cause-of.ts";
import { LATE } from "./late.ts";
import { seenFor } from "./lateness.ts";

type FailedVerdict = Extract<NonNullable<NonNullable<MachineFacts["instance"]>["verdict"]>, { kind: "failed" }>;

/** What was seen of one machine until a look, as the reasons ask it. An unreadable list proves nothing. */
export class SeenMachine implements Facts {
  readonly machine: Machine;
  readonly its: MachineFacts;
  readonly fleet: Facts["fleet"];
  readonly rules: Facts["rules"];
  readonly now: number;
  readonly look: Facts["look"];
  readonly budget: Facts["budget"];

  constructor(machine: Machine, { budget, fleet, look, now, rules }: Facts) {
    this.machine = machine;
    this.its = machineFacts(machine);
    this.fleet = fleet;
    this.rules = rules;
    this.now = now;
    this.look = look;
    this.budget = budget;
  }

  /** It came of a create without an answer, which counted as not carried out. */
  get turnedUpLate(): boolean {
    const { answer } = this.machine;
    return answer?.kind !== "created" && answer?.kind !== "unwanted" && !this.its.isBusy;
  }

  /**
   * How many of the repository's machines are older, by the last list. Ours that went since don't count, and one with
   * several instances counts once.
   */
  get older(): number {
    const { instance } = this.its;
    if (instance?.older === undefined) return 0;
    const { instancesAt = 0, machines } = this.fleet;
    const own = machines.map((machine) => machineFacts(machine).instance);
    const listed = machines
      .flatMap(({ instances }) => instances)
      .filter(({ aliveAt = 0, id }) => id < instance.id && aliveAt >= instancesAt);
    return instance.older - listed.filter((each) => each.goneAt !== undefined || !own.includes(each)).length;
  }

  /** Runs that began at once rented too many together. Each counts again, and the youngest give way. */
  get isOneTooMany(): boolean {
    return this.older >= this.rules.machinesPerRepository && !this.its.isBusy;
  }

  /** What the service said against a create that made an instance all the same, where no job runs on that. */
  get refusal(): string | undefined {
    const { answer } = this.machine;
    return answer?.kind === "unwanted" && !this.its.isBusy ? answer.sentence : undefined;
  }

  get isBidRefused(): boolean {
    return this.machine.candidate.price.bid !== undefined && /\bbid\b/i.test(this.refusal ?? "");
  }

  /** Nobody saw it running. */
  get isBooting(): boolean {
    return this.its.runningAt === undefined;
  }

  /** The service's word that the machine will never work, if it was never ready. */
  get failed(): FailedVerdict | undefined {
    const { instance, wasReady } = this.its;
    return instance?.verdict?.kind === "failed" && !wasReady ? instance.verdict : undefined;
  }

  /** What the service asks for it before it is ready, where that is more than `max-price` allows. */
  get dearer(): string | undefined {
    return this.its.wasReady ? undefined : priceAbove(this.machine, this.rules.maxPrice);
  }

  /** Its log's words about why it ends, as long as no job came to it. */
  get said(): Machine["words"] {
    const { hadJob, isBusy } = this.its;
    return isBusy || hadJob ? undefined : this.machine.words;
  }

  /**
   * It went before it was ready: after it ran, and then with no list of runners read since, or none when it went, so
   * that one may have been online. A first list after a gap says nothing of it, if it may have gone by then.
   */
  get wentEarly(): "unread" | "ran" | "unknown" | undefined {
    const { instance, runningAt, wasReady } = this.its;
    const { absentSince } = instance ?? {};
    if (wasReady || absentSince === undefined) return undefined;
    if (runningAt === undefined) return "unknown";
    const { runnersAt = 0, runnersReadSince = 0, runnersUnreadSince = absentSince } = this.fleet;
    const lastSeenAt = instance?.lastRunningAt ?? absentSince;
    const wasRead = absentSince - runnersUnreadSince < LATE.github && runnersReadSince <= lastSeenAt;
    return runnersAt > runningAt && wasRead ? "ran" : "unread";
  }

  /** GitHub dropped its first runner before that was online. */
  get isDropped(): boolean {
    return !this.its.wasReady && this.machine.slots[0]?.spentAt !== undefined;
  }

  /** The service says that it went once it was ready. A missing heartbeat is no loss, as the network may come back. */
  get went(): boolean {
    return this.its.wasReady && Number.isFinite(goneFrom(this.its.instance));
  }

  /** It went when it had nothing more to do, and took no job with it. */
  get wentByItself(): boolean {
    return this.went && this.#wasDone(goneFrom(this.its.instance));
  }

  /** How the service stopped it, if a job or its wait for one went with it. */
  get taken(): "was outbid" | "was stopped by the service" | undefined {
    const how = this.its.instance?.stopped?.how;
    if (how === undefined || !this.its.wasReady) return undefined;
    return this.#wentUnder().length > 0 || (this.went && !this.wentByItself) ? how : undefined;
  }

  /** Its host fell silent under one of its jobs. */
  get fellSilent(): boolean {
    const { instance, isBusy, wasReady } = this.its;
    const isSilentAlone = instance?.isSilent === true && instance.absentSince === undefined;
    return wasReady && !isBusy && isSilentAlone && this.#wentUnder().includes("fell silent");
  }

  /** GitHub has missed its runner for too long, and no job is on it. */
  get isOffline(): boolean {
    const { isBusy, wasReady } = this.its;
    return wasReady && !isBusy && seenFor(this.#offlineSince(), this.fleet) >= LATE.served;
  }

  /** The same, and it had nothing more to do when its runner went. */
  get isOfflineAndDone(): boolean {
    // Where the service's list can't be read, GitHub's alone shows that the machine went.
    const isThere = (this.its.instance?.lastRunningAt ?? 0) - this.#offlineSince() >= LATE.list;
    return this.isOffline && !isThere && this.#wasDone(this.#offlineSince());
  }

  /** The runner after its last job did not come online in time. */
  get isNextLate(): boolean {
    const { slot } = this.its;
    const { slots, timing } = this.machine;
    if (slot === undefined || slot === slots[0] || slot.onlineAt !== undefined) return false;
    const { idleSince, isBusy, wasReady } = this.its;
    return wasReady && !isBusy && seenFor(idleSince, this.fleet) >= timing.onlineMs;
  }

  /**
   * It is the one that is ready longest beside a job that waits, and too long. Then the next one has its time. Where
   * machines before it went while GitHub gave them no job, its time is shorter.
   */
  get isPassedOver(): boolean {
    const { besideSince, machineNo } = this.machine;
    if (besideSince === undefined) return false;
    const { fleet, look, rules } = this;
    const patience = Math.min(Math.max(rules.idleTimeout, LATE.served), LATE.listed);
    const ready = fleet.machines.map(machineFacts).filter(({ isReady }) => isReady);
    const [longest] = ready.toSorted((one, other) => one.idleSince - other.idleSince);
    const overlooked = fleet.machines.filter(
      ({ ending }) => ending?.id === "held-beside" || ending?.id === "passed-over",
    );
    const last = overlooked.map(({ ending }) => ending?.decidedAt ?? 0);
    // Only when the last job that ran is over may GitHub give out one that it held back for max-parallel.
    const freedAt = runningJobs(fleet) === 0 ? (fleet.lastFreedAt ?? 0) : 0;
    const silentSince = Math.max(fleet.silentSince ?? besideSince, besideSince - (patience - LATE.served));
    const since = Math.max(Math.min(besideSince, silentSince), freedAt, ...last);
    return longest?.machine.machineNo === machineNo && look.jobs - since >= patience;
  }

  /** Near the deadline no listener starts, but one that started just before may have a job. */
  get isUsedUp(): boolean {
    const { isBusy, wasReady } = this.its;
    return wasReady && !isBusy && !useOf(this.machine, this.rules, this.now).isFree;
  }

  #offlineSince(): number {
    return this.its.slot?.offlineSince ?? Number.POSITIVE_INFINITY;
  }

  /** Returns how the machine went under each of its jobs that it ended. */
  #wentUnder(): string[] {
    const causes = this.machine.slots.map((slot) => causeOf(slot, this.machine, this.look));
    return causes.flatMap((cause) => (cause.by === "machine" ? cause.went : []));
  }

  /** True if the machine had nothing more to do then, and took no job with it. */
  #wasDone(then: number): boolean {
    const { isBusy, mayBeIdleSince } = this.its;
    const { rules } = this;
    if (isBusy || this.#wentUnder().length > 0) return false;
    return !useOf(this.machine, rules, then).hasSlot || then - mayBeIdleSince >= rules.idleTimeout;
  }
}
