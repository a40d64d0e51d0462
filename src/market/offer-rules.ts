import { formatPrice } from "../money/format-price.ts";
import type { Offer } from "../service/schemas/offer.ts";
import { oneLine } from "../text/foreign-text.ts";
import { priceOf } from "./bid-price.ts";
import { MAX_COST_RULE } from "./budget-rule.ts";
import { contradicts, isHeld, shownOf } from "./given-filter.ts";
import { BID_RULE, VOLUME_RULE } from "./market-rules.ts";
import {
  countryOf,
  cpuRamShareGb,
  isDatacenter,
  isVerified,
  leastGpuRamMb,
  reliabilityOf,
  sameName,
} from "./offer-facts.ts";
import { formatCuda, type OfferWishes } from "./offer-wishes.ts";

/** One thing that an offer must meet. */
export interface OfferRule {
  /** The service's name of the field that the filter is on. */
  field: string;
  /** The input that keeps such an offer away, and what to do with it; undefined: no input does. */
  remedy?: { verb: string; input: string };
  /** True when the offer breaks the rule. A field that the service left out breaks none: the search asked for it. */
  broken: (offer: Offer, wishes: OfferWishes) => boolean;
  why: (offer: Offer, wishes: OfferWishes) => string;
  /** The higher, the nearer an offer that breaks the rule is to meeting it. */
  measure?: (offer: Offer, wishes: OfferWishes) => number;
}

/** The rule of an input that asks for a least amount. */
function atLeast(rule: {
  field: string;
  input: string;
  value: (offer: Offer) => number | undefined;
  least: (wishes: OfferWishes) => number;
  why: (value: number) => string;
}): OfferRule {
  const amount = (offer: Offer) => rule.value(offer) ?? Number.POSITIVE_INFINITY;
  return {
    field: rule.field,
    remedy: { verb: "Lower", input: rule.input },
    broken: (offer, wishes) => amount(offer) < rule.least(wishes),
    why: (offer) => rule.why(amount(offer)),
    measure: amount,
  };
}

function totalOf(offer: Offer, wishes: OfferWishes): number {
  return priceOf(offer, wishes).total;
}

function isElsewhere(offer: Offer, countries: readonly string[]): boolean {
  const country = countryOf(offer);
  return country !== undefined && !countries.includes(country);
}

