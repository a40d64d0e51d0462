import { BY_SPARE_COST } from "../../market/ranking.ts";
import type { Candidate } from "../../market/search.ts";
import type { OfferBudget } from "../../money/budget.ts";
import type { Fault } from "../../shared/user-error.ts";
import type { Rules } from "../options.ts";
import { recordsOf } from "../records.ts";
import { hasServedSince, refusedRunners } from "../refused-runners.ts";
import { budgetLeft, isPayable } from "../rental.ts";
import {
  CONFIRMED_AFTER_MS,
  countsAsFailure,
  isAlive,
  isLeftAlone,
  isOfferGone,
  isOnDemand,
  isUncertain,
  type Machine,
} from "../stage.ts";
import type { Fleet, Market } from "../state.ts";
import type { Facts } from "./facts.ts";

/** One search serves creates for so long. */
export const MARKET_KEEPS_MS = 60_000;
const SEARCH_PAUSE_MS = { first: 15_000, longest: 120_000 };
/** An offer that was gone may be back after so long, three times as long after each refusal. */
const TAKEN_MS = 300_000;
const LONGER_BY = 3;
/** Pauses after a 429, and after a refusal: they grow, and not in step with other runs. */
const PAUSE_MS = { tooFast: 12_000, refused: 15_000, otherHost: 2000, longest: 120_000 };
const PAUSE_GROWS_BY = 1.6;

/** When the market is searched again, while nothing of it is left. */
export function searchedAgainAt({ searchedAt, times }: Pick<Market, "searchedAt" | "times">): number {
  const pause = SEARCH_PAUSE_MS.first * 2 ** Math.max(0, times - 1);
  return searchedAt + Math.min(pause, SEARCH_PAUSE_MS.longest);
}

/** A machine went since the last search: its offer may be to be had, and what max-cost set aside for it. */
export function hasMadeRoom({ machines, market }: Fleet): boolean {
  const { searchedAt = Number.NEGATIVE_INFINITY } = market ?? {};
  return machines.some(({ instances }) => instances.some(({ goneAt }) => goneAt !== undefined && goneAt >= searchedAt));
}

/** The last offers; those of bids say nothing once machines are rented on demand. */
export function marketOf(fleet: Fleet, rules: Rules): Fleet["market"] {
  const isBid = rules.isBidding && !isOnDemand(fleet, rules);
  return fleet.market?.isBid === isBid ? fleet.market : undefined;
}

/** Whether the last search still tells what there is. */
export function isMarketFresh(fleet: Fleet, rules: Rules, now: number): boolean {
  const market = marketOf(fleet, rules);
  return market !== undefined && now - market.searchedAt < MARKET_KEEPS_MS;
}

/**
 * The best offer that can be paid and is neither taken nor failed; unused hosts come first. A spare,
 * beyond the waiting jobs, is ranked by what it costs if it gets no job.
 */
export function pickOffer({ budget, fleet, now, rules }: Facts, isSpare = false): Candidate | undefined {
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
  // An offer is one machine to rent: the one that we rent is not to be had twice.
  const others = left.filter(({ offer }) => !alive.some(({ id }) => id === offer.id));
  const free = isSpare ? others.toSorted(BY_SPARE_COST) : others;
  const useless = fleet.machines.filter(countsAsFailure).map(({ candidate }) => candidate.offer);
  const avoided = [...alive, ...useless, ...refusedOffers(fleet)];
  const isFresh = ({ offer: { id, machineId } }: Candidate) =>
    !avoided.some((each) => each.id === id || (machineId !== undefined && each.machineId === machineId));
  return free.find(isFresh) ?? free[0];
}

/** Offers whose request, or whose runner, was refused: another host tells whose fault it is. */
function refusedOffers(fleet: Fleet) {
  return [...refusedCreates(fleet), ...refusedRunners(fleet)].map(({ candidate }) => candidate.offer);
}

/** Offers that somebody else had a short time ago. */
export function takenOffers({ machines }: Fleet, now: number): number[] {
  const gone = machines.filter((machine) => isOfferGone(machine.answer) || isUncertain(machine));
  const byOffer = Map.groupBy(gone, ({ candidate }) => candidate.offer.id);
  return [...byOffer].flatMap(([id, times]) => {
    const at = Math.max(...times.map(({ answer }) => answer?.at ?? 0));
    return now - at < TAKEN_MS * LONGER_BY ** (times.length - 1) ? [id] : [];
  });
}

/** What max-cost leaves once these machines are gone: what is set aside for them comes back. */
export function budgetOnceGone({ fleet, now, rules }: Facts, going: readonly Machine[]): OfferBudget | undefined {
  const ids = new Set(going.flatMap(({ instances }) => instances.map(({ id }) => id)));
  const records = recordsOf(fleet).map((record) => (ids.has(record.instanceId) ? { ...record, isGone: true } : record));
  return budgetLeft(rules.rental, records, now);
}

