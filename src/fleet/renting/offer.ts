import type { OfferBudget } from "../../money/budget.ts";
import { budgetLeft, isPayable } from "../../money/max-cost.ts";
import { BY_URGENT_COST, type Candidate } from "../../offers/ranking.ts";
import { whyPaused } from "../../offers/search.ts";
import { TUNING } from "../../timing/tuning.ts";
import type { Facts } from "../facts.ts";
import type { Rules } from "../options.ts";
import { recordsOf } from "../recording/records.ts";
import { type Machine, machineFacts } from "../stage.ts";
import type { Fleet } from "../state.ts";
import { neededCuda } from "./alike.ts";
import { followsOf, isOnDemand, refusedRunners } from "./failures.ts";
import { pausedOf, refusedCreates } from "./standing.ts";

/** True if what max-cost leaves pays for none of the offers. */
export function isTooDear({ market }: Fleet): boolean {
  return market?.nothing?.kind === "none-fits" && market.nothing.explanation.input === "max-cost";
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
  return market !== undefined && now - market.searchedAt < TUNING.market.keepsMs;
}

/**
 * Returns the best offer that can be paid and may be asked for, on an unused host if there is one. Where a job has
 * waited in vain (`isUrgent`), quick hosts come before cheap ones.
 */
export function pickOffer({ budget, fleet, now, rules }: Facts, isUrgent = false): Candidate | undefined {
  const paused = pausedOf(fleet, now);
  const all = (marketOf(fleet, rules)?.candidates ?? []) as readonly Candidate[];
  const left = all.filter((each) => whyPaused(each.offer, paused) === undefined && isPayable(budget, each));
  const alive = fleet.machines.filter((machine) => machineFacts(machine).isAlive);
  // An offer that we rent can't be rented twice.
  const others = left.filter(({ offer }) => !alive.some(({ candidate }) => candidate.offer.id === offer.id));
  const free = isUrgent ? others.toSorted(BY_URGENT_COST) : others;
  // Where a machine failed, or no job came to it, its host may be the reason, whoever else is to blame.
  const useless = fleet.machines.filter(
    (machine) => followsOf(machine).attempt || machine.ending?.id === "held-beside",
  );
  // Where a create or a runner was refused, another host shows whose fault that is.
  const avoided = [...alive, ...useless, ...refusedCreates(fleet), ...refusedRunners(fleet)];
  const isFresh = ({ offer: { id, machineId } }: Candidate) =>
    !avoided.some(
      ({ candidate: { offer } }) => offer.id === id || (machineId !== undefined && offer.machineId === machineId),
    );
  const leastCuda = neededCuda(fleet) ?? 0;
  const fit = free.filter(({ offer }) => (offer.cuda ?? 0) >= leastCuda);
  return fit.find(isFresh) ?? free.find(isFresh) ?? free[0];
}

/** Returns what max-cost leaves once these machines are gone and their reserve is back. */
export function budgetOnceGone({ fleet, now, rules }: Facts, going: readonly Machine[]): OfferBudget | undefined {
  const ids = new Set(going.flatMap(({ instances }) => instances.map(({ id }) => id)));
  const records = recordsOf(fleet).map((record) => (ids.has(record.instanceId) ? { ...record, isGone: true } : record));
  return budgetLeft(rules.rental, records, now);
}

/** True if another machine is to be had once this one has failed: its host is left alone, and its reserve is back. */
export function hasOtherThan(machine: Machine, facts: Facts): boolean {
  const { fleet } = facts;
  const failed = { id: "late-to-run", kind: "failed", cause: "boot", first: "runners", why: "" } as const;
  const ending = { ...failed, since: facts.now, decidedAt: facts.now };
  const machines = fleet.machines.map((each) => (each === machine ? { ...each, ending } : each));
  const after = { ...facts, fleet: { ...fleet, machines }, budget: budgetOnceGone(facts, [machine]) };
  return pickOffer(after) !== undefined;
}

/** True if bidding can't succeed. A shortfall of max-cost doesn't count while machines live. */
export function areBidsOfNoUse(facts: Facts): boolean {
  const { fleet, rules } = facts;
  const { market, machines } = fleet;
  if (!rules.bidFallback || market?.isBid !== true || machines.some((each) => each.searchedAt === market.searchedAt))
    return false;
  const mayBePaid = machines.some((machine) => machineFacts(machine).isAlive);
  if (market.nothing === undefined) return pickOffer(mayBePaid ? { ...facts, budget: undefined } : facts) === undefined;
  if (market.nothing.kind !== "none-fits") return false;
  return market.nothing.explanation.input !== "max-cost" || !mayBePaid;
}
