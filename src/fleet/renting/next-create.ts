import { finishedMs } from "../../github/jobs.ts";
import type { OfferBudget } from "../../money/budget.ts";
import { shareOf } from "../../money/max-cost.ts";
import type { Candidate } from "../../offers/ranking.ts";
import type { Paused } from "../../offers/search.ts";
import { TUNING } from "../../timing/tuning.ts";
import type { Facts } from "../facts.ts";
import { isConfirmed, LATE } from "../lifecycle/late.ts";
import { asksMarket } from "../lifecycle/lateness.ts";
import { machineFacts } from "../stage.ts";
import type { DeepReadonly, Fleet, NoOffers } from "../state.ts";
import { neededCuda } from "./alike.ts";
import { isOnDemand } from "./failures.ts";
import type { Count } from "./how-many.ts";
import { areBidsOfNoUse, budgetOnceGone, hasMadeRoom, isMarketFresh, marketOf, pickOffer } from "./offer.ts";
import { hostKey, isAskable, pausedOf, standing } from "./standing.ts";
import { STOPS, type Stop } from "./stop.ts";
import { deadlineLimits, planRental, termsOf, timingOf } from "./terms.ts";

/** What a create is to ask for. */
export type CreateOrder = ReturnType<typeof createOrder>;

type NothingFits = DeepReadonly<Extract<NoOffers, { kind: "none-fits" }>>;

/** One step to one more machine. */
export type RentCommand =
  | {
      kind: "search";
      isBid: boolean;
      paused: Paused;
      budget: OfferBudget | undefined;
      /** How long the finished jobs took, in milliseconds. */
      finishedMs: number[];
      /** How many searches in a row brought nothing. */
      times: number;
      /** The CUDA version that hosts said the image needs. */
      leastCuda?: number | undefined;
      /** What the last wider search said, where another one would decide nothing. */
      known?: NothingFits | undefined;
    }
  | { kind: "create"; order: CreateOrder };

/** The next step, or what a create has to wait for. */
export interface Rent {
  command?: RentCommand;
  waitsFor?: "repository" | "pause" | "image" | undefined;
}

/**
 * Returns the next step to one more machine: a create of the best offer that is known, or a search. There is one create
 * at a time. Where offers lack, or are too dear for max-cost, the search goes on. So it does for machines that are kept
 * only while there is no other offer.
 */
export function nextRent(facts: Facts, count: Count, stop: Stop | undefined): Rent {
  const mayRent = stop === undefined || STOPS[stop.id].goesOn === true;
  const rent: Rent = count.lacking > 0 && mayRent ? renting(facts, count) : {};
  if (rent.command !== undefined || !facts.fleet.machines.some((machine) => asksMarket(machine, facts))) return rent;
  return { ...rent, ...nextSearch(facts) };
}

function renting(facts: Facts, { isUrgent, lacking }: Count): Rent {
  const { fleet, now, rules } = facts;
  const { instancesAt, repositoryAlive } = fleet;
  const machines = fleet.machines.map(machineFacts);
  // Without an answer, or a list that shows what was made, nothing else is asked for.
  if (machines.some(({ machine, stage }) => machine.answer === undefined || stage === "asked")) return {};
  if (!isAskable(fleet, "create", now)) return { waitsFor: "pause" };
  // While no list can be read, nothing is created.
  // A list of jobs that takes long makes that of instances, which is read beside it, no older.
  const isKnown = instancesAt !== undefined && now - instancesAt <= LATE.lookAgain + (fleet.jobsTookMs ?? 0);
  if (!isKnown || machines.filter(({ isCounted }) => isCounted).length >= rules.machines) return {};
  if (repositoryAlive >= rules.machinesPerRepository) return { waitsFor: "repository" };
  const candidate = isMarketFresh(fleet, rules, now) ? pickOffer(facts, isUrgent) : undefined;
  if (candidate === undefined) return nextSearch(facts);
  return awaitsImage(facts)
    ? { waitsFor: "image" }
    : { command: { kind: "create", order: createOrder(candidate, facts, lacking) } };
}

function createOrder(candidate: Candidate, { budget, fleet, now, rules }: Facts, lacking: number) {
  const { image, limits } = rules.rental;
  const share = shareOf(budget, candidate, lacking);
  const timing = timingOf(rules.rental, candidate);
  const rental = planRental(now, deadlineLimits(limits, timing), candidate, share, image.bytes);
  const { aheadMs = 0, machines, market } = fleet;
  return {
    ...rental,
    machineNo: machines.length + 1,
    candidate,
    timing,
    terms: termsOf(candidate, rental),
    searchedAt: market?.searchedAt ?? now,
    /** Its deadline by the service's clock, as the machine is told. */
    deadlineThere: rental.deadline + aheadMs,
    expiry: rental.expiry + aheadMs,
    /** What max-cost leaves, and this machine's part of it. Undefined: no limit. */
    money: budget && share && { budget, share },
  };
}