/** Hosts and offers that failed in this session, or of whose create nobody knows what became. */
export function excludedOf(fleet: Fleet): { machines: number[]; offers: number[] } {
  const refused = refusedRunners(fleet);
  const failed = fleet.machines.filter(
    (machine) => (isLeftAlone(machine) && !refused.includes(machine)) || isUncertain(machine),
  );
  const offers = failed.map(({ candidate }) => candidate.offer);
  return { machines: offers.flatMap(({ machineId }) => machineId ?? []), offers: offers.map(({ id }) => id) };
}

/** Whether another machine is to be had, as far as the last search tells. */
export function hasOther(facts: Facts): boolean {
  return pickOffer(facts) !== undefined;
}

/** The same, without offers that were ever gone: one that always is ends no search. */
export function hasUntried(facts: Facts): boolean {
  return hasOther({ ...facts, now: Number.NEGATIVE_INFINITY });
}

/** No bid of the last search brings a machine. What max-cost sets aside for others comes back. */
export function areBidsOfNoUse(facts: Facts): boolean {
  const { fleet, rules } = facts;
  const { market, machines } = fleet;
  if (!rules.bidFallback || market?.isBid !== true || machines.some((each) => each.searchedAt === market.searchedAt))
    return false;
  if (market.nothing === undefined) return !hasOther(facts);
  if (market.nothing.kind !== "none-fits") return false;
  return market.nothing.explanation.input !== "max-cost" || !machines.some(isAlive);
}

/** Creates that were not carried out since the last one that was, the last answer first. */
function unansweredSince({ machines }: Fleet): Machine[] {
  // One create is in flight at a time.
  const answered = machines.filter(({ answer }) => answer !== undefined).toReversed();
  const made = answered.findIndex(({ answer }) => answer?.kind === "created");
  return (made === -1 ? answered : answered.slice(0, made)).filter(
    ({ answer }) => answer?.kind === "unregistered" || (answer?.kind === "refused" && !isOfferGone(answer)),
  );
}

/** A pause between creates: until when, after how many answers in a row, and the last of them. */
export interface Pause {
  until: number;
  times: number;
  last: NonNullable<Machine["answer"]>;
}

/** The pause that the last answers ask for. */
export function pauseOf(fleet: Fleet): Pause | undefined {
  const [first, ...others] = unansweredSince(fleet);
  const last = first?.answer;
  if (last === undefined) return undefined;
  const shortest = PAUSE_MS[pauseAfter(last)];
  const longest = Math.min(shortest * PAUSE_GROWS_BY ** others.length, PAUSE_MS.longest);
  return { until: last.at + Math.round(longest * (1 + last.jitter * 0.3)), times: others.length + 1, last };
}

/** What is about the request may be about the host: another one is asked at once. */
function pauseAfter(answer: Pause["last"]): "tooFast" | "refused" | "otherHost" {
  if (answer.kind === "refused" && answer.refusal.code === "too-fast") return "tooFast";
  return ABOUT_THE_REQUEST.has(refusedBy(answer) ?? "") ? "otherHost" : "refused";
}

/** A refusal by the service's, or GitHub's, own word: no page of a gateway, no doubt. */
function refusedBy(answer: Machine["answer"]): string | undefined {
  if (answer?.kind === "unregistered") return answer.fault.isPassing ? undefined : "registration";
  const isOwn = answer?.kind === "refused" && answer.refusal.ownWord && answer.refusal.code !== "too-fast";
  return isOwn ? answer.refusal.code : undefined;
}

/** The last creates that were refused in the same way, the last first. */
function refusedCreates(fleet: Fleet): Machine[] {
  const creates = unansweredSince(fleet);
  const by = refusedBy(creates[0]?.answer);
  const end = creates.findIndex(({ answer }) => refusedBy(answer) !== by);
  if (by === undefined) return [];
  return end === -1 ? creates : creates.slice(0, end);
}

/** These codes are about the request: they are believed on a second host, or the third time. */
const ABOUT_THE_REQUEST = new Set(["rejected", "no-template"]);

/**
 * The refusal that counts: said by two creates, some time apart. It holds until the longest pause
 * is over; then one more create asks.
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
  // Machines that are alive count for the limit of an account: one that goes makes room.
  const hasRoom = fleet.repositoryAlive === 0 && !fleet.machines.some((each) => wentSince(each, firstAt));
  return by !== "spend-rate" || hasRoom;
}

function wentSince({ instances }: Machine, at: number): boolean {
  return instances.some(({ goneAt }) => goneAt !== undefined && goneAt > at);
}

/**
 * The last machine whose runner GitHub has something against, as is believed. It holds until the
 * longest pause is over; then one more machine asks, whose runner may get a job.
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

/** The fault of a search that was refused twice; it holds until the longest pause is over. */
export function refusedSearch({ market }: Fleet, now: number): Fault | undefined {
  const isBelieved = market !== undefined && market.refusals > 1 && now - market.searchedAt < PAUSE_MS.longest;
  return isBelieved && market.nothing?.kind === "fault" ? market.nothing.fault : undefined;
}
