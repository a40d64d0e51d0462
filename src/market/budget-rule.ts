import { leastCost } from "../money/budget.ts";
import { formatPrice } from "../money/format-price.ts";
import type { Offer } from "../service/schemas/offer.ts";
import { priceOf } from "./bid-price.ts";
import type { OfferRule } from "./offer-rules.ts";
import type { OfferWishes } from "./offer-wishes.ts";

/** An offer whose shortest sensible use costs more than what is left of `max-cost` is not taken. No field of the service's: its name is ours. */
export const MAX_COST_RULE: OfferRule = {
  field: "max_cost",
  remedy: { verb: "Raise", input: "max-cost" },
  // `!(a <= b)` and not `a > b`: a cost that is not a number must not pass.
  broken: (offer, wishes) => wishes.budget !== undefined && !(leastOf(offer, wishes) <= wishes.budget.left),
  why: (offer, wishes) =>
    `the shortest use costs ${formatPrice(leastOf(offer, wishes))}, and max-cost has ${formatPrice(Math.max(0, wishes.budget?.left ?? 0))} left`,
  measure: (offer, wishes) => -leastOf(offer, wishes),
};

function leastOf(offer: Offer, wishes: OfferWishes): number {
  const { budget } = wishes;
  return budget === undefined ? 0 : leastCost(priceOf(offer, wishes), offer, budget);
}
