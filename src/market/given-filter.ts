import type { Offer } from "../vast/schemas/offer.ts";
import type { FieldFilter, FilterOperator } from "../vast/schemas/offer-query.ts";
import { countryOf, isDatacenter, isVerified, sameName } from "./offer-facts.ts";

/** The input `offer-filter`: filters by field, in the service's own form. */
export type GivenFilter = Readonly<Record<string, FieldFilter>>;

/** Promised by other inputs: a filter on the same field can only ask for more. */
const HELD: ReadonlySet<string> = new Set(["dph_total", "disk_space", "duration", "max_cost", "num_gpus"]);

/** True for a field whose own rule holds whatever the given filter says of it. */
export function isHeld(field: string): boolean {
  return HELD.has(field);
}

/** Merges the given filter last: a field that it names is its own, except those that are held. */
export function mergeFilter(ours: GivenFilter, given: GivenFilter): GivenFilter {
  const merged = Object.entries(given).map(([field, filter]) => [
    field,
    isHeld(field) ? { ...filter, ...ours[field] } : filter,
  ]);
  return { ...ours, ...Object.fromEntries(merged) };
}

type Holds = (actual: unknown, wanted: unknown) => boolean;

const OPERATORS: Readonly<Record<FilterOperator, Holds>> = {
  eq: (actual, wanted) => isTrueOf(compare(actual, wanted), (order) => order === 0),
  neq: (actual, wanted) => isTrueOf(compare(actual, wanted), (order) => order !== 0),
  gt: (actual, wanted) => isTrueOf(compare(actual, wanted), (order) => order > 0),
  gte: (actual, wanted) => isTrueOf(compare(actual, wanted), (order) => order >= 0),
  lt: (actual, wanted) => isTrueOf(compare(actual, wanted), (order) => order < 0),
  lte: (actual, wanted) => isTrueOf(compare(actual, wanted), (order) => order <= 0),
  in: (actual, wanted) => list(wanted).some((each) => OPERATORS.eq(actual, each)),
  notin: (actual, wanted) => list(wanted).every((each) => OPERATORS.neq(actual, each)),
};

/** The words that a filter may use. */
export const FILTER_OPERATORS = Object.keys(OPERATORS) as FilterOperator[];

/** Fields whose answer has another name or form than their filter. */
const READERS: Readonly<Record<string, (offer: Offer) => unknown>> = {
  verified: isVerified,
  datacenter: isDatacenter,
  geolocation: countryOf,
};

/** The answer's value for a filter's field; undefined: none. */
export function shownOf(offer: Offer, field: string): unknown {
  const read = Object.hasOwn(READERS, field) ? READERS[field] : undefined;
  return read ? read(offer) : (offer[field] ?? undefined);
}

/** True when the answer contradicts a filter. Values not shown, or not comparable, don't. */
export function contradicts(offer: Offer, field: string, filter: FieldFilter): boolean {
  const actual = shownOf(offer, field);
  if (actual === undefined) return false;
  return FILTER_OPERATORS.some(
    (operator) => filter[operator] !== undefined && !OPERATORS[operator](actual, filter[operator]),
  );
}

/** Below, equal to or above 0, as `actual` is to `wanted`; undefined: not comparable. */
function compare(actual: unknown, wanted: unknown): number | undefined {
  if (typeof actual === "string" && typeof wanted === "string") {
    if (sameName(actual, wanted)) return 0;
    return actual < wanted ? -1 : 1;
  }
  const order = numberOf(actual) - numberOf(wanted);
  return Number.isNaN(order) ? undefined : order;
}

/** A number, also from a text; a truth value is 0 or 1. The service uses all these forms. */
function numberOf(value: unknown): number {
  if (typeof value !== "string") return Number(value);
  if (/^(true|false)$/i.test(value)) return Number(value.toLowerCase() === "true");
  return value.trim() === "" ? Number.NaN : Number(value);
}

function isTrueOf(order: number | undefined, holds: (order: number) => boolean): boolean {
  return order === undefined || holds(order);
}

function list(wanted: unknown): unknown[] {
  return Array.isArray(wanted) ? wanted : [wanted];
}
