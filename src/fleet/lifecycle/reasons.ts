import { OF_SCRIPT } from "../../machine/said.ts";
import { findingOf, type Judging } from "../facts.ts";
import { priceAbove } from "../price.ts";
import {
  currentSlot,
  hadJob,
  hasSlot,
  idleSince,
  isBusy,
  isFree,
  isReady,
  isStuck,
  type Machine,
  mainInstance,
  mayBeIdleSince,
  mayHoldJob,
  ownEnd,
  runningAt,
  wasReady,
} from "../stage.ts";
import type { Ending, ReasonId } from "../state.ts";
import { causeOf, goneFrom } from "./cause-of.ts";
import { type Again, isSure } from "./evidence.ts";
import { LATE } from "./late.ts";
import {
  ageOfConfiguration,
  isLateToComeOnline,
  isLateToRun,
  lateToComeOnline,
  lateToRun,
  seenFor,
} from "./lateness.ts";

/** One reason for which machines end. */
interface Reason {
  id: ReasonId;
  /** The word of the log and the docs. */
  kind: Ending["kind"];
  cause?: Ending["cause"];
  first: Ending["first"];
  /** What must be looked at again before the reason counts. Undefined: nothing. */
  again?: Again;
  /** Rows of one finding share its age. Undefined: the row is its own finding. */
  finding?: "went";
  /** It may be seen only when the machine ends already, and is then the better reason than a vague one. */
  explains?: true;
  /** It says only that the machine ends, and a row that explains why takes its place. */
  isVague?: true;
  holds: (machine: Machine, facts: Judging) => boolean;
  why: (machine: Machine, facts: Judging) => string;
}

const ANYTHING = /^/;

// Columns that rows share.
const LOOK_AGAIN = { again: "instances, then jobs" } as const;
const WENT = { ...LOOK_AGAIN, finding: "went" } as const;
const FAILS = { kind: "failed", first: "runners" } as const;
const EXPLAINED = { ...FAILS, explains: true } as const;
const OVER = { kind: "over", cause: "idle", isVague: true } as const;
const IS_LOST = { kind: "lost", cause: "lost", isVague: true } as const;
const TAKEN = { kind: "lost", first: "instance", explains: true, ...WENT } as const;
const DROPPED = { kind: "dropped", cause: "lost", first: "runners" } as const;