/**
 * Returns the question to the image's registry, when it is due. Another job of the run may build the image, so it is
 * asked for only when a machine is wanted, and again while it is missing.
 */
export function imageCommands(facts: Facts, { wanted }: Pick<Count, "wanted">) {
  const { at = Number.NEGATIVE_INFINITY, isAsking = false } = facts.fleet.image ?? {};
  const isDue = wanted > 0 && !isAsking && isConfirmed(at, facts.now);
  return isDue && awaitsImage(facts) ? [{ kind: "look-up-image" as const }] : [];
}

/** True if a create has to wait for the registry: without the image it would bill for nothing. */
function awaitsImage({ fleet: { image }, rules }: Facts): boolean {
  return rules.asksImage && (image?.at === undefined || image.missing !== undefined);
}

function nextSearch(facts: Facts): Rent {
  const { fleet, now, rules } = facts;
  const market = marketOf(fleet, rules);
  // Later than the last search, because two in one moment would count as one event.
  const again = hasMadeRoom(fleet) ? (market?.searchedAt ?? 0) + 1 : (standing(fleet, "search")?.until ?? 0);
  if (fleet.isSearching || (market !== undefined && now < again)) return {};
  const isBid = rules.isBidding && !isOnDemand(fleet, rules);
  // Machines that go once another one is to be had pay for it.
  const going = fleet.machines.filter((machine) => asksMarket(machine, facts));
  const budget = going.length === 0 ? facts.budget : budgetOnceGone(facts, going);
  const command = {
    kind: "search",
    isBid,
    paused: pausedOf(fleet, now),
    budget,
    finishedMs: finishedMs(fleet.jobs),
    times: market?.times ?? 0,
    leastCuda: neededCuda(fleet),
    known: lastWiderSearch(market, facts),
  } as const;
  return { command };
}

/**
 * Returns what the last wider search said, unless one more would decide something: the second in a row, the one
 * after a word that waiting can't help, one after a machine went, and the last before renting stops.
 */
function lastWiderSearch(market: Fleet["market"], { fleet, now, rules }: Facts): NothingFits | undefined {
  const { hopelessSince, noOfferSince = now, unservedSince = now } = fleet;
  const { nothing, times = 0 } = market ?? {};
  const stopsAt = Math.min(noOfferSince + rules.searchTimeout, unservedSince + rules.readyMs);
  const isDue = times < 2 || now + LATE.refusal >= stopsAt;
  const decides = isDue || hopelessSince !== undefined || hasMadeRoom(fleet);
  return decides || nothing?.kind !== "none-fits" ? undefined : nothing;
}

/** Returns since when no offer fits what is lacking. Undefined: one fits, or nobody can say. */
export function noOfferSince(facts: Facts, lacking: number, waitsFor: Rent["waitsFor"]): number | undefined {
  const { fleet, now, rules } = facts;
  const { instancesAt = now, machines } = fleet;
  // Nothing was searched for meanwhile, so the offers before say nothing of what there is.
  if (waitsFor === "repository" || now - instancesAt > TUNING.market.keepsMs) return undefined;
  // What a machine that went had is to be had again, if not at once: the time begins anew.
  if (hasMadeRoom(fleet)) return undefined;
  // An offer or a host that was paused is asked once more, and what comes of it is open.
  const asked = machines.filter((machine) => machineFacts(machine).stage === "asked");
  const isPausedOne = asked.some(
    (machine) => standing(fleet, `offer ${machine.candidate.offer.id}`) ?? standing(fleet, hostKey(machine)),
  );
  if (isPausedOne) return fleet.noOfferSince;
  if (lacking === 0 || marketOf(fleet, rules) === undefined) return undefined;
  // One that is always gone must not keep the search alive, so an offer counts only if it was never paused.
  const isEmpty = pickOffer({ ...facts, now: Number.NEGATIVE_INFINITY }) === undefined;
  // Bids that are of no use say nothing of what there is on demand, which is searched for next.
  if (!isEmpty || areBidsOfNoUse(facts)) return undefined;
  // An old search starts no time: the next one says what there is now.
  return fleet.noOfferSince ?? (isMarketFresh(fleet, rules, now) ? now : undefined);
}
