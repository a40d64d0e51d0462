import type { OfferBudget } from "../../money/budget.ts";
import { budgetLeft, isPayable } from "../../money/max-cost.ts";
import type { Candidate } from "../../offers/ranking.ts";
import { BY_URGENT_COST } from "../../offers/ranking.ts";
import type { Fault } from "../../shared/user-error.ts";
import type { Rules } from "../options.ts";
import { recordsOf } from "../records.ts";
import {
  CONFIRMED_AFTER_MS,
  countsAsFailure,
  hasServedSince,
  isAlive,
  isLeftAlone,
  isOfferGone,
  isOnDemand,
  isUncertain,
  type Machine,
  refusedRunners,
} from "../stage.ts";
import type { Fleet, Market } from "../state.ts";
import type { Facts } from "./facts.ts";

/** How long one search serves creates. */
export const MARKET_KEEPS_MS = 60_000;
const SEARCH_PAUSE_MS = { first: 15_000, longest: 120_000 };
/** How long an offer counts as taken that was gone, three times as long after each further refusal. */
const TAKEN_MS = 300_000;
const LONGER_BY = 3;
/** Pauses after a 429 and after a refusal. They grow, with jitter so that runs don't ask in step. */
const PAUSE_MS = { tooFast: 12_000, refused: 15_000, otherHost: 2000, longest: 120_000 };
const PAUSE_GROWS_BY = 1.6;

/** Returns when to search again while nothing is left. */
export function searchedAgainAt({ searchedAt, times }: Pick<Market, "searchedAt" | "times">): number {
  const pause = SEARCH_PAUSE_MS.first * 2 ** Math.max(0, times - 1);
  return searchedAt + Math.min(pause, SEARCH_PAUSE_MS.longest);
}

/** True if a machine went since the last search. Its offer, or its part of max-cost, may be free again. */
export function hasMadeRoom({ machines, market }: Fleet): boolean {
  const { searchedAt = Number.NEGATIVE_INFINITY } = market ?? {};
  return machines.some(({ instances }) => instances.some(({ goneAt }) => goneAt !== undefined && goneAt >= searchedAt));
}

/** Returns the last offers. Those of bids say nothing once machines are rented on demand. */
export function marketOf(fleet: Fleet, rules: Rules): Fleet["market"] {
  const isBid = rules.isBidding && !isOnDemand(fleet, rules);
  return fleet.market?.isBid === isBid ? fleet.market : undefined;
}

/** True if the last search is recent enough to say what there is. */
export function isMarketFresh(fleet: Fleet, rules: Rules, now: number): boolean {
  const market = marketOf(fleet, rules);
  return market !== undefined && now - market.searchedAt < MARKET_KEEPS_MS;
}

/**
 * Returns the best offer that can be paid and has neither failed nor been taken, on an unused host
 * if there is one. Where a job has waited in vain (`isUrgent`), quick hosts come before cheap ones.
 */
export function pickOffer({ budget, fleet, now, rules }: Facts, isUrgent = false): Candidate | undefined {
  const taken = takenOffers(fleet, now);
  const { machines: hosts, offers } = excludedOf(fleet);
  const left = (marketOf(fleet, rules)?.candidates ?? []).filter(
    (candidate) =>
      !taken.includes(candidate.offer.id) &&
      !offers.includes(candidate.offer.id) &&
      !hosts.includes(candidate.offer.machineId ?? Number.NaN) &&
      isPayable(budget, candidate as Candidate),
  ) as Candidate[];
  const alive = fleet.machines.filter(isAlive).map(({ candidate }) => candidate.offer);
  // An offer that we rent can't be rented twice.
  const others = left.filter(({ offer }) => !alive.some(({ id }) => id === offer.id));
  const free = isUrgent ? others.toSorted(BY_URGENT_COST) : others;
  const useless = fleet.machines.filter(countsAsFailure).map(({ candidate }) => candidate.offer);
  const avoided = [...alive, ...useless, ...refusedOffers(fleet)];
  const isFresh = ({ offer: { id, machineId } }: Candidate) =>
    !avoided.some((each) => each.id === id || (machineId !== undefined && each.machineId === machineId));
  return free.find(isFresh) ?? free[0];
}