/** The reasons of docs/internals/holding.md, one row each. The first that holds decides. */
export const REASONS: readonly Reason[] = [
  { id: "deadline", kind: "deadline", cause: "idle", first: "instance", holds: isPastDeadline, why: cutBy },
  { id: "bid-refused", ...FAILS, cause: "outbid", holds: isRefusedBid, why: refusal },
  { id: "refused-and-made", ...FAILS, cause: "refused", holds: isUnwanted, why: refusal },
  { id: "turned-up-late", kind: "unneeded", first: "runners", holds: hasTurnedUp, why: () => TURNED_UP },
  { id: "one-too-many", kind: "unneeded", first: "runners", again: "instances", holds: isOneTooMany, why: tooMany },
  { id: "outbid-early", ...FAILS, cause: "outbid", holds: failedAs({ outbid: true }), why: verdictWhy },
  { id: "stopped-early", ...FAILS, cause: "stopped", holds: failedAs({ stopped: true }), why: verdictWhy },
  { id: "no-pull", ...FAILS, cause: "image", holds: failedAs({ blame: "image" }), why: verdictWhy },
  { id: "no-login", ...FAILS, cause: "login", holds: failedAs({ blame: "login" }), why: verdictWhy },
  { id: "no-platform", ...FAILS, cause: "platform", holds: failedAs({ blame: "platform" }), why: verdictWhy },
  { id: "old-driver", ...FAILS, cause: "driver", holds: failedAs({ blame: "driver" }), why: verdictWhy },
  { id: "silent-early", ...FAILS, cause: "machine", again: "instances", holds: isSilentEarly, why: verdictWhy },
  {
    id: "in-trouble-early",
    ...FAILS,
    cause: "machine",
    again: "instances",
    holds: failedAs({ isUnsure: true }),
    why: verdictWhy,
  },
  { id: "broken-early", ...FAILS, cause: "machine", holds: failedAs({}), why: verdictWhy },
  { id: "dear", ...FAILS, cause: "price", again: "instances", holds: isDear, why: dearer },
  { id: "runner-ended", ...EXPLAINED, cause: "runner", holds: says("runner", ANYTHING), why: said },
  { id: "says-host", ...EXPLAINED, cause: "machine", holds: says("script", OF_SCRIPT.host), why: said },
  { id: "says-image", ...EXPLAINED, cause: "unfit-image", holds: says("script", OF_SCRIPT.image), why: said },
  { id: "says-why", ...EXPLAINED, cause: "preparing", holds: says("script", ANYTHING), why: said },
  { id: "went-unread", ...OVER, first: "runners", ...WENT, holds: wentUnread, why: unread },
  { id: "went-preparing", ...FAILS, cause: "preparing", ...WENT, holds: wentPreparing, why: () => NO_RUNNER },
  { id: "went-early", ...FAILS, cause: "machine", ...WENT, holds: wentEarly, why: () => NOT_KNOWN },
  {
    id: "runner-dropped",
    ...FAILS,
    cause: "lost",
    ...LOOK_AGAIN,
    isVague: true,
    holds: isDroppedEarly,
    why: droppedEarly,
  },
  { id: "late-to-run", ...FAILS, cause: "boot", holds: isLateToRun, why: lateToRun },
  { id: "late-to-come-online", ...FAILS, cause: "online", holds: isLateToComeOnline, why: lateToComeOnline },
  { id: "outbid", ...TAKEN, cause: "outbid", holds: wasTaken("was outbid"), why: () => OUTBID },
  { id: "stopped", ...TAKEN, cause: "stopped", holds: wasTaken("was stopped by the service"), why: () => STOPPED },
  { id: "bound-to-a-job", ...OVER, first: "instance", ...WENT, holds: wentWithBoundJob, why: () => BOUND },
  { id: "gave-itself-back", ...OVER, first: "instance", ...WENT, explains: true, holds: wentByItself, why: () => BACK },
  { id: "fell-silent", ...IS_LOST, first: "runners", ...LOOK_AGAIN, holds: fellSilent, why: () => FELL_SILENT },
  { id: "lost", ...IS_LOST, first: "instance", ...WENT, holds: wentReady, why: () => WAS_LOST },
  { id: "offline-and-done", ...OVER, first: "runners", ...LOOK_AGAIN, holds: isOfflineAndDone, why: () => BACK },
  { id: "runner-offline", ...DROPPED, holds: isOffline, why: () => OFFLINE },
  { id: "next-runner-late", ...DROPPED, holds: isNextLate, why: () => NEXT_LATE },
  { id: "stuck", ...OVER, first: "runners", holds: isStuck, why: () => IS_STUCK },
  { id: "held-beside", kind: "over", first: "runners", holds: isHeldBeside, why: () => BESIDE },
  {
    id: "passed-over",
    kind: "over",
    cause: "passed-over",
    first: "runners",
    holds: isPassedOver,
    why: () => PASSED_OVER,
  },
  { id: "used-up", ...OVER, first: "runners", holds: isUsedUp, why: ranOnIt },
];

/** The reason of a machine that ends because no job needs it. How many are needed is counted elsewhere. */
export const UNNEEDED = { id: "unneeded", kind: "unneeded", first: "runners", why: "no job needs it" } as const;

/** What one look says of a machine, and whether that counts yet. */
export interface Judgement {
  reason: Omit<Ending, "since" | "decidedAt">;
  since: number;
  isSure: boolean;
  /** What is looked at again, if anything is. */
  finding?: string;
}

