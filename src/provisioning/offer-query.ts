import type { OfferQuery } from "../service/schemas/offer-query.ts";
import type { OfferWishes } from "./offer-wishes.ts";

/** The service was seen to answer at most 64 rows, whatever it is asked for. */
const MOST_OFFERS = 64;

/** The search for these wishes, cheapest first. */
export function offerQuery(wishes: OfferWishes): OfferQuery {
  return {
    filters: {
      rentable: { eq: true },
      rented: { eq: false },
      external: { eq: false },
      verified: { eq: true },
      cpu_arch: { eq: "amd64" },
      num_gpus: { eq: wishes.numGpus },
      // The service's documentation writes underscores, its answers blanks; it compares letter by letter.
      ...(wishes.gpuName === undefined ? {} : { gpu_name: { eq: wishes.gpuName.replaceAll("_", " ") } }),
      reliability: { gte: wishes.minReliability },
      disk_space: { gte: wishes.diskGb },
      duration: { gte: wishes.durationSeconds },
      dph_total: { lte: wishes.maxPrice },
    },
    type: "on-demand",
    order: [["dph_total", "asc"]],
    limit: MOST_OFFERS,
    allocated_storage: wishes.diskGb,
  };
}

/**
 * The same search in the words that the specification shows: operators eq, gte and in, direction desc, its own keys. What falls
 * away is checked on our side anyway.
 */
export function seedQuery(query: OfferQuery): OfferQuery {
  const shown = new Set(["eq", "gte", "in"]);
  const filters = Object.entries(query.filters).filter(([, filter]) =>
    Object.keys(filter).every((operator) => shown.has(operator)),
  );
  return {
    filters: Object.fromEntries(filters),
    type: query.type,
    order: [["dlperf_per_dphtotal", "desc"]],
    limit: query.limit,
  };
}
