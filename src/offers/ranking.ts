import type { Offer, OfferQuery, Price } from "../marketplace/marketplace.ts";
import type { Expectation } from "./expectation.ts";
import type { OfferOrder } from "./offer-requirements.ts";
import type { Objection } from "./rules.ts";

/** An offer with its price, and what is expected of its machine. */
export interface Candidate {
  offer: Offer;
  price: Price;
  /** What we expect of its machine; undefined if nothing is known. */
  expected?: Expectation | undefined;
  /** What it costs in USD where a job has waited in vain. Undefined: the usual order holds then, too. */
  urgentCost?: number | undefined;
}

/** An offer that was looked at, and what is wrong with it. */
export interface Considered extends Candidate {
  objections: readonly Objection[];
}

type Compare = (left: Candidate, right: Candidate) => number;

interface Ordering {
  /** The order that the service is asked for. */
  wire: OfferQuery["order"];
  /** The order in which we sort the answer. */
  compare: Compare;
}

/** More reliable first among equals. */
const BY_PRICE: Compare = (left, right) =>
  left.price.total - right.price.total || (right.offer.reliability ?? 0) - (left.offer.reliability ?? 0);

/** Compares by a job's expected cost; without expectations by price. */
const BY_COST: Compare = (left, right) =>
  (left.expected?.cost.total ?? 0) - (right.expected?.cost.total ?? 0) || BY_PRICE(left, right);

/** Sorts by the cost where a job has waited in vain; offers without one keep their order. */
export const BY_URGENT_COST: Compare = failedLast((left, right) => (left.urgentCost ?? 0) - (right.urgentCost ?? 0));

/** How the service is asked for each `order`, and how we sort by it. */
export const ORDERINGS: Readonly<Record<OfferOrder, Ordering>> = {
  auto: { wire: [["dph_total", "asc"]], compare: failedLast(BY_COST) },
  price: { wire: [["dph_total", "asc"]], compare: failedLast(BY_PRICE) },
  score: highestFirst("score"),
  dlperf_per_dphtotal: highestFirst("dlperf_per_dphtotal"),
};

/** Puts machines that failed lately last. They are not excluded: one of them may be the only machine. */
function failedLast(compare: Compare): Compare {
  const hasFailed = ({ expected }: Candidate) => Number(expected?.failedLately ?? false);
  return (left, right) => hasFailed(left) - hasFailed(right) || compare(left, right);
}

/** Sorts by a field, highest first. Offers that don't show the field come last, in the service's order. */
function highestFirst(field: "score" | "dlperf_per_dphtotal"): Ordering {
  const value = ({ offer: { fields } }: Candidate) => {
    const shown = fields[field];
    return typeof shown === "number" ? shown : Number.NEGATIVE_INFINITY;
  };
  return {
    wire: [[field, "desc"]],
    compare: failedLast((left, right) => (value(left) === value(right) ? 0 : value(right) - value(left))),
  };
}