/** Says why a machine ends, whatever is wanted. Undefined: it goes on. */
export function reasonOf(machine: Machine, facts: Judging): Judgement | undefined {
  const rows = isGoing(machine) ? REASONS.filter((row) => explains(row, machine)) : REASONS;
  const row = rows.find(({ holds }) => holds(machine, facts));
  if (row === undefined) return undefined;
  const { again, cause, first, id, isVague, kind } = row;
  const reason = { id, kind, cause, first, isVague, why: row.why(machine, facts) };
  const key = findingOf(machine.machineNo, row.finding ?? id);
  const { fleet, look } = facts;
  const since = again === undefined ? look.now : (fleet.findings[key] ?? look.instances);
  const finding = again === undefined ? {} : { finding: key };
  return { reason, since, isSure: isSure(since, again, look), ...finding };
}

/** True if a request that ends the machine was sent. Until then its end is judged anew at each look. */
export function isGoing({ ending, instances, isDraining, slots, unconfirmedDrains = 0 }: Machine): boolean {
  if (ending === undefined) return false;
  const isDrained = isDraining === true || unconfirmedDrains > 0 || slots.some(({ isRemoved }) => isRemoved);
  return isDrained || instances.every(isAskedToGo);
}

function isAskedToGo({ fault, goneAt, isDestroying }: Machine["instances"][number]): boolean {
  return goneAt !== undefined || isDestroying === true || fault !== undefined;
}

function explains(row: Reason, { ending }: Machine): boolean {
  return row.explains === true && ending?.isVague === true && !isSameEnd(row, ending);
}

/** True if two reasons mean the same for machine, host and job. */
export function isSameEnd(one: Pick<Ending, "kind" | "cause">, other: Pick<Ending, "kind" | "cause">): boolean {
  return one.kind === other.kind && one.cause === other.cause;
}

/**
 * True if the machine's deadline is over, and the time in which it ends itself. Where the service does not say what
 * time it is, a list must show that the machine outlived its deadline.
 */
export function isPastDeadline(machine: Machine, { fleet, now }: Pick<Judging, "fleet" | "now">): boolean {
  const { absentSince, verdict } = mainInstance(machine) ?? {};
  const { to: end } = ownEnd(machine);
  const isShown = verdict !== undefined && absentSince === undefined && (fleet.instancesAt ?? 0) >= end;
  return now >= end + LATE.endsItself && (fleet.aheadMs !== undefined || isShown);
}

function cutBy(machine: Machine): string {
  return `${ownEnd(machine).by} is over`;
}

// ---- what came of the create

function isUnwanted(machine: Machine): boolean {
  return machine.answer?.kind === "unwanted" && !isBusy(machine);
}

/** True for a bid below the floor: the service makes a stopped instance. The next bid must be higher. */
function isRefusedBid(machine: Machine): boolean {
  return isUnwanted(machine) && machine.candidate.price.bid !== undefined && /\bbid\b/i.test(refusal(machine));
}

function refusal({ answer }: Machine): string {
  return answer?.kind === "unwanted" ? answer.sentence : "";
}

const TURNED_UP = "it turned up late, from a create that gave no answer, and is not needed";

function hasTurnedUp(machine: Machine): boolean {
  return machine.answer?.kind !== "created" && machine.answer?.kind !== "unwanted" && !isBusy(machine);
}

/** True if runs that began at once rented too many together. Each counts again, and the youngest give way. */
function isOneTooMany(machine: Machine, { rules }: Judging): boolean {
  return (mainInstance(machine)?.older ?? 0) >= rules.machinesPerRepository && !isBusy(machine);
}

function tooMany(machine: Machine, { rules }: Judging): string {
  const count = (mainInstance(machine)?.older ?? 0) + 1;
  return `it is number ${count} of this repository's machines, and ${rules.machinesPerRepository} are allowed`;
}

// ---- what the service says of a machine that was never ready

type FailedVerdict = Extract<NonNullable<ReturnType<typeof mainInstance>>["verdict"], { kind: "failed" }>;

function failedAs(expected: Partial<FailedVerdict>): Reason["holds"] {
  return (machine) => {
    const verdict = failedVerdict(machine);
    return verdict !== undefined && Object.entries(expected).every(([key, value]) => verdict[key as "why"] === value);
  };
}

function failedVerdict(machine: Machine): FailedVerdict | undefined {
  const { verdict } = mainInstance(machine) ?? {};
  return !wasReady(machine) && verdict?.kind === "failed" ? verdict : undefined;
}

