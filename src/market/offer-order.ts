import type { OfferPrice } from "../money/price.ts";
import type { Offer } from "../service/schemas/offer.ts";
import type { OfferQuery } from "../service/schemas/offer-query.ts";
import type { OfferOrder } from "./offer-wishes.ts";

interface Priced {
  offer: Offer;
  price: OfferPrice;
}

interface Ordering {
  /** As the service is asked to answer. */
  wire: OfferQuery["order"];
  /** As the answer is put in order on our side. */
  compare: (left: Priced, right: Priced) => number;
}

/** How each `order` is asked for, and kept. */
export const ORDERINGS: Readonly<Record<OfferOrder, Ordering>> = {
  price: {
    wire: [["dph_total", "asc"]],
    // More reliable first among equals.
    compare: (left, right) =>
      left.price.total - right.price.total || (right.offer.reliability ?? 0) - (left.offer.reliability ?? 0),
  },
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
