import type { Offer } from "../vast/schemas/offer.ts";
import type { FieldFilter, OfferQuery } from "../vast/schemas/offer-query.ts";
import { mergeFilter } from "./given-filter.ts";
import { ORDERINGS } from "./offer-order.ts";
import { askedBy } from "./offer-rules.ts";
import type { OfferWishes } from "./offer-wishes.ts";

/** The service was seen to answer at most 64 rows, whatever it is asked for. */
const MOST_OFFERS = 64;

/** The search for these wishes, in their order. */
export function offerQuery(wishes: OfferWishes): OfferQuery {
  return queryFor(wishes, mergeFilter(askedBy(wishes, "all"), wishes.filter));
}

/** The search for the GPUs alone, which tells what else keeps offers away. */
export function widerQuery(wishes: OfferWishes): OfferQuery {
  return queryFor(wishes, askedBy(wishes, "wide"));
}

function queryFor({ bid, order, diskGb }: OfferWishes, filters: OfferQuery["filters"]): OfferQuery {
  return {
    filters,
    type: bid ? "bid" : "on-demand",
    order: ORDERINGS[order].wire,
    limit: MOST_OFFERS,
    allocated_storage: diskGb,
  };
}

/** The same search from the last offer on; undefined: unknown how, or the answer was not full. */
export function nextQuery(query: OfferQuery, answer: readonly Offer[]): OfferQuery | undefined {
  const [[field, direction] = []] = query.order;
  const last = field === undefined ? undefined : answer.at(-1)?.[field];
  if (field === undefined || typeof last !== "number" || answer.length < MOST_OFFERS) return undefined;
  // Its own filter on that field holds for the last offer, so the bound may stand beside it.
  const from = direction === "asc" ? { gte: last } : { lte: last };
  return { ...query, filters: { ...query.filters, [field]: { ...query.filters[field], ...from } } };
}

/**
 * The same search in the specification's words: operators eq, gte and in, direction desc, its own
 * keys. The rest is checked on our side, as far as the answer shows it.
 */
export function seedQuery(query: OfferQuery): OfferQuery {
  const isDescending = query.order.every(([, direction]) => direction === "desc");
  return {
    filters: Object.fromEntries(Object.entries(query.filters).filter(([, filter]) => isShown(filter))),
    type: query.type,
    order: isDescending ? query.order : [["dlperf_per_dphtotal", "desc"]],
    limit: query.limit,
  };
}

const SHOWN_OPERATORS: ReadonlySet<string> = new Set(["eq", "gte", "in"]);

function isShown(filter: FieldFilter): boolean {
  return Object.keys(filter).every((operator) => SHOWN_OPERATORS.has(operator));
}
