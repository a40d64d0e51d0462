import type { Offer, OfferQuery, Price } from "../marketplace/marketplace.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { Expectation } from "./expectation.ts";
import type { OfferOrder } from "./offer-requirements.ts";
import type { Objection } from "./rules.ts";

/** An offer with its price, and what is expected of its machine. */
export interface Candidate {
  offer: Offer;
  price: Price;
  /** What we expect of its machine; undefined if nothing is known. */
  expected?: Expectation | undefined;
  /** What it costs in USD where a wait of the job has failed. Undefined: the usual order holds then, too. */
  urgentCost?: number | undefined;
  /** Why the image has no code for its GPU, which was asked for by its name; undefined if it has. */
  withoutCode?: string | undefined;
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

const BY_PRICE: Compare = (left, right) =>
  left.price.total - right.price.total || (right.offer.reliability ?? 0) - (left.offer.reliability ?? 0);

/** Compares by a job's expected cost; without expectations by price. */
const BY_COST: Compare = (left, right) =>
  (left.expected?.cost.total ?? 0) - (right.expected?.cost.total ?? 0) || BY_PRICE(left, right);

/** Sorts by the cost where a wait of the job has failed; offers without one keep their order. */
export const BY_URGENT_COST: Compare = doubtfulLast((left, right) => (left.urgentCost ?? 0) - (right.urgentCost ?? 0));

/** Warns of the machine that would be taken although the image has no code for its GPU. */
export function describeWithoutCode({ offer, withoutCode }: Candidate): string | undefined {
  if (withoutCode === undefined) return undefined;
  return `${oneLine(offer.gpuName, 60)} has ${withoutCode}, and this one's name says otherwise: a job on it may fail with "no kernel image is available". Take another image or GPU. If the job brings a CUDA of its own, as pip's wheels do, write that as a number for min-cuda.`;
}

/** How the service is asked for each `order`, and how we sort by it. */
export const ORDERINGS: Readonly<Record<OfferOrder, Ordering>> = {
  auto: { wire: [["dph_total", "asc"]], compare: doubtfulLast(BY_COST) },
  price: { wire: [["dph_total", "asc"]], compare: doubtfulLast(BY_PRICE) },
  score: highestFirst("score"),
  dlperf_per_dphtotal: highestFirst("dlperf_per_dphtotal"),
};

/** Puts machines that failed lately last, then GPUs without code. They are not excluded: one may be the only machine. */
function doubtfulLast(compare: Compare): Compare {
  const doubt = ({ expected, withoutCode }: Candidate) =>
    Number(withoutCode !== undefined) * 2 + Number(expected?.failedLately ?? false);
  return (left, right) => doubt(left) - doubt(right) || compare(left, right);
}

/** Sorts by a field, highest first. Offers that don't show the field come last, in the service's order. */
function highestFirst(field: "score" | "dlperf_per_dphtotal"): Ordering {
  const value = ({ offer: { fields } }: Candidate) => {
    const shown = fields[field];
    return typeof shown === "number" ? shown : Number.NEGATIVE_INFINITY;
  };
  return {
    wire: [[field, "desc"]],
    compare: doubtfulLast((left, right) => (value(left) === value(right) ? 0 : value(right) - value(left))),
  };
}