/** A missing heartbeat is not the service's own clear word. */
function isSilentEarly(machine: Machine): boolean {
  return failedVerdict(machine) !== undefined && mainInstance(machine)?.isSilent === true;
}

function verdictWhy(machine: Machine): string {
  return failedVerdict(machine)?.why ?? "";
}

function isDear(machine: Machine, { rules }: Judging): boolean {
  return !wasReady(machine) && priceAbove(machine, rules.maxPrice) !== undefined;
}

function dearer(machine: Machine, { rules }: Judging): string {
  return `the service asks ${priceAbove(machine, rules.maxPrice)} per hour for it, more than max-price allows`;
}

// ---- what the machine's log says. It stays for a minute so that this can be read.

function says(by: "script" | "runner", what: RegExp): Reason["holds"] {
  return (machine) => {
    const { words } = machine;
    return words?.by === by && what.test(words.text) && !isBusy(machine) && !hadJob(machine);
  };
}

function said({ words }: Machine): string {
  return `${words?.by === "runner" ? "its runner ended before a job came" : "it gives itself back"}: ${words?.text}`;
}

// ---- a machine that went

const NO_RUNNER =
  "it gave itself back before its runner was online: its key, its GPUs, its tools or the probe were no good";
const NOT_KNOWN = "the service does not know it any more";
const OUTBID = "it was outbid, and the service stopped it";
const STOPPED = "the machine was lost: the service stopped it";
const WAS_LOST = "the machine was lost";
const BACK = "it gave itself back";
const BOUND = "GitHub gave it a job that never began, and it gave itself back";
const FELL_SILENT = "its host fell silent, and GitHub missed its runner";

function wentEarly(machine: Machine): boolean {
  return !wasReady(machine) && mainInstance(machine)?.absentSince !== undefined;
}

/** The script gives the machine back when it can't get as far as a runner. Its log goes with it. */
function wentPreparing(machine: Machine): boolean {
  return wentEarly(machine) && runningAt(machine) !== undefined;
}

/** Its runner may have come online, as no list of runners was read since it ran. */
function wentUnread(machine: Machine, { fleet: { runnersAt = 0 } }: Judging): boolean {
  return wentPreparing(machine) && runnersAt <= (runningAt(machine) ?? 0);
}

function unread(machine: Machine): string {
  return `${mayHoldJob(machine) ? BOUND : BACK}, while GitHub's list of runners could not be read`;
}

/** A missing heartbeat is no loss: the network may come back. */
function wentReady(machine: Machine): boolean {
  return wasReady(machine) && Number.isFinite(goneFrom(mainInstance(machine)));
}

function wasTaken(how: "was outbid" | "was stopped by the service"): Reason["holds"] {
  return (machine, facts) => {
    const isStopped = wasReady(machine) && mainInstance(machine)?.stopped?.how === how;
    return isStopped && (tookJob(machine, facts) || (wentReady(machine) && !wentByItself(machine, facts)));
  };
}

function wentByItself(machine: Machine, facts: Judging): boolean {
  return wentReady(machine) && wasDone(machine, facts, goneFrom(mainInstance(machine)));
}

function wentWithBoundJob(machine: Machine, facts: Judging): boolean {
  return mayHoldJob(machine) && wentByItself(machine, facts);
}

/** True if the machine had nothing more to do then, and took no job with it. */
function wasDone(machine: Machine, facts: Judging, then: number): boolean {
  if (isBusy(machine) || tookJob(machine, facts)) return false;
  return !hasSlot(machine, facts.rules, then) || then - mayBeIdleSince(machine) >= facts.rules.idleTimeout;
}

function tookJob(machine: Machine, { look }: Judging): boolean {
  return machine.slots.some((slot) => causeOf(slot, machine, look).by === "machine");
}

function fellSilent(machine: Machine, { look }: Judging): boolean {
  const { absentSince, isSilent } = mainInstance(machine) ?? {};
  const isOpen = isSilent === true && absentSince === undefined && wasReady(machine) && !isBusy(machine);
  const went = (slot: Machine["slots"][number]) => {
    const cause = causeOf(slot, machine, look);
    return cause.by === "machine" && cause.went === "fell silent";
  };
  return isOpen && machine.slots.some(went);
}

