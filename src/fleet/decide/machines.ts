import { formatDuration } from "../../shared/duration.ts";
import { priceAbove } from "../records.ts";
import {
  CONFIRMED_AFTER_MS,
  currentSlot,
  hasOutlived,
  hasSlot,
  idleSince,
  isAlive,
  isBusy,
  isFree,
  isKeptForLook,
  LIST_LAG_MS,
  type Machine,
  mainInstance,
  mayBeIdleSince,
  mayHoldJob,
  runningAt,
  type Slot,
  wasMade,
  wasMissed,
  wasReady,
  wentWithMachine,
} from "../stage.ts";
import type { Ending } from "../state.ts";
import type { Facts } from "./facts.ts";
import { budgetOnceGone, hasOther, isMarketFresh } from "./market.ts";

/** An offline runner may come back within this time. SPEC-SILENT: GitHub names no figure. */
const OFFLINE_IS_DROPPED_MS = 120_000;
/** A machine whose slots are over has so long to give itself back. */
const GIVES_ITSELF_BACK_MS = 60_000;
/** At its deadline it ends its runner and gives itself back within this time. */
const ENDS_ITSELF_MS = 30_000;

/** One row's word on a machine. */
interface Verdict extends Omit<Ending, "since" | "decidedAt"> {
  /**
   * It counts only when a second look at the instances says the same; `jobs`: and one at the jobs,
   * as a short one may have come and gone between two looks at its machine.
   */
  needsConfirmation?: "instances" | "jobs" | undefined;
}

type Row = (machine: Machine, facts: Facts) => Verdict | undefined;

/** DESIGN, "Each machine": the first row that holds. */
const ROWS: readonly Row[] = [
  deadline,
  unwanted,
  turnedUp,
  fatal,
  dear,
  saidWhy,
  vanishedEarly,
  droppedEarly,
  late,
  lost,
  dropped,
  over,
];

