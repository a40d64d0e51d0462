import { OF_SCRIPT } from "../../machine/said.ts";
import { type Facts, findingOf } from "../facts.ts";
import { runningJobs } from "../jobs.ts";
import { type Machine, machineFacts, ownEnd } from "../stage.ts";
import type { Ending } from "../state.ts";
import { type Again, type Finding, isSure } from "./evidence.ts";
import { LATE } from "./late.ts";
import { ageOfConfiguration, isTooLate, lateToComeOnline, lateToRun } from "./lateness.ts";
import { SeenMachine } from "./seen.ts";

/** One reason for which machines end. */
interface Reason {
  id: string;
  /** The word of the log and the docs. */
  kind: Ending["kind"];
  cause?: Ending["cause"];
  first: Ending["first"];
  /** What must be looked at again before the reason counts. Undefined: nothing. */
  again?: Again | "both, if it ran";
  /** Rows of one finding share its age. Undefined: the row is its own finding. */
  finding?: "went";
  /** It may be seen only when the machine ends already, and is then the better reason than a vague one. */
  explains?: true;
  /** It says only that the machine ends, and a row that explains why takes its place. */
  isVague?: true;
  when: (seen: SeenMachine) => boolean;
  why: string | ((seen: SeenMachine) => string);
}

// Columns that rows share.
const LOOK_AGAIN = { again: "instances, then jobs" } as const;
const WENT = { ...LOOK_AGAIN, finding: "went" } as const;
const DRAINED = { first: "runners" } as const;
const FAILS = { kind: "failed", ...DRAINED } as const;
const REFUSED = { ...FAILS, why: ({ refusal = "" }: SeenMachine) => refusal } as const;
const EARLY = { ...FAILS, ...WENT } as const;
const DROPPED_EARLY = { ...FAILS, ...LOOK_AGAIN, cause: "lost", isVague: true } as const;
const BROKEN = { ...FAILS, why: ({ failed }: SeenMachine) => failed?.why ?? "" } as const;
const UNSURE = { ...BROKEN, ...LOOK_AGAIN, cause: "machine" } as const;
// A short job may have come to it unseen.
const MAY_HAVE_SERVED = { ...BROKEN, again: "both, if it ran", finding: "went" } as const;
const SAID = { ...FAILS, explains: true, why: said } as const;
const OF_NO_USE = { kind: "over", ...DRAINED } as const;
const OVER = { ...OF_NO_USE, cause: "idle", isVague: true } as const;
const BY_ITSELF = { ...OVER, first: "instance", ...WENT } as const;
const IS_LOST = { kind: "lost", cause: "lost", isVague: true } as const;
const TAKEN = { kind: "lost", first: "instance", explains: true, ...WENT } as const;
const DROPPED = { kind: "dropped", cause: "lost", ...DRAINED } as const;
const SPARE = { kind: "unneeded", ...DRAINED } as const;

const TURNED_UP = "it turned up late, from a create that gave no answer, and is not needed";
const NO_RUNNER =
  "it gave itself back before its runner was online: its key, its GPUs, its tools or the probe were no good";
const NOT_KNOWN = "the service does not know it any more";
const OUTBID = "it was outbid, and the service stopped it";
const STOPPED = "the machine was lost: the service stopped it";
const BACK = "it gave itself back";
const BOUND = "GitHub gave it a job that never began, and it gave itself back";
const FELL_SILENT = "its host fell silent, and GitHub missed its runner";
const OFFLINE = "GitHub dropped its runner";
const NEXT_LATE = "its next runner did not come online within online-timeout";
const IS_STUCK = "GitHub shows its runner as busy, and no list shows a job of it";
const BESIDE =
  "a job waited beside it while another one ran: for max-parallel, a concurrency group, or a pause of GitHub's";
const PASSED_OVER = "a job waited beside it, and GitHub did not give it that job";

