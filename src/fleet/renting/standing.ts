import type { Fault } from "../../shared/user-error.ts";
import { isConfirmed } from "../lifecycle/late.ts";
import { isUncertain, type Machine } from "../stage.ts";
import type { Fleet, Market } from "../state.ts";
import { hasServedSince, isLeftAlone, isOfferGone, refusedRunners } from "./failures.ts";

const SEARCH_PAUSE_MS = { first: 15_000, longest: 120_000 };

/** How long an offer counts as taken that was gone, three times as long after each further refusal. */
const TAKEN_MS = 300_000;

const LONGER_BY = 3;

/** Pauses after a 429 and after a refusal. They grow, with jitter so that runs don't ask in step. */
const FIRST_PAUSES_MS = { tooFast: 12_000, refused: 15_000, otherHost: 2000, longest: 120_000 };

const PAUSE_GROWS_BY = 1.6;

/** Returns when to search again while nothing is left. */
export function searchedAgainAt({ searchedAt, times }: Pick<Market, "searchedAt" | "times">): number {
  const pause = SEARCH_PAUSE_MS.first * 2 ** Math.max(0, times - 1);
  return searchedAt + Math.min(pause, SEARCH_PAUSE_MS.longest);
}

/** Returns the offers that somebody else had a short time ago. */
export function takenOffers({ machines }: Fleet, now: number): number[] {
  const gone = machines.filter((machine) => isOfferGone(machine.answer) || isUncertain(machine));
  const byOffer = Map.groupBy(gone, ({ candidate }) => candidate.offer.id);
  return [...byOffer].flatMap(([id, times]) => {
    const at = Math.max(...times.map(({ answer }) => answer?.at ?? 0));
    return now - at < TAKEN_MS * LONGER_BY ** (times.length - 1) ? [id] : [];
  });
}

/** Returns the hosts and offers that failed in this session, or whose creates had no known outcome. */
export function excludedOf(fleet: Fleet): { machines: number[]; offers: number[] } {
  const refused = refusedRunners(fleet);
  const failed = fleet.machines.filter(
    (machine) => (isLeftAlone(machine) && !refused.includes(machine)) || isUncertain(machine),
  );
  const offers = failed.map(({ candidate }) => candidate.offer);
  return { machines: offers.flatMap(({ machineId }) => machineId ?? []), offers: offers.map(({ id }) => id) };
}

/** Returns the creates that were not carried out since the last one that was, the latest answer first. */
function unansweredSince({ machines }: Fleet): Machine[] {
  // Only one create is in flight at a time.
  const answered = machines.filter(({ answer }) => answer !== undefined).toReversed();
  const made = answered.findIndex(({ answer }) => answer?.kind === "created");
  return (made === -1 ? answered : answered.slice(0, made)).filter(
    ({ answer }) => answer?.kind === "unregistered" || (answer?.kind === "refused" && !isOfferGone(answer)),
  );
}

/** A pause between creates: its end, the answers in a row that asked for it, and the last of them. */
interface Pause {
  until: number;
  times: number;
  last: NonNullable<Machine["answer"]>;
}

/** Returns the pause that the last answers ask for. */
export function pauseOf(fleet: Fleet): Pause | undefined {
  const [first, ...others] = unansweredSince(fleet);
  const last = first?.answer;
  if (last === undefined) return undefined;
  const shortest = FIRST_PAUSES_MS[kindOfPause(last)];
  const longest = Math.min(shortest * PAUSE_GROWS_BY ** others.length, FIRST_PAUSES_MS.longest);
  return { until: last.at + Math.round(longest * (1 + last.jitter * 0.3)), times: others.length + 1, last };
}

/**
 * Says which pause an answer asks for. A fault of the request may be one of the host, so another
 * host is asked soon.
 */
