import { formatDuration } from "../../shared/duration.ts";
import { firstAnswer } from "../../shared/rows.ts";
import { autoBootLimitMs } from "../../timing/limits.ts";
import { TUNING } from "../../timing/tuning.ts";
import type { Facts } from "../facts.ts";
import { waitingJobs } from "../jobs.ts";
import { priceAbove } from "../recording/records.ts";
import { hasOther, isMarketFresh, onceFailed } from "../renting/offer.ts";
import {
  currentSlot,
  hadJob,
  hasSlot,
  idleSince,
  isAlive,
  isBusy,
  isCounted,
  isFree,
  isKeptForLook,
  isReady,
  type Machine,
  mainInstance,
  mayBeIdleSince,
  mayHoldJob,
  runningAt,
  type Slot,
  wasMade,
  wasReady,
} from "../stage.ts";
import type { Ending } from "../state.ts";
import { type Again, hasOutlived, wasMissed, wentWithMachine } from "./evidence.ts";
import { LATE } from "./late.ts";

/** What one row says of a machine. */
interface EndingVerdict extends Omit<Ending, "since" | "decidedAt"> {
  /** What must be looked at again before the verdict counts. Undefined: nothing. */
  again?: Again | undefined;
}

/** How long a machine may take to run, and from there to its runner, in milliseconds. */
interface MachineLimits {
  bootMs: number;
  onlineMs: number;
  /** True if they are shorter than the inputs' for want of room. */
  isShorter: boolean;
}

type EndingRow = (machine: Machine, facts: Facts) => EndingVerdict | undefined;

/** The rows of docs/holding.md that end a machine. The first that holds decides. */
const ENDING_ROWS: readonly EndingRow[] = [
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

/** Says why a machine ends, whatever is wanted. Undefined: it goes on. */
export function judgeMachine(machine: Machine, facts: Facts): EndingVerdict | undefined {
  return firstAnswer(ENDING_ROWS, machine, facts);
}

/** True for an alive machine whose end is not decided. */
export function isJudged(machine: Machine): boolean {
  return isAlive(machine) && wasMade(machine) && machine.ending === undefined;
}

/**
 * Judges again a machine whose end is decided. Its log may say only now why it failed, or why no job
 * came. The service may have stopped it under its job. And the job that it seemed to be lost with may
 * have ended well before that.
 */
export function judgeAgain(machine: Machine, { rules }: Pick<Facts, "rules">): EndingVerdict | undefined {
  const { ending } = machine;
  if (ending?.kind === "lost") return seemedLost(machine, ending, rules) ? backOf(machine) : undefined;
  if (ending?.kind === "failed" && ending.blame === undefined) return saidWhy(machine);
  if (ending?.kind !== "over" || !isAlive(machine)) return undefined;
  return hasCause(machine) ? lossOf(machine) : saidWhy(machine);
}

/** True if an end must be taken back: a job came to the machine, or one that counted as lost works on. */
export function isTakenBack(machine: Machine): boolean {
  const { ending, slots } = machine;
  if (ending === undefined || !isAlive(machine)) return false;
  if (!ending.force) return isBusy(machine);
  const { absentSince, isDestroying, verdict } = mainInstance(machine) ?? {};
  // While it is being destroyed, a list may show it as it was.
  const isThere = verdict?.kind === "running" && absentSince === undefined && !isDestroying;
  return ending.kind === "lost" && isThere && slots.some(({ job }) => job?.isOver === false);
}

/** True if the machine's deadline is over, and the time in which it ends itself. */
export function isPastDeadline({ deadline: at }: Machine, now: number): boolean {
  return now >= at + LATE.endsItself;
}

function deadline(machine: Machine, { now }: Facts): ReturnType<EndingRow> {
  if (!isPastDeadline(machine, now)) return undefined;
  return { kind: "deadline", why: `${machine.cutBy} is over`, force: true };
}

/** Ends a machine that the service made although it refused the create, unless a job runs on it. */
function unwanted(machine: Machine): ReturnType<EndingRow> {
  const { answer, candidate } = machine;
  if (answer?.kind !== "unwanted" || isBusy(machine)) return undefined;
  // A bid below the floor makes a stopped instance. The next bid must be higher.
  const isOutbid = candidate.price.bid !== undefined && /\bbid\b/i.test(answer.sentence);
  return { kind: "failed", why: answer.sentence, force: false, blame: "refused", isOutbid };
}

/** Ends a machine that turned up late from a create without an answer, unless a job runs on it. */
function turnedUp(machine: Machine): ReturnType<EndingRow> {
  if (machine.answer?.kind === "created" || isBusy(machine)) return undefined;
  const why = "it turned up late, from a create that gave no answer, and is not needed";
  return { kind: "unneeded", why, force: false };
}

/** Fails a machine that was never ready, on the service's own clear word. A missing heartbeat is none. */
function fatal(machine: Machine): ReturnType<EndingRow> {
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
    again: isSilent ? "instances" : undefined,
  };
}

