import { highestPrice } from "../money/budget.ts";
import type { FieldFilter, OfferQuery } from "../service/schemas/offer-query.ts";
import { mergeFilter } from "./given-filter.ts";
import { leastGpuRamMb } from "./offer-facts.ts";
import { ORDERINGS } from "./offer-order.ts";
import type { OfferWishes } from "./offer-wishes.ts";

/** The service was seen to answer at most 64 rows, whatever it is asked for. */
const MOST_OFFERS = 64;

type Filters = Record<string, FieldFilter>;

/** The search for these wishes, in their order. */
export function offerQuery(wishes: OfferWishes): OfferQuery {
  return queryFor({ ...theGpus(wishes), ...theRest(wishes) }, wishes, wishes.filter);
}

/** The search for the GPUs alone, which tells what else keeps offers away. */
export function widerQuery(wishes: OfferWishes): OfferQuery {
  return queryFor(theGpus(wishes), wishes, {});
}

function queryFor(filters: Filters, { bid, order, diskGb }: OfferWishes, given: OfferWishes["filter"]): OfferQuery {
  return {
    filters: mergeFilter(filters, given),
    type: bid ? "bid" : "on-demand",
    order: ORDERINGS[order].wire,
    limit: MOST_OFFERS,
    allocated_storage: diskGb,
  };
}

function theGpus({ gpuNames, numGpus }: OfferWishes): Filters {
  return {
    rentable: { eq: true },
    rented: { eq: false },
    external: { eq: false },
    verified: { eq: true },
    cpu_arch: { eq: "amd64" },
    num_gpus: { eq: numGpus },
    // The service's documentation writes underscores, its answers blanks; it compares letter by letter.
    ...anyOf(
      "gpu_name",
      gpuNames.map((name) => name.replaceAll("_", " ")),
    ),
  };
}

function theRest(wishes: OfferWishes): Filters {
  return {
    reliability: { gte: wishes.minReliability },
    disk_space: { gte: wishes.diskGb },
    duration: { gte: wishes.durationSeconds },
    dph_total: { lte: priceCap(wishes) },
    ...atLeast("gpu_ram", leastGpuRamMb(wishes.minGpuRamGb)),
    ...atLeast("compute_cap", Math.round(wishes.minComputeCap * 100)),
    ...atLeast("cuda_max_good", wishes.minCuda),
    ...atLeast("cpu_cores_effective", wishes.minCpuCores),
    // The filter is on the machine's memory; that the offer's share is enough is checked on our side.
    ...atLeast("cpu_ram", wishes.minCpuRamGb * 1000),
    ...atLeast("inet_down", wishes.minInetDownMbps),
    ...anyOf("geolocation", wishes.countries),
    ...(wishes.needsDatacenter ? { datacenter: { eq: true } } : {}),
    ...theMachine(wishes),
  };
}

function theMachine({ machine, excludedMachines }: OfferWishes): Filters {
  if (machine !== undefined) return { machine_id: { eq: machine } };
  return excludedMachines.length > 0 ? { machine_id: { notin: excludedMachines } } : {};
}

/** What `max-cost` allows is asked for, too, where the first answers need not be the cheapest: else they could all be too dear. */
function priceCap({ budget, maxPrice, order }: OfferWishes): number {
  return budget === undefined || order === "price" || order === "auto"
    ? maxPrice
    : Math.min(maxPrice, highestPrice(budget));
}

function atLeast(field: string, least: number): Filters {
  return least > 0 ? { [field]: { gte: least } } : {};
}

function anyOf(field: string, [first, ...others]: readonly string[]): Filters {
  if (first === undefined) return {};
  return { [field]: others.length > 0 ? { in: [first, ...others] } : { eq: first } };
}

/**
 * The same search in the words that the specification shows: operators eq, gte and in, direction desc, its own keys. What falls
 * away is checked on our side, as far as the answer shows it.
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