/** The reasons of docs/internals/holding.md, one row each. The first that holds decides. */
export const REASONS: readonly Reason[] = [
  { id: "deadline", kind: "deadline", cause: "idle", first: "instance", when: isPastDeadline, why: cutBy },
  // What came of the create. For a bid below the floor the service makes a stopped instance: the next bid must be higher.
  { id: "bid-refused", ...REFUSED, cause: "outbid", when: (seen) => seen.isBidRefused },
  { id: "refused-and-made", ...REFUSED, cause: "refused", when: (seen) => seen.refusal !== undefined },
  { id: "turned-up-late", ...SPARE, when: (seen) => seen.turnedUpLate, why: TURNED_UP },
  { id: "one-too-many", ...SPARE, again: "instances", when: (seen) => seen.isOneTooMany, why: tooMany },
  // What the service says of a machine that was never ready. A missing heartbeat is not its own clear word.
  { id: "outbid-early", ...MAY_HAVE_SERVED, cause: "outbid", when: (seen) => seen.failed?.outbid === true },
  { id: "stopped-early", ...MAY_HAVE_SERVED, cause: "stopped", when: (seen) => seen.failed?.stopped === true },
  { id: "no-pull", ...BROKEN, cause: "image", when: (seen) => seen.failed?.blame === "image" },
  { id: "no-login", ...BROKEN, cause: "login", when: (seen) => seen.failed?.blame === "login" },
  { id: "no-platform", ...BROKEN, cause: "platform", when: (seen) => seen.failed?.blame === "platform" },
  { id: "old-driver", ...BROKEN, cause: "driver", when: (seen) => seen.failed?.blame === "driver" },
  { id: "silent-early", ...UNSURE, when: (seen) => seen.failed !== undefined && seen.its.instance?.isSilent === true },
  { id: "in-trouble-early", ...UNSURE, when: (seen) => seen.failed?.isUnsure === true },
  { id: "broken-early", ...MAY_HAVE_SERVED, cause: "machine", when: (seen) => seen.failed !== undefined },
  { id: "dear", ...FAILS, cause: "price", again: "instances", when: (seen) => seen.dearer !== undefined, why: tooDear },
  // What the machine's log says. It stays for a minute so that this can be read.
  { id: "runner-ended", ...SAID, cause: "runner", when: (seen) => seen.said?.by === "runner" },
  { id: "says-host", ...SAID, cause: "machine", when: (seen) => OF_SCRIPT.host.test(seen.said?.text ?? "") },
  { id: "says-image", ...SAID, cause: "unfit-image", when: (seen) => OF_SCRIPT.image.test(seen.said?.text ?? "") },
  { id: "says-why", ...SAID, cause: "preparing", when: (seen) => seen.said !== undefined },
  // A machine that went before it was ready.
  { id: "went-unread", ...OVER, ...WENT, when: (seen) => seen.wentEarly === "unread", why: unread },
  { id: "went-preparing", ...EARLY, cause: "preparing", when: (seen) => seen.wentEarly === "ran", why: NO_RUNNER },
  { id: "went-early", ...EARLY, cause: "machine", when: (seen) => seen.wentEarly !== undefined, why: NOT_KNOWN },
  { id: "runner-dropped", ...DROPPED_EARLY, when: (seen) => seen.isDropped, why: dropped },
  // A machine that takes too long.
  { id: "late-to-run", ...FAILS, cause: "boot", when: (seen) => seen.isBooting && isTooLate(seen), why: lateToRun },
  { id: "late-to-come-online", ...FAILS, cause: "online", when: isTooLate, why: lateToComeOnline },
  // A machine that went after it was ready.
  { id: "outbid", ...TAKEN, cause: "outbid", when: (seen) => seen.taken === "was outbid", why: OUTBID },
  { id: "stopped", ...TAKEN, cause: "stopped", when: (seen) => seen.taken !== undefined, why: STOPPED },
  { id: "bound-to-a-job", ...BY_ITSELF, when: (seen) => seen.wentByItself && seen.its.mayHoldJob, why: BOUND },
  { id: "gave-itself-back", ...BY_ITSELF, explains: true, when: (seen) => seen.wentByItself, why: BACK },
  { id: "fell-silent", ...IS_LOST, ...DRAINED, ...LOOK_AGAIN, when: (seen) => seen.fellSilent, why: FELL_SILENT },
  { id: "lost", ...IS_LOST, first: "instance", ...WENT, when: (seen) => seen.went, why: "the machine was lost" },
  // A machine whose runner is not connected.
  { id: "offline-and-done", ...OVER, ...LOOK_AGAIN, when: (seen) => seen.isOfflineAndDone, why: BACK },
  { id: "runner-offline", ...DROPPED, when: (seen) => seen.isOffline, why: OFFLINE },
  { id: "next-runner-late", ...DROPPED, when: (seen) => seen.isNextLate, why: NEXT_LATE },
  // A machine without a use.
  { id: "stuck", ...OVER, when: (seen) => seen.its.isStuck, why: IS_STUCK },
  // Until GitHub misses its runner, a lost job runs there, too, and takes a place of max-parallel.
  { id: "held-beside", ...OF_NO_USE, when: (seen) => seen.isPassedOver && runningJobs(seen.fleet) > 0, why: BESIDE },
  { id: "passed-over", ...OF_NO_USE, cause: "passed-over", when: (seen) => seen.isPassedOver, why: PASSED_OVER },
  { id: "used-up", ...OVER, when: (seen) => seen.isUsedUp, why: ranOnIt },
];

