import type { FieldFilter, FilterOperator, Offer } from "../marketplace/marketplace.ts";
import type { OfferBudget } from "../money/budget.ts";
import type { Knowledge } from "./expectation.ts";
import { sameName } from "./gpu-names.ts";

/** The order of offers that fit: a job's cost, cheapest by the hour, or the highest first. */
export type OfferOrder = "auto" | "price" | "score" | "dlperf_per_dphtotal";

/** The inputs' demands on an offer. A number of 0 and an empty list ask nothing. */
export interface OfferRequirements {
  /** Any of them; empty: any GPU. */
  gpuName: readonly string[];
  numGpus: number;
  /** USD per hour, storage included. */
  maxPrice: number;
  /** USD per GB, in each direction; undefined: no limit. */
  maxTrafficPrice?: number | undefined;
  /** Of the account, before anything was rented, in USD; undefined: not known. */
  credit?: number | undefined;
  /** 0 to 1. */
  minReliability: number;
  /** GB. */
  disk: number;
  durationSeconds: number;
  /** Of each GPU, as its maker names it: 24 for a card that reports 23.99. */
  minGpuRamGb: number;
  /** Such as 8.9. */
  minComputeCap: number;
  /** The newest CUDA version that the host's driver must be good for, such as 12.8. */
  minCuda: number;
  /** The newest CUDA that the image may have, which bounds the compute capability; undefined: no bound. */
  imageCuda?: number | undefined;
  /** Cores and memory: the offer's share of its machine. */
  minCpuCores: number;
  minCpuRamGb: number;
  minInetDownMbps: number;
  /** Country codes of two capital letters; any of them. */
  geolocation: readonly string[];
  datacenter: boolean;
  /** In the service's own form; it replaces what the others ask of the same field. */
  offerFilter: GivenFilter;
  excludeMachines: readonly number[];
  order: OfferOrder;
  /** Interruptible machines; `price`: USD per hour for the GPUs, else just above the lowest. */
  bid?: { price: number | undefined } | undefined;
  /** The only machine that will do: a volume is on it. */
  machine?: number | undefined;
  /** The bound for the whole session; undefined: none. */
  budget?: OfferBudget | undefined;
  /** The base of `order: auto` and of expectations; without it `auto` is `price`. */
  knowledge?: Knowledge | undefined;
}

/** One demand on an offer, in one row: how a search asks for it, how an answer is checked, how messages say it. */
export interface OfferRule {
  /** The service's name of the field that the rule is about; or a name of our own, which no filter can override. */
  field: string;
  /** True: even the widest search, for these GPUs whatever else is required, asks for it. */
  isWide?: true;
  /** The filter sent to the service; undefined: none. */
  asked?: (requirements: OfferRequirements) => FieldFilter | undefined;
  /** The requirement in words; undefined: nothing is required. */
  inWords?: (requirements: OfferRequirements) => string | undefined;
  /** The input that keeps such an offer away, and what to do with it; undefined: no input does. */
  remedy?: { verb: string; input: string };
  /** True when the offer breaks the rule. Missing fields break none: the search asked for them. */
  broken: (offer: Offer, requirements: OfferRequirements) => boolean;
  why: (offer: Offer, requirements: OfferRequirements) => string;
  /** The higher, the nearer an offer that breaks the rule is to meeting it. */
  measure?: (offer: Offer, requirements: OfferRequirements) => number;
}

/** Describes a filter in the service's own words: `gte 500`. */
export function describeFilter(filter: FieldFilter): string {
  return Object.entries(filter)
    .map(([operator, value]) => `${operator} ${Array.isArray(value) ? value.join("|") : String(value)}`)
    .join(" and ");
}

/** Formats a CUDA version as people write it: 13 is 13.0. */
export function formatCuda(version: number): string {
  return Number.isInteger(version) ? version.toFixed(1) : String(version);
}

/** The input `offer-filter`: filters by field, in the service's own form. */
export type GivenFilter = Readonly<Record<string, FieldFilter>>;

/** Fields on which other inputs make a promise: their rules stay in force, as a filter can only ask for more. */
export const HELD: ReadonlySet<string> = new Set(
  "dph_total disk_space duration inet_down_cost inet_up_cost max_cost num_gpus traffic".split(" "),
);

/** Merges the user's filter into ours. It wins for each field that it names, except HELD ones, where both hold. */
export function mergeFilter(ours: GivenFilter, given: GivenFilter): GivenFilter {
  const both = (field: string, filter: FieldFilter) => (HELD.has(field) ? { ...filter, ...ours[field] } : filter);
  return {
    ...ours,
    ...Object.fromEntries(Object.entries(given).map(([field, filter]) => [field, both(field, filter)])),
  };
}

type Holds = (actual: unknown, wanted: unknown) => boolean;

const HOLDS: Readonly<Record<FilterOperator, Holds>> = {
  eq: comparing((order) => order === 0),
  neq: comparing((order) => order !== 0),
  gt: comparing((order) => order > 0),
  gte: comparing((order) => order >= 0),
  lt: comparing((order) => order < 0),
  lte: comparing((order) => order <= 0),
  in: (actual, wanted) => list(wanted).some((each) => HOLDS.eq(actual, each)),
  notin: (actual, wanted) => list(wanted).every((each) => HOLDS.neq(actual, each)),
};

/** The words that a filter may use. */
export const FILTER_OPERATORS = Object.keys(HOLDS) as FilterOperator[];

/** Looks up what an offer shows for a filter's field; undefined: nothing. */
export function shownOf({ fields }: Offer, field: string): unknown {
  return Object.hasOwn(fields, field) ? (fields[field] ?? undefined) : undefined;
}

/** True when the answer contradicts a filter. Values not shown, or not comparable, don't. */
export function contradicts(offer: Offer, field: string, filter: FieldFilter): boolean {
  const actual = shownOf(offer, field);
  if (actual === undefined) return false;
  return FILTER_OPERATORS.some(
    (operator) => filter[operator] !== undefined && !HOLDS[operator](actual, filter[operator]),
  );
}

/** Compares two values: below, equal to or above 0, as `actual` is to `wanted`. Undefined: not comparable. */
function compare(actual: unknown, wanted: unknown): number | undefined {
  if (typeof actual === "string" && typeof wanted === "string") {
    if (sameName(actual, wanted)) return 0;
    // Numbers in them count as numbers: driver 570.86.15 is newer than 570.9.5.
    return actual.localeCompare(wanted, "en", { numeric: true });
  }
  const order = numberOf(actual) - numberOf(wanted);
  return Number.isNaN(order) ? undefined : order;
}

/** Reads a number, also from a text; a truth value is 0 or 1. The service uses all these forms. */
function numberOf(value: unknown): number {
  if (typeof value !== "string") return Number(value);
  if (/^(true|false)$/i.test(value)) return Number(value.toLowerCase() === "true");
  return value.trim() === "" ? Number.NaN : Number(value);
}

function comparing(holds: (order: number) => boolean): Holds {
  return (actual, wanted) => {
    const order = compare(actual, wanted);
    return order === undefined || holds(order);
  };
}

function list(wanted: unknown): unknown[] {
  return Array.isArray(wanted) ? wanted : [wanted];
}