/** Judges a machine, whatever is wanted; undefined: it goes on. */
export function judgeMachine(machine: Machine, facts: Facts): Verdict | undefined {
  for (const row of ROWS) {
    const verdict = row(machine, facts);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** True while it is there and nobody ended it; one that is over may turn out to be lost. */
export function isJudged(machine: Machine): boolean {
  return isAlive(machine) && wasMade(machine) && machine.ending === undefined;
}

/**
 * Judges one that was over: the service had stopped it under its job, whose end was seen first, or
 * it says by now why no job came to it.
 */
export function judgeAgain(machine: Machine): Verdict | undefined {
  if (machine.ending?.kind !== "over" || !isAlive(machine)) return undefined;
  return hasCause(machine) ? lossOf(machine) : saidWhy(machine);
}

/** An end that what was seen since takes back: a job came, or what counted as lost works on. */
export function isTakenBack(machine: Machine): boolean {
  const { ending, slots } = machine;
  if (ending === undefined || !isAlive(machine)) return false;
  if (!ending.force) return isBusy(machine);
  const isThere =
    mainInstance(machine)?.verdict?.kind === "running" && mainInstance(machine)?.absentSince === undefined;
  return ending.kind === "lost" && isThere && slots.some(({ job }) => job?.isOver === false);
}

/** Its deadline is over, and the time in which it ends itself. */
export function isPastDeadline({ deadline: at }: Machine, now: number): boolean {
  return now >= at + ENDS_ITSELF_MS;
}

function deadline(machine: Machine, { now }: Facts): ReturnType<Row> {
  if (!isPastDeadline(machine, now)) return undefined;
  return { kind: "deadline", why: `${machine.cutBy} is over`, force: true };
}

/** The service refused its create, and made it all the same. */
function unwanted({ answer, candidate }: Machine): ReturnType<Row> {
  if (answer?.kind !== "unwanted") return undefined;
  // A bid below the floor makes a stopped instance: that is to be outbid at once.
  const isOutbid = candidate.price.bid !== undefined && /\bbid\b/i.test(answer.sentence);
  return { kind: "failed", why: answer.sentence, force: false, blame: "refused", isOutbid };
}

/** It turned up though its create was not known to make one. Nobody waits for it; a job may run. */
function turnedUp(machine: Machine): ReturnType<Row> {
  if (machine.answer?.kind === "created" || isBusy(machine)) return undefined;
  const why = "it turned up late, from a create that gave no answer, and is not needed";
  return { kind: "unneeded", why, force: false };
}

/** The service's own clear word about one that was never ready; a missing heartbeat is none. */
function fatal(machine: Machine): ReturnType<Row> {
  const { isSilent, verdict } = mainInstance(machine) ?? {};
  if (wasReady(machine) || verdict?.kind !== "failed") return undefined;
  const { blame, outbid: isOutbid, stopped: isStopped, why } = verdict;
  return {
    kind: "failed",
    why,
    force: false,
    blame,
    isOutbid,
    isStopped,
    needsConfirmation: isSilent ? "instances" : undefined,
  };
}

/** The service asks more for it than its offer said, and no job came to it yet. */
function dear(machine: Machine, { rules: { maxPrice } }: Facts): ReturnType<Row> {
  const price = wasReady(machine) ? undefined : priceAbove(machine, maxPrice);
  if (price === undefined) return undefined;
  const why = `the service asks ${price} per hour for it, more than max-price allows`;
  return { kind: "failed", why, force: false, blame: "price", needsConfirmation: "instances" };
}

/** These are the host's own, whatever the image and the inputs. */
const OF_HOST = /^(?:This machine is no good: its clock|nvidia-smi) /;

/**
 * These are the image's, whatever the host: onstart/ says them. Where root can't install curl a
 * mirror may be away, and where it can write nowhere the disk is broken.
 */
const OF_IMAGE = /^(?:Alpine images can't run |There is no (?:curl, and|folder for) user [1-9])/;

/** It says why it gives itself back, whatever GitHub still shows, and stays so that this can be read. */
function saidWhy(machine: Machine): Verdict | undefined {
  const { slots, words } = machine;
  if (words === undefined || isBusy(machine) || slots.some(({ job }) => job)) return undefined;
  if (words.by === "runner")
    return { kind: "failed", why: `its runner ended before a job came: ${words.text}`, force: false, blame: "runner" };
  return { kind: "failed", why: `it gives itself back: ${words.text}`, force: false, blame: blamedBy(words.text) };
}

function blamedBy(text: string): Ending["blame"] {
  if (OF_HOST.test(text)) return "machine";
  return OF_IMAGE.test(text) ? "unfit-image" : "preparing";
}

const UNREAD = "it gave itself back, while GitHub's list of runners could not be read";

function vanishedEarly(machine: Machine, { fleet: { runnersAt = 0 } }: Facts): ReturnType<Row> {
  if (wasReady(machine) || mainInstance(machine)?.absentSince === undefined) return undefined;
  const ranAt = runningAt(machine);
  // The script does so when it can't come as far as a runner; its log is gone with it.
  const isPreparing = ranAt !== undefined;
  if (isPreparing && runnersAt <= ranAt) return { ...backOf(machine), why: UNREAD, force: false };
  const why = isPreparing
    ? "it gave itself back before its runner was online: its key, its GPUs, its tools or the probe were no good"
    : "the service does not know it any more";
  const blame = isPreparing ? "preparing" : "machine";
  return { kind: "failed", why, force: false, blame, needsConfirmation: "jobs" };
}

function droppedEarly(machine: Machine, { now }: Facts): ReturnType<Row> {
  if (wasReady(machine) || machine.slots[0]?.spentAt === undefined) return undefined;
  const why = `GitHub dropped its runner before a job came; its runner configuration was ${ageOf(machine, now)} old`;
  return { kind: "failed", why, force: false, needsConfirmation: "jobs" };
}

function ageOf({ askedAt, registeredAt }: Machine, now: number): string {
  return `${Math.round((now - (registeredAt ?? askedAt)) / 1000)} s`;
}

/** Later than its limits. While nothing else is to be had, it stays as long as its job may wait. */
function late(machine: Machine, facts: Facts): ReturnType<Row> {
  const { now, rules } = facts;
  const why = wasReady(machine) ? undefined : tooLate(machine, facts);
  if (why === undefined) return undefined;
  // With a new volume one machine is all that is ever rented: no other one is to be had.
  const onceGone = { ...facts, budget: budgetOnceGone(facts, [machine]) };
  const isOther = !rules.volumeCreateNew && isMarketFresh(facts.fleet, rules, now) && hasOther(onceGone);
  if (mayWait(machine, facts) && !isOther) return undefined;
  return { kind: "failed", why, force: false, blame: runningAt(machine) === undefined ? "boot" : "online" };
}

/** Its job may wait on. */
function mayWait({ askedAt, timing }: Machine, { fleet, now, rules }: Facts): boolean {
  return timing.mayWait && now - (fleet.unservedSince ?? askedAt) < rules.readyMs;
}

/** It is kept while no other offer is to be had, and nobody knows whether one is by now. */
export function asksMarket(machine: Machine, facts: Facts): boolean {
  const { fleet, now, rules } = facts;
  const isTooLate = isJudged(machine) && !wasReady(machine) && tooLate(machine, facts) !== undefined;
  return isTooLate && mayWait(machine, facts) && !rules.volumeCreateNew && !isMarketFresh(fleet, rules, now);
}

/** Judged by what lists showed: one that can't be read proves no delay. */
function tooLate(machine: Machine, { fleet, now }: Facts): string | undefined {
  const { timing } = machine;
  const { instancesAt = 0 } = fleet;
  const instance = mainInstance(machine);
  if (instance === undefined) return undefined;
  if (instance.runningAt === undefined) {
    if (instancesAt - instance.foundAt < timing.bootMs) return undefined;
    const seen = instance.verdict?.status ?? "nothing";
    return `it did not reach running within boot-timeout (${formatDuration(timing.bootMs)}, last seen: ${seen})`;
  }
  if (seenFor(instance.runningAt, fleet) < timing.onlineMs) return undefined;
  const age = machine.registeredAt === undefined ? "" : `; its runner configuration was ${ageOf(machine, now)} old`;
  return `its runner did not come online within online-timeout (${formatDuration(timing.onlineMs)})${age}`;
}

/** Gone after it was ready. A missing heartbeat is no loss: its network may come back. */
function lost(machine: Machine, { rules }: Facts): ReturnType<Row> {
  const { absentSince, brokenSince, isSilent, verdict } = mainInstance(machine) ?? {};
  if (!wasReady(machine)) return undefined;
  if (absentSince === undefined && isSilent) return missed(machine);
  if (absentSince === undefined && verdict?.kind !== "failed") return undefined;
  const since = Math.min(absentSince ?? Number.POSITIVE_INFINITY, brokenSince ?? Number.POSITIVE_INFINITY);
  return gaveItselfBack(machine, rules, since) ? backOf(machine) : lossOf(machine);
}

function backOf(machine: Machine): Verdict {
  const what = mayHoldJob(machine) ? "GitHub gave it a job that never began, and it gave" : "it gave";
  return { kind: "over", why: `${what} itself back`, force: true, needsConfirmation: "jobs" };
}

function lossOf(machine: Machine): Verdict {
  const verdict = mainInstance(machine)?.verdict;
  const { outbid: isOutbid = false, stopped: isStopped = false } = verdict?.kind === "failed" ? verdict : {};
  const lostBy = isStopped ? "the machine was lost: the service stopped it" : "the machine was lost";
  const why = isOutbid ? "it was outbid, and the service stopped it" : lostBy;
  return { kind: "lost", why, force: true, isOutbid, isStopped, needsConfirmation: "jobs" };
}

/** GitHub's own word on the job of a silent machine: it ended the job whose runner it missed. */
function missed(machine: Machine): ReturnType<Row> {
  const isMissed = machine.slots.some((slot) => wasMissed(slot) && !hasOutlived(machine, slot));
  if (isBusy(machine) || !isMissed) return undefined;
  return {
    kind: "lost",
    why: "its host fell silent, and GitHub missed its runner",
    force: false,
    needsConfirmation: "jobs",
  };
}

/** It went when it had nothing more to do: not one whose job went with it. */
function gaveItselfBack(machine: Machine, rules: Facts["rules"], since: number): boolean {
  const wentUnder = machine.slots.some((slot) => wentWithMachine(slot, since) && !hasOutlived(machine, slot));
  if (hasCause(machine) || wentUnder || isBusy(machine)) return false;
  return !hasSlot(machine, rules, since) || since - mayBeIdleSince(machine) >= rules.idleTimeout;
}

/** The service's own word that it outbid or stopped it, no later than its last job ended badly. */
function hasCause(machine: Machine): boolean {
  return machine.slots.some((slot) => wasStoppedUnder(slot, machine));
}

/** A list of some time after the job's end that shows it running proves that it was no cause. */
export function wasStoppedUnder({ job, spentAt = 0 }: Slot, machine: Machine): boolean {
  const { lastRunningAt = 0, verdict } = mainInstance(machine) ?? {};
  const isStopped = verdict?.kind === "failed" && (verdict.outbid === true || verdict.stopped === true);
  return isStopped && job?.isBad === true && lastRunningAt < spentAt + LIST_LAG_MS;
}

/** How long something has held by the list of runners, without the time in which that could not be read. */
function seenFor(since: number, { runnersAt = 0, runnersReadSince = 0 }: Facts["fleet"]): number {
  return runnersAt - Math.max(since, runnersReadSince);
}

/** Judged by the runners' list: unreadable, it says nothing of one that was offline. */
function dropped(machine: Machine, { fleet }: Facts): ReturnType<Row> {
  const slot = currentSlot(machine);
  if (slot === undefined || isBusy(machine) || !wasReady(machine)) return undefined;
  if (slot.offlineSince !== undefined && seenFor(slot.offlineSince, fleet) >= OFFLINE_IS_DROPPED_MS)
    return { kind: "dropped", why: "GitHub dropped its runner", force: false };
  const isNext = slot !== machine.slots[0] && slot.onlineAt === undefined;
  if (!isNext || seenFor(idleSince(machine), fleet) < machine.timing.onlineMs) return undefined;
  return { kind: "dropped", why: "its next runner did not come online within online-timeout", force: false };
}

/** No slot is left in it: it gives itself back. */
function over(machine: Machine, { now, rules }: Facts): ReturnType<Row> {
  if (!wasReady(machine) || isBusy(machine) || isFree(machine, rules, now)) return undefined;
  const jobs = machine.slots.flatMap(({ job }) => (job === undefined ? [] : [`'${job.name}'`]));
  const why = jobs.length > 0 ? `${jobs.join(", ")} ran on it` : "no job came to it";
  // Near its end no listener is begun; one that began a moment before may have a job.
  return { kind: "over", why, force: currentSlot(machine) === undefined };
}

/** When a machine that ends is to be destroyed, in milliseconds since the epoch. */
export function destroyAt(machine: Machine, limits: Parameters<typeof isKeptForLook>[1]): number {
  const { deadline: latest, ending, slots } = machine;
  const { absentSince, brokenSince, isSilent } = mainInstance(machine) ?? {};
  if (ending?.kind !== "over" || absentSince !== undefined) return Number.NEGATIVE_INFINITY;
  const isKept = isKeptForLook(machine, limits);
  // A slot that shall not begin is taken away at once, before a job comes to it.
  if (currentSlot(machine) !== undefined && !isKept) return Number.NEGATIVE_INFINITY;
  // It counts its look from the end of its job; the slots that shall not begin end later.
  const counted = isKept ? slots.filter(({ job }) => job !== undefined) : slots;
  const ended = Math.max(...counted.map(({ spentAt }) => spentAt ?? ending.since));
  const destroyedAt = Math.min(ended + GIVES_ITSELF_BACK_MS + (isKept ? limits.keepFailed : 0), latest);
  // One that was stopped or exited gives nothing back, and nobody can look at it.
  return brokenSince === undefined || isSilent ? destroyedAt : Math.min(destroyedAt, brokenSince + CONFIRMED_AFTER_MS);
}
