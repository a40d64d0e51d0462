import type { Offer, OfferQuery, Price } from "../marketplace/marketplace.ts";
import type { Expectation } from "./expectation.ts";
import type { OfferOrder } from "./offer-wishes.ts";
import type { Objection } from "./rules.ts";

/** An offer that was looked at. */
export interface Considered {
  offer: Offer;
  price: Price;
  /** Expected of its machine; undefined where the wishes bring no knowledge. */
  expected?: Expectation | undefined;
  /** Expected of it as a spare, in USD; undefined: spares are taken in the order of the others. */
  spareCost?: number | undefined;
  objections: readonly Objection[];
}

/** An offer with its price, and what is expected of its machine. */
export type Priced = Omit<Considered, "objections">;
type Compare = (left: Priced, right: Priced) => number;

interface Ordering {
  /** As the service is asked to answer. */
  wire: OfferQuery["order"];
  /** As the answer is put in order on our side. */
  compare: Compare;
}

/** More reliable first among equals. */
const BY_PRICE: Compare = (left, right) =>
  left.price.total - right.price.total || (right.offer.reliability ?? 0) - (left.offer.reliability ?? 0);

/** A job's cost; without expectations the price. */
const BY_COST: Compare = (left, right) =>
  (left.expected?.cost.total ?? 0) - (right.expected?.cost.total ?? 0) || BY_PRICE(left, right);

/** Spares in the order of their cost; those without one stay as they are. */
export const BY_SPARE_COST: Compare = failedLast((left, right) => (left.spareCost ?? 0) - (right.spareCost ?? 0));

/** How each `order` is asked for, and kept. */
export const ORDERINGS: Readonly<Record<OfferOrder, Ordering>> = {
  auto: { wire: [["dph_total", "asc"]], compare: failedLast(BY_COST) },
  price: { wire: [["dph_total", "asc"]], compare: failedLast(BY_PRICE) },
  score: highestFirst("score"),
  dlperf_per_dphtotal: highestFirst("dlperf_per_dphtotal"),
};

/** Failed a short time ago: last, but not excluded, for it may be the only one. */
function failedLast(compare: Compare): Compare {
  const hasFailed = ({ expected }: Priced) => Number(expected?.failedLately ?? false);
  return (left, right) => hasFailed(left) - hasFailed(right) || compare(left, right);
}

/** Offers that don't show the field come last, in the service's order. */
function highestFirst(field: "score" | "dlperf_per_dphtotal"): Ordering {
  const value = ({ offer: { fields } }: Priced) => {
    const shown = fields[field];
    return typeof shown === "number" ? shown : Number.NEGATIVE_INFINITY;
  };
  return {
    wire: [[field, "desc"]],
    compare: failedLast((left, right) => (value(left) === value(right) ? 0 : value(right) - value(left))),
  };
}