const RULES: readonly OfferRule[] = [
  { field: "rentable", broken: (offer) => offer.rentable === false, why: () => "not rentable" },
  { field: "rented", broken: (offer) => offer.rented === true, why: () => "already rented" },
  { field: "external", broken: (offer) => offer.external === true, why: () => "external" },
  {
    field: "verified",
    broken: (offer) => isVerified(offer) === false,
    why: (offer) => `not verified (${oneLine(offer.verification ?? "false")})`,
  },
  {
    field: "cpu_arch",
    broken: (offer) => (offer.cpu_arch ?? "amd64") !== "amd64",
    why: (offer) => `cpu_arch ${oneLine(String(offer.cpu_arch))}`,
  },
  {
    field: "gpu_name",
    remedy: { verb: "Widen", input: "gpu-name" },
    broken: (offer, { gpuNames }) => gpuNames.length > 0 && !gpuNames.some((name) => sameName(name, offer.gpu_name)),
    why: (offer) => `another GPU (${oneLine(offer.gpu_name)})`,
  },
  {
    field: "num_gpus",
    remedy: { verb: "Change", input: "num-gpus" },
    broken: (offer, wishes) => offer.num_gpus !== wishes.numGpus,
    why: (offer) => `${offer.num_gpus} GPUs`,
  },
  {
    field: "machine_id",
    remedy: { verb: "Shorten", input: "exclude-machines" },
    broken: ({ machine_id }, wishes) => machine_id !== undefined && wishes.excludedMachines.includes(machine_id),
    why: () => "its machine is excluded",
  },
  {
    field: "geolocation",
    remedy: { verb: "Widen", input: "geolocation" },
    broken: (offer, { countries }) => countries.length > 0 && isElsewhere(offer, countries),
    why: (offer) => `in ${oneLine(countryOf(offer) ?? "an unknown country")}`,
  },
  {
    field: "datacenter",
    remedy: { verb: "Leave out", input: "datacenter" },
    broken: (offer, wishes) => wishes.needsDatacenter && isDatacenter(offer) === false,
    why: () => "not in a data centre",
  },
  atLeast({
    field: "reliability",
    input: "min-reliability",
    value: reliabilityOf,
    least: (wishes) => wishes.minReliability,
    why: (value) => `reliability ${value.toFixed(3)}`,
  }),
  atLeast({
    field: "gpu_ram",
    input: "min-gpu-ram-gb",
    value: (offer) => offer.gpu_ram,
    least: (wishes) => leastGpuRamMb(wishes.minGpuRamGb),
    why: (value) => `only ${(value / 1024).toFixed(1)} GB of GPU memory`,
  }),
  atLeast({
    field: "compute_cap",
    input: "min-compute-cap",
    value: (offer) => offer.compute_cap,
    least: (wishes) => Math.round(wishes.minComputeCap * 100),
    why: (value) => `compute capability ${(value / 100).toFixed(1)}`,
  }),
  atLeast({
    field: "cuda_max_good",
    input: "min-cuda",
    value: (offer) => offer.cuda_max_good,
    least: (wishes) => wishes.minCuda,
    why: (value) => `a driver for CUDA ${formatCuda(value)}`,
  }),
  atLeast({
    field: "cpu_cores_effective",
    input: "min-cpu-cores",
    value: (offer) => offer.cpu_cores_effective,
    least: (wishes) => wishes.minCpuCores,
    why: (value) => `only ${value} CPU cores`,
  }),
  atLeast({
    field: "cpu_ram",
    input: "min-cpu-ram-gb",
    value: cpuRamShareGb,
    least: (wishes) => wishes.minCpuRamGb,
    why: (value) => `only ${value.toFixed(1)} GB of memory`,
  }),
  atLeast({
    field: "inet_down",
    input: "min-inet-down-mbps",
    value: (offer) => offer.inet_down,
    least: (wishes) => wishes.minInetDownMbps,
    why: (value) => `only ${Math.floor(value)} Mbit/s down`,
  }),
  atLeast({
    field: "disk_space",
    input: "disk",
    value: (offer) => offer.disk_space,
    least: (wishes) => wishes.diskGb,
    why: (value) => `only ${value} GB of disk`,
  }),
  atLeast({
    field: "duration",
    input: "max-lifetime",
    value: (offer) => offer.duration,
    least: (wishes) => wishes.durationSeconds,
    why: (value) => `rentable for only ${Math.floor(value / 3600)} h`,
  }),
  {
    field: "dph_total",
    remedy: { verb: "Raise", input: "max-price" },
    // `!(a <= b)` and not `a > b`: a price that is not a number must not pass.
    broken: (offer, wishes) => !(totalOf(offer, wishes) <= wishes.maxPrice),
    why: (offer, wishes) => `${formatPrice(totalOf(offer, wishes))} per hour with storage`,
    measure: (offer, wishes) => -totalOf(offer, wishes),
  },
  VOLUME_RULE,
  BID_RULE,
  MAX_COST_RULE,
];

/** The rules of a search: ours, less those whose field the given filter takes over, and one for each field of it. */
export function rulesOf({ filter: given }: Pick<OfferWishes, "filter">): OfferRule[] {
  const ours = RULES.filter(({ field }) => isHeld(field) || !Object.hasOwn(given, field));
  const theirs = Object.entries(given).map(
    ([field, filter]): OfferRule => ({
      field,
      remedy: { verb: "Widen", input: "offer-filter" },
      broken: (offer) => contradicts(offer, field, filter),
      why: (offer) => `${field} ${oneLine(String(shownOf(offer, field)), 60)}`,
    }),
  );
  return [...ours, ...theirs];
}
