import { highestPrice, leastCost } from "../money/budget.ts";
import { formatBeside, formatLimit, formatPrice } from "../money/format-price.ts";
import type { Offer } from "../vast/schemas/offer.ts";
import { lowestBid, priceOf } from "./bid-price.ts";
import type { OfferRule } from "./offer-rule.ts";
import type { OfferWishes } from "./offer-wishes.ts";

/**
 * The rules about money, in the order in which they are told. A cost that is not a number must not
 * pass: so `!(a <= b)`, never `a > b`.
 */
export const MONEY_RULES: readonly OfferRule[] = [
  {
    // A bid below the lowest makes a stopped instance, which bills its disk.
    field: "lowest_bid",
    remedy: { verb: "Raise", input: "bid-price" },
    told: describeBid,
    broken: (offer, { bid, diskGb }) => bid?.price !== undefined && !(bid.price >= lowestBid(offer, diskGb)),
    why: (offer, { diskGb }) => `the lowest bid is ${formatLimit(roundedUp(lowestBid(offer, diskGb)))}`,
    measure: (offer, { diskGb }) => -lowestBid(offer, diskGb),
  },
  {
    field: "dph_total",
    remedy: { verb: "Raise", input: "max-price" },
    asked: (wishes) => ({ lte: priceCap(wishes) }),
    told: ({ maxPrice }) => `at most ${formatLimit(maxPrice)} per hour`,
    broken: (offer, wishes) => !(priceOf(offer, wishes).total <= wishes.maxPrice),
    why: (offer, wishes) => `${formatBeside(priceOf(offer, wishes).total, wishes.maxPrice)} per hour with storage`,
    measure: (offer, wishes) => -priceOf(offer, wishes).total,
  },
];

/** The rest of `max-cost` must pay for the shortest sensible use of an offer. */
export const MAX_COST_RULE: OfferRule = {
  field: "max_cost",
  remedy: { verb: "Raise", input: "max-cost" },
  told: ({ budget }) => budget && `within ${formatPrice(Math.max(0, budget.left))} for all of it`,
  broken: (offer, wishes) => wishes.budget !== undefined && !(leastOf(offer, wishes) <= wishes.budget.left),
  why: describeLeast,
  measure: (offer, wishes) => -leastOf(offer, wishes),
};

/** The price that `max-cost` allows, asked for where the cheapest need not come first. */
function priceCap({ budget, maxPrice, order }: OfferWishes): number {
  const cheapestFirst = order === "price" || order === "auto";
  return budget === undefined || cheapestFirst ? maxPrice : Math.min(maxPrice, highestPrice(budget));
}

function describeLeast(offer: Offer, wishes: OfferWishes): string {
  const left = Math.max(0, wishes.budget?.left ?? 0);
  return `the shortest use costs ${formatBeside(leastOf(offer, wishes), left)}, and max-cost has ${formatPrice(left)} left`;
}

function leastOf(offer: Offer, wishes: OfferWishes): number {
  const { budget } = wishes;
  return budget === undefined ? 0 : leastCost(priceOf(offer, wishes), offer, budget);
}

/** The bid that is named is one that would do; 1.1 × 10,000 is a little more than 11,000. */
function roundedUp(usd: number): number {
  return Math.ceil(usd * 10_000 - 1e-6) / 10_000;
}

function describeBid({ bid }: OfferWishes): string | undefined {
  if (bid === undefined) return undefined;
  return bid.price === undefined ? "interruptible" : `interruptible at a bid of ${formatLimit(bid.price)} per hour`;
}