function kindOfPause(answer: Pause["last"]): "tooFast" | "refused" | "otherHost" {
  if (answer.kind === "refused" && answer.refusal.code === "too-fast") return "tooFast";
  return ABOUT_THE_REQUEST.has(refusedBy(answer) ?? "") ? "otherHost" : "refused";
}

/** Names what the service or GitHub refused in its own words. Undefined for a gateway's page or a passing fault. */
function refusedBy(answer: Machine["answer"]): string | undefined {
  if (answer?.kind === "unregistered") return answer.fault.isPassing ? undefined : "registration";
  const isOwn = answer?.kind === "refused" && answer.refusal.ownWord && answer.refusal.code !== "too-fast";
  return isOwn ? answer.refusal.code : undefined;
}

/** Returns the latest creates that were all refused in the same way, the latest first. */
export function refusedCreates(fleet: Fleet): Machine[] {
  const creates = unansweredSince(fleet);
  const by = refusedBy(creates[0]?.answer);
  const end = creates.findIndex(({ answer }) => refusedBy(answer) !== by);
  if (by === undefined) return [];
  return end === -1 ? creates : creates.slice(0, end);
}

/** Refusals about the request. They count when a second host repeats them, or the third time. */
const ABOUT_THE_REQUEST = new Set(["rejected", "no-template"]);

/**
 * Returns the refusal that counts: two creates, some time apart, were refused in the same way. It
 * holds for the longest pause. Then one more create asks.
 */
export function standingRefusal(fleet: Fleet, now: number): Machine["answer"] {
  const creates = refusedCreates(fleet);
  const last = creates[0]?.answer;
  const isHeld = last !== undefined && now - last.at < FIRST_PAUSES_MS.longest;
  return isHeld && isBelieved(creates, last, fleet) ? last : undefined;
}

function isBelieved(creates: readonly Machine[], last: Pause["last"], fleet: Fleet): boolean {
  const firstAt = creates.at(-1)?.answer?.at ?? last.at;
  const by = refusedBy(last) ?? "";
  const hosts = new Set(creates.map(({ candidate: { offer } }) => offer.machineId ?? -offer.id));
  if (ABOUT_THE_REQUEST.has(by) && hosts.size > 1) return true;
  const isLong = isConfirmed(firstAt, last.at);
  if (creates.length < (ABOUT_THE_REQUEST.has(by) ? 3 : 2) || !isLong) return false;
  // An account's limit counts the alive machines. One that goes makes room.
  const hasRoom = fleet.repositoryAlive === 0 && !fleet.machines.some((each) => wentSince(each, firstAt));
  return by !== "spend-rate" || hasRoom;
}

function wentSince({ instances }: Machine, at: number): boolean {
  return instances.some(({ goneAt }) => goneAt !== undefined && goneAt > at);
}

/**
 * Returns the last machine whose runner GitHub refused, as far as that is believed. It holds for
 * the longest pause. Then one more machine is rented to see.
 */
export function refusedRunner(fleet: Fleet, now: number): Machine | undefined {
  const endOf = ({ ending }: Machine) => ending?.decidedAt ?? 0;
  const last = refusedRunners(fleet).toSorted((left, right) => endOf(right) - endOf(left))[0];
  if (last === undefined) return undefined;
  const endedAt = endOf(last);
  if (hasServedSince(fleet, endedAt)) return undefined;
  const later = fleet.machines.filter(({ askedAt }) => askedAt > endedAt);
  const isAsking = later.some(({ answer, ending }) => answer === undefined || (answer.kind === "created" && !ending));
  return isAsking || now - endedAt < FIRST_PAUSES_MS.longest ? last : undefined;
}

/** Returns the fault of a search that was refused twice. It holds for the longest pause. */
export function refusedSearch({ market }: Fleet, now: number): Fault | undefined {
  const isBelieved = market !== undefined && market.refusals > 1 && now - market.searchedAt < FIRST_PAUSES_MS.longest;
  return isBelieved && market.nothing?.kind === "fault" ? market.nothing.fault : undefined;
}