// ---- a machine whose runner is not connected

const OFFLINE = "GitHub dropped its runner";
const IS_STUCK = "GitHub shows its runner as busy, and no list shows a job of it";
const NEXT_LATE = "its next runner did not come online within online-timeout";

function isDroppedEarly(machine: Machine): boolean {
  return !wasReady(machine) && machine.slots[0]?.spentAt !== undefined;
}

function droppedEarly(machine: Machine, { now }: Judging): string {
  return `GitHub dropped its runner before a job came; its runner configuration was ${ageOfConfiguration(machine, now)} old`;
}

/** True for a ready machine whose runner is offline for too long. An unreadable list proves nothing. */
function isOffline(machine: Machine, { fleet }: Judging): boolean {
  const { offlineSince } = currentSlot(machine) ?? {};
  if (offlineSince === undefined || isBusy(machine) || !wasReady(machine)) return false;
  return seenFor(offlineSince, fleet) >= LATE.served;
}

/** Where the service's list can't be read, GitHub's alone shows that the machine went. */
function isOfflineAndDone(machine: Machine, facts: Judging): boolean {
  const { offlineSince = 0 } = currentSlot(machine) ?? {};
  const { lastRunningAt = 0 } = mainInstance(machine) ?? {};
  const isThere = lastRunningAt - offlineSince >= LATE.list;
  return isOffline(machine, facts) && !isThere && wasDone(machine, facts, offlineSince);
}

function isNextLate(machine: Machine, { fleet }: Judging): boolean {
  const slot = currentSlot(machine);
  if (slot === undefined || isBusy(machine) || !wasReady(machine)) return false;
  const isNext = slot !== machine.slots[0] && slot.onlineAt === undefined;
  return isNext && seenFor(idleSince(machine), fleet) >= machine.timing.onlineMs;
}

// ---- a machine without a use

/** Near the deadline no listener starts, but one that started just before may have a job. */
function isUsedUp(machine: Machine, { now, rules }: Judging): boolean {
  return wasReady(machine) && !isBusy(machine) && !isFree({ ...machine, ending: undefined }, rules, now);
}

const BESIDE =
  "a job waited beside it while another one ran: for max-parallel, a concurrency group, or a pause of GitHub's";
const PASSED_OVER = "a job waited beside it, and GitHub did not give it that job";

/** True for the machine that is ready longest beside a job that waits, and too long. Then the next one has its time. */
function isPassedOver(machine: Machine, { fleet: { machines }, look, rules }: Judging): boolean {
  const { besideSince } = machine;
  const patience = Math.min(Math.max(rules.idleTimeout, LATE.served), LATE.listed);
  if (besideSince === undefined || !isReady(machine)) return false;
  const last = machines.map(({ ending }) => (isOverlooked(ending) ? ending.decidedAt : 0));
  const isLongest = machines.every((each) => !isReady(each) || longerReady(machine, each) <= 0);
  return isLongest && look.jobs - Math.max(besideSince, ...last) >= patience;
}

function isOverlooked(ending: Machine["ending"]): ending is NonNullable<Machine["ending"]> {
  return ending?.id === "held-beside" || ending?.id === "passed-over";
}

function longerReady(one: Machine, other: Machine): number {
  return idleSince(one) - idleSince(other) || one.machineNo - other.machineNo;
}

/** Where another job of ours runs, that is nobody's fault. */
function isHeldBeside(machine: Machine, facts: Judging): boolean {
  // Until GitHub misses its runner, a lost job runs there, too, and takes a place of max-parallel.
  return isPassedOver(machine, facts) && facts.fleet.jobs?.ours.some(({ state }) => state === "running") === true;
}

function ranOnIt({ slots }: Machine): string {
  const jobs = slots.flatMap(({ job }) => (job === undefined ? [] : [`'${job.name}'`]));
  return jobs.length > 0 ? `${jobs.join(", ")} ran on it` : "no job came to it";
}