/** The reason of a machine that ends because no job needs it. How many are needed is counted elsewhere. */
export const UNNEEDED = { id: "unneeded", kind: "unneeded", first: "runners", why: "no job needs it" } as const;

/** The same of one whose runner was stuck: an attempt was used, though GitHub lets go of its runner by now. */
export const UNNEEDED_AFTER_STUCK = { ...UNNEEDED, cause: "idle", why: IS_STUCK } as const;

/** What one look says of a machine, and whether that counts yet. */
export interface Judgement {
  machineNo: number;
  reason: Omit<Ending, "since" | "decidedAt">;
  since: number;
  isSure: boolean;
  /** What is looked at again, if anything is. */
  finding?: Finding;
}

/** Says why a machine ends, whatever is wanted. Undefined: it goes on. */
export function reasonOf(machine: Machine, facts: Facts): Judgement | undefined {
  const seen = new SeenMachine(machine, facts);
  const { ending } = machine;
  // Once it goes, only a better reason than a vague one counts.
  const isBetter = (row: Reason) => row.explains === true && ending?.isVague === true && !isSameEnd(row, ending);
  const rows = isGoing(machine) ? REASONS.filter(isBetter) : REASONS;
  const row = rows.find(({ when }) => when(seen));
  if (row === undefined) return undefined;
  const { cause, first, id, isVague, kind, why } = row;
  const again = row.again === "both, if it ran" ? ifItRan(seen) : row.again;
  const reason = { id, kind, cause, first, isVague, why: typeof why === "string" ? why : why(seen) };
  const { machineNo } = machine;
  const key = findingOf(machineNo, row.finding ?? id);
  const { fleet, look } = facts;
  const since = again === undefined ? look.now : (fleet.findings[key] ?? look.instances);
  const finding = again && { finding: { key, list: "instances" } as const };
  return { machineNo, reason, since, isSure: isSure(since, again, look), ...finding };
}

function ifItRan({ its }: SeenMachine): Again | undefined {
  return its.runningAt === undefined ? undefined : LOOK_AGAIN.again;
}

/** True if a request that ends the machine was sent. Until then its end is judged anew at each look. */
export function isGoing({ ending, instances, isDraining, slots, unconfirmedDrains = 0 }: Machine): boolean {
  if (ending === undefined) return false;
  const isDrained = isDraining === true || unconfirmedDrains > 0 || slots.some(({ isRemoved }) => isRemoved);
  const isAsked = ({ fault, goneAt, isDestroying }: Machine["instances"][number]) =>
    goneAt !== undefined || isDestroying === true || fault !== undefined;
  return isDrained || instances.every(isAsked);
}

/** True if two reasons mean the same for machine, host and job. */
export function isSameEnd(one: Pick<Ending, "kind" | "cause">, other: Pick<Ending, "kind" | "cause">): boolean {
  return one.kind === other.kind && one.cause === other.cause;
}

/**
 * True if the machine's deadline is over, and the time in which it ends itself. Where the service does not say what
 * time it is, a list must show that the machine outlived its deadline.
 */
export function isPastDeadline({ fleet, machine, now }: Pick<SeenMachine, "fleet" | "machine" | "now">): boolean {
  const { absentSince, verdict } = machineFacts(machine).instance ?? {};
  const { to: end } = ownEnd(machine);
  const isShown = verdict !== undefined && absentSince === undefined && (fleet.instancesAt ?? 0) >= end;
  return now >= end + LATE.endsItself && (fleet.aheadMs !== undefined || isShown);
}

function cutBy({ machine }: SeenMachine): string {
  return `${ownEnd(machine).by} is over`;
}

function tooMany({ older, rules }: SeenMachine): string {
  return `it is number ${older + 1} of this repository's machines, and ${rules.machinesPerRepository} are allowed`;
}

function tooDear({ dearer }: SeenMachine): string {
  return `the service asks ${dearer} per hour for it, more than max-price allows`;
}

function said({ machine: { words } }: SeenMachine): string {
  return `${words?.by === "runner" ? "its runner ended before a job came" : "it gives itself back"}: ${words?.text}`;
}

function unread({ its }: SeenMachine): string {
  return `${its.mayHoldJob ? BOUND : BACK}, while GitHub's list of runners could not be read`;
}

function dropped({ machine, now }: SeenMachine): string {
  return `GitHub dropped its runner before a job came; its runner configuration was ${ageOfConfiguration(machine, now)} old`;
}

function ranOnIt({ machine: { slots } }: SeenMachine): string {
  const jobs = slots.flatMap(({ job }) => (job === undefined ? [] : [`'${job.name}'`]));
  return jobs.length > 0 ? `${jobs.join(", ")} ran on it` : "no job came to it";
}