/** Returns the offers whose create or runner was refused. Another host shows whose fault that is. */
function refusedOffers(fleet: Fleet) {
  return [...refusedCreates(fleet), ...refusedRunners(fleet)].map(({ candidate }) => candidate.offer);
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

/** Returns what max-cost leaves once these machines are gone and their reserve is back. */
export function budgetOnceGone({ fleet, now, rules }: Facts, going: readonly Machine[]): OfferBudget | undefined {
  const ids = new Set(going.flatMap(({ instances }) => instances.map(({ id }) => id)));
  const records = recordsOf(fleet).map((record) => (ids.has(record.instanceId) ? { ...record, isGone: true } : record));
  return budgetLeft(rules.rental, records, now);
}

/** Returns the facts as they are once this machine has failed: its host is left alone, and its reserve is back. */
export function onceFailed(facts: Facts, machine: Machine): Facts {
  const { fleet, now } = facts;
  const ending = { kind: "failed", why: "", force: false, since: now, decidedAt: now } as const;
  const machines = fleet.machines.map((each) => (each === machine ? { ...each, ending } : each));
  return { ...facts, fleet: { ...fleet, machines }, budget: budgetOnceGone(facts, [machine]) };
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

/** True if another machine is to be had, as far as the last search shows. */
export function hasOther(facts: Facts): boolean {
  return pickOffer(facts) !== undefined;
}

/**
 * True if an offer is left that no create has found gone. An offer that is always gone must not keep
 * the search alive.
 */
export function hasUntried(facts: Facts): boolean {
  return hasOther({ ...facts, now: Number.NEGATIVE_INFINITY });
}

/** True if bidding can't succeed. A shortfall of max-cost doesn't count while machines live. */
export function areBidsOfNoUse(facts: Facts): boolean {
  const { fleet, rules } = facts;
  const { market, machines } = fleet;
  if (!rules.bidFallback || market?.isBid !== true || machines.some((each) => each.searchedAt === market.searchedAt))
    return false;
  const mayBePaid = machines.some(isAlive);
  if (market.nothing === undefined) return !hasOther(mayBePaid ? { ...facts, budget: undefined } : facts);
  if (market.nothing.kind !== "none-fits") return false;
  return market.nothing.explanation.input !== "max-cost" || !mayBePaid;
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
  const shortest = PAUSE_MS[pauseAfter(last)];
  const longest = Math.min(shortest * PAUSE_GROWS_BY ** others.length, PAUSE_MS.longest);
  return { until: last.at + Math.round(longest * (1 + last.jitter * 0.3)), times: others.length + 1, last };
}

/**
 * Says which pause an answer asks for. A fault of the request may be one of the host, so another
 * host is asked soon.
 */
function pauseAfter(answer: Pause["last"]): "tooFast" | "refused" | "otherHost" {
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
function refusedCreates(fleet: Fleet): Machine[] {
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
export function refusalOf(fleet: Fleet, now: number): Machine["answer"] {
  const creates = refusedCreates(fleet);
  const last = creates[0]?.answer;
  const isHeld = last !== undefined && now - last.at < PAUSE_MS.longest;
  return isHeld && isBelieved(creates, last, fleet) ? last : undefined;
}

function isBelieved(creates: readonly Machine[], last: Pause["last"], fleet: Fleet): boolean {
  const firstAt = creates.at(-1)?.answer?.at ?? last.at;
  const by = refusedBy(last) ?? "";
  const hosts = new Set(creates.map(({ candidate: { offer } }) => offer.machineId ?? -offer.id));
  if (ABOUT_THE_REQUEST.has(by) && hosts.size > 1) return true;
  const isLong = last.at - firstAt >= CONFIRMED_AFTER_MS;
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
  return isAsking || now - endedAt < PAUSE_MS.longest ? last : undefined;
}

/** Returns the fault of a search that was refused twice. It holds for the longest pause. */
export function refusedSearch({ market }: Fleet, now: number): Fault | undefined {
  const isBelieved = market !== undefined && market.refusals > 1 && now - market.searchedAt < PAUSE_MS.longest;
  return isBelieved && market.nothing?.kind === "fault" ? market.nothing.fault : undefined;
}