/** Fails a machine that was never ready and costs more than max-price by now. */
function dear(machine: Machine, { rules: { maxPrice } }: Facts): ReturnType<EndingRow> {
  const price = wasReady(machine) ? undefined : priceAbove(machine, maxPrice);
  if (price === undefined) return undefined;
  const why = `the service asks ${price} per hour for it, more than max-price allows`;
  return { kind: "failed", why, force: false, blame: "price", again: "instances" };
}

/** What the machine script says where the host is at fault, whatever the image and the inputs. */
const OF_HOST = /^(?:This machine is no good: its clock|nvidia-smi) /;

/**
 * What the machine script says where the image is at fault, whatever the host. Failures as root are
 * not listed: if root can't install curl, a mirror may be away, and if root can't write, the disk is
 * broken.
 */
const OF_IMAGE =
  /^(?:Alpine images can't run |The image has glibc |There is no (?:nvidia-smi in|(?:curl, and|folder for) user [1-9]))/;

/** Fails a machine whose log says why it ends itself. It stays for a minute so that this can be read. */
function saidWhy(machine: Machine): EndingVerdict | undefined {
  const { words } = machine;
  if (words === undefined || isBusy(machine) || hadJob(machine)) return undefined;
  if (words.by === "runner")
    return { kind: "failed", why: `its runner ended before a job came: ${words.text}`, force: false, blame: "runner" };
  return { kind: "failed", why: `it gives itself back: ${words.text}`, force: false, blame: blamedBy(words.text) };
}

function blamedBy(text: string): Ending["blame"] {
  if (OF_HOST.test(text)) return "machine";
  return OF_IMAGE.test(text) ? "unfit-image" : "preparing";
}

const UNREAD = "it gave itself back, while GitHub's list of runners could not be read";

function vanishedEarly(machine: Machine, { fleet: { runnersAt = 0 } }: Facts): ReturnType<EndingRow> {
  if (wasReady(machine) || mainInstance(machine)?.absentSince === undefined) return undefined;
  const ranAt = runningAt(machine);
  // The script gives the machine back when it can't get as far as a runner. Its log goes with it.
  const isPreparing = ranAt !== undefined;
  if (isPreparing && runnersAt <= ranAt) return { ...backOf(machine), why: UNREAD, force: false };
  const why = isPreparing
    ? "it gave itself back before its runner was online: its key, its GPUs, its tools or the probe were no good"
    : "the service does not know it any more";
  const blame = isPreparing ? "preparing" : "machine";
  return { kind: "failed", why, force: false, blame, again: "instances, then jobs" };
}

function droppedEarly(machine: Machine, { now }: Facts): ReturnType<EndingRow> {
  if (wasReady(machine) || machine.slots[0]?.spentAt === undefined) return undefined;
  const why = `GitHub dropped its runner before a job came; its runner configuration was ${ageOf(machine, now)} old`;
  return { kind: "failed", why, force: false, again: "instances, then jobs" };
}

function ageOf({ askedAt, registeredAt }: Machine, now: number): string {
  return `${Math.round((now - (registeredAt ?? askedAt)) / 1000)} s`;
}

/**
 * Fails a machine that exceeds its limits. While nothing else is to be had, it may take as long as
 * its job may wait.
 */
function late(machine: Machine, facts: Facts): ReturnType<EndingRow> {
  const { now, rules } = facts;
  const why = wasReady(machine) ? undefined : lateness(machine, facts);
  if (why === undefined) return undefined;
  const isOther = isMarketFresh(facts.fleet, rules, now) && hasOther(onceFailed(facts, machine));
  if (mayWait(machine, facts) && !isOther) return undefined;
  return { kind: "failed", why, force: false, blame: runningAt(machine) === undefined ? "boot" : "online" };
}

/** True while the machine's job may wait on. */
function mayWait({ askedAt, timing }: Machine, { fleet, now, rules }: Facts): boolean {
  return timing.mayWait && now - (fleet.unservedSince ?? askedAt) < rules.readyMs;
}

/** True if the machine is kept only while there is no other offer, and the last search is too old to tell. */
export function asksMarket(machine: Machine, facts: Facts): boolean {
  const { fleet, now, rules } = facts;
  if (isMarketFresh(fleet, rules, now) || !mayWait(machine, facts)) return false;
  return isJudged(machine) && !wasReady(machine) && lateness(machine, facts) !== undefined;
}

/** Says how a machine exceeds its limits, by what lists showed. An unreadable list proves no delay. */
function lateness(machine: Machine, facts: Facts): string | undefined {
  const { fleet, now } = facts;
  const { instancesAt = 0 } = fleet;
  const { bootMs, isShorter, onlineMs } = ownLimits(machine, facts);
  const inTheWay = isShorter ? ", cut short because the input machines leaves no room for another" : "";
  const instance = mainInstance(machine);
  if (instance === undefined) return undefined;
  if (instance.runningAt === undefined) {
    if (instancesAt - instance.foundAt < bootMs) return undefined;
    const seen = instance.verdict?.status ?? "nothing";
    return `it did not reach running within boot-timeout (${formatDuration(bootMs)}, last seen: ${seen})${inTheWay}`;
  }
  if (seenFor(instance.runningAt, fleet) < onlineMs) return undefined;
  const age = machine.registeredAt === undefined ? "" : `; its runner configuration was ${ageOf(machine, now)} old`;
  return `its runner did not come online within online-timeout (${formatDuration(onlineMs)})${inTheWay}${age}`;
}

/**
 * Returns the limits of a machine. With `boot-timeout: auto` they are shorter while it keeps a waiting
 * job from another machine, once a machine of this session was ready: then the expectations are not
 * all wrong.
 */
function ownLimits({ timing }: Machine, facts: Facts): MachineLimits {
  const { bootMs, expectedMs, mayWait: isAuto, onlineMs, setupMs = 0 } = timing;
  if (!isAuto || !isCrowded(facts)) return { bootMs, onlineMs, isShorter: false };
  return {
    bootMs: Math.min(bootMs, autoBootLimitMs(expectedMs, false)),
    onlineMs: Math.min(onlineMs, TUNING.limits.patienceWithoutRoom * TUNING.late.onlineMs + setupMs),
    isShorter: true,
  };
}

/** True if no other machine may be started though more jobs wait than machines are ready, and one was ready once. */
function isCrowded({ fleet, now, rules }: Facts): boolean {
  const { machines } = fleet;
  if (!rules.hedge || !machines.some(wasReady)) return false;
  const isFull = machines.filter(isCounted).length >= rules.machines;
  return isFull && waitingJobs(fleet, now).length > machines.filter(isReady).length;
}

/** Ends a machine that went after it was ready. A missing heartbeat is no loss: the network may come back. */
function lost(machine: Machine, { rules }: Facts): ReturnType<EndingRow> {
  const { absentSince, brokenSince, isSilent, verdict } = mainInstance(machine) ?? {};
  if (!wasReady(machine)) return undefined;
  if (absentSince === undefined && isSilent) return missed(machine);
  if (absentSince === undefined && verdict?.kind !== "failed") return undefined;
  const since = Math.min(absentSince ?? Number.POSITIVE_INFINITY, brokenSince ?? Number.POSITIVE_INFINITY);
  return gaveItselfBack(machine, rules, since) ? backOf(machine) : lossOf(machine);
}

/** True if the machine only seemed to be lost: an old list showed a job as running that had ended well. */
function seemedLost(machine: Machine, { isOutbid, isStopped, since }: Ending, rules: Facts["rules"]): boolean {
  const haveEndedWell = machine.slots.every(({ job }) => job === undefined || (job.isOver && !job.isBad));
  return hadJob(machine) && haveEndedWell && !isOutbid && !isStopped && gaveItselfBack(machine, rules, since);
}

function backOf(machine: Machine): EndingVerdict {
  const what = mayHoldJob(machine) ? "GitHub gave it a job that never began, and it gave" : "it gave";
  return { kind: "over", why: `${what} itself back`, force: true, again: "instances, then jobs" };
}

function lossOf(machine: Machine): EndingVerdict {
  const verdict = mainInstance(machine)?.verdict;
  const { outbid: isOutbid = false, stopped: isStopped = false } = verdict?.kind === "failed" ? verdict : {};
  const lostBy = isStopped ? "the machine was lost: the service stopped it" : "the machine was lost";
  const why = isOutbid ? "it was outbid, and the service stopped it" : lostBy;
  return { kind: "lost", why, force: true, isOutbid, isStopped, again: "instances, then jobs" };
}

/** Ends a silent machine whose job GitHub ended because it missed the runner. */
function missed(machine: Machine): ReturnType<EndingRow> {
  const isMissed = machine.slots.some((slot) => wasMissed(slot) && !hasOutlived(machine, slot));
  if (isBusy(machine) || !isMissed) return undefined;
  return {
    kind: "lost",
    why: "its host fell silent, and GitHub missed its runner",
    force: false,
    again: "instances, then jobs",
  };
}

/** True if the machine went because it had nothing more to do, and took no job with it. */
function gaveItselfBack(machine: Machine, rules: Facts["rules"], since: number): boolean {
  const wentUnder = machine.slots.some((slot) => wentWithMachine(slot, since) && !hasOutlived(machine, slot));
  if (hasCause(machine) || wentUnder || isBusy(machine)) return false;
  return !hasSlot(machine, rules, since) || since - mayBeIdleSince(machine) >= rules.idleTimeout;
}

/** True if a list showed the machine as running too long after `since` for it to have gone then. */
function isStillThere(machine: Machine, since: number): boolean {
  const { lastRunningAt = 0 } = mainInstance(machine) ?? {};
  return lastRunningAt - since >= LATE.list;
}

/** True if the service says that it outbid or stopped the machine before its last job ended badly. */
function hasCause(machine: Machine): boolean {
  return machine.slots.some((slot) => wasStoppedUnder(slot, machine));
}

/**
 * True if the service stopped the machine under the slot's job. A later list that shows it running
 * disproves that.
 */
export function wasStoppedUnder({ job, spentAt = 0 }: Slot, machine: Machine): boolean {
  const { lastRunningAt = 0, verdict } = mainInstance(machine) ?? {};
  const isShown = verdict?.kind === "failed" && (verdict.outbid === true || verdict.stopped === true);
  // Once a machine is being released, a list may show any state. What ended it holds.
  const isStopped = isShown || machine.ending?.isOutbid === true || machine.ending?.isStopped === true;
  return isStopped && job?.isBad === true && lastRunningAt < spentAt + LATE.list;
}

/** Returns how long the list of runners has shown something, without the time in which it was unreadable. */
function seenFor(since: number, { runnersAt = 0, runnersReadSince = 0 }: Facts["fleet"]): number {
  return runnersAt - Math.max(since, runnersReadSince);
}

/** Ends a ready machine whose runner is offline for too long. An unreadable list proves nothing. */
function dropped(machine: Machine, { fleet, rules }: Facts): ReturnType<EndingRow> {
  const slot = currentSlot(machine);
  if (slot === undefined || isBusy(machine) || !wasReady(machine)) return undefined;
  if (slot.offlineSince !== undefined && seenFor(slot.offlineSince, fleet) >= LATE.offline) {
    // Where the service's list can't be read, GitHub's alone shows that the machine went.
    const isBack = !isStillThere(machine, slot.offlineSince) && gaveItselfBack(machine, rules, slot.offlineSince);
    return isBack
      ? { ...backOf(machine), force: false }
      : { kind: "dropped", why: "GitHub dropped its runner", force: false };
  }
  const isNext = slot !== machine.slots[0] && slot.onlineAt === undefined;
  if (!isNext || seenFor(idleSince(machine), fleet) < machine.timing.onlineMs) return undefined;
  return { kind: "dropped", why: "its next runner did not come online within online-timeout", force: false };
}

/** Ends a machine that has no slot left. It gives itself back. */
function over(machine: Machine, { now, rules }: Facts): ReturnType<EndingRow> {
  if (!wasReady(machine) || isBusy(machine) || isFree(machine, rules, now)) return undefined;
  const jobs = machine.slots.flatMap(({ job }) => (job === undefined ? [] : [`'${job.name}'`]));
  const why = jobs.length > 0 ? `${jobs.join(", ")} ran on it` : "no job came to it";
  // Near the deadline no listener starts, but one that started just before may have a job.
  return { kind: "over", why, force: currentSlot(machine) === undefined };
}

/** Returns when an ending machine is to be destroyed, in milliseconds since the epoch. */
export function destroyAt(machine: Machine, limits: Parameters<typeof isKeptForLook>[1]): number {
  const { deadline: latest, ending, slots } = machine;
  const { absentSince, brokenSince, isSilent } = mainInstance(machine) ?? {};
  if (ending?.kind !== "over" || absentSince !== undefined) return Number.NEGATIVE_INFINITY;
  const isKept = isKeptForLook(machine, limits);
  // A slot that must not start is removed at once, before a job comes to it.
  if (currentSlot(machine) !== undefined && !isKept) return Number.NEGATIVE_INFINITY;
  // `keep-failed` counts from the end of the machine's job. The slots that never start end later.
  const counted = isKept ? slots.filter(({ job }) => job !== undefined) : slots;
  const ended = Math.max(...counted.map(({ spentAt }) => spentAt ?? ending.since));
  const destroyedAt = Math.min(ended + LATE.givesItselfBack + (isKept ? limits.keepFailed : 0), latest);
  // A machine that was stopped or has exited can't give itself back, and nobody can log in to it.
  return brokenSince === undefined || isSilent ? destroyedAt : Math.min(destroyedAt, brokenSince + LATE.confirmed);
}
