import type { OfferQuery } from "../service/schemas/offer-query.ts";
import type { Considered } from "./considered.ts";
import type { OfferOrder } from "./rules/offer-wishes.ts";

type Priced = Omit<Considered, "objections">;

interface Ordering {
  /** As the service is asked to answer. */
  wire: OfferQuery["order"];
  /** As the answer is put in order on our side. */
  compare: (left: Priced, right: Priced) => number;
}

/** More reliable first among equals. */
const BY_PRICE: Ordering["compare"] = (left, right) =>
  left.price.total - right.price.total || (right.offer.reliability ?? 0) - (left.offer.reliability ?? 0);

/** How each `order` is asked for, and kept. */
export const ORDERINGS: Readonly<Record<OfferOrder, Ordering>> = {
  auto: {
    wire: [["dph_total", "asc"]],
    // Failed a short time ago: last, but not excluded, for it may be the only one.
    compare: (left, right) =>
      Number(left.expected?.failedLately ?? false) - Number(right.expected?.failedLately ?? false) ||
      (left.expected?.cost.total ?? 0) - (right.expected?.cost.total ?? 0) ||
      BY_PRICE(left, right),
  },
  price: { wire: [["dph_total", "asc"]], compare: BY_PRICE },
  score: highestFirst("score"),
  dlperf_per_dphtotal: highestFirst("dlperf_per_dphtotal"),
};

/** Offers that don't show the field come last, in the service's order. */
function highestFirst(field: "score" | "dlperf_per_dphtotal"): Ordering {
  const value = ({ offer }: Priced) => offer[field] ?? Number.NEGATIVE_INFINITY;
  return {
    wire: [[field, "desc"]],
    compare: (left, right) => (value(left) === value(right) ? 0 : value(right) - value(left)),
  };
}
