import type { FieldFilter, Offer } from "../marketplace/marketplace.ts";
import { highestPrice, leastCost } from "../money/budget.ts";
import { formatBeside, formatLimit, formatPrice } from "../money/price.ts";
import { oneLine, withoutSecrets } from "../shared/foreign-text.ts";
import { capabilitiesOf, lacksCode } from "./compiled-code.ts";
import { askedNames, leastGpuRamMb, sameName } from "./gpu-names.ts";
import {
  contradicts,
  describeFilter,
  formatCuda,
  type GivenFilter,
  HELD,
  type OfferRequirements,
  type OfferRule,
  shownOf,
} from "./offer-requirements.ts";
import { TRAFFIC_RULES } from "./traffic-rules.ts";

/** Makes the row of an input that asks for a least amount; 0 asks for nothing. */
function atLeast(rule: {
  field: string;
  input: string;
  value: (offer: Offer) => number | undefined;
  least: (requirements: OfferRequirements) => number;
  /** The least that the service is asked for, where its field has another unit. */
  asked?: (requirements: OfferRequirements) => number;
  inWords?: (requirements: OfferRequirements) => string;
  why: (value: number) => string;
}): OfferRule {
  const { least, inWords } = rule;
  const asked = rule.asked ?? least;
  const amount = (offer: Offer) => rule.value(offer) ?? Number.POSITIVE_INFINITY;
  return {
    field: rule.field,
    remedy: { verb: "Lower", input: rule.input },
    asked: (requirements) => (asked(requirements) > 0 ? { gte: asked(requirements) } : undefined),
    inWords: (requirements) => (inWords && least(requirements) > 0 ? `${inWords(requirements)} or more` : undefined),
    broken: (offer, requirements) => amount(offer) < least(requirements),
    why: (offer) => rule.why(amount(offer)),
    measure: amount,
  };
}

/** Makes a filter for any of these values; undefined if there are none. */
function anyOf([first, ...others]: readonly string[]): FieldFilter | undefined {
  if (first === undefined) return undefined;
  return others.length > 0 ? { in: [first, ...others] } : { eq: first };
}

/** The rules about the machine, in the order in which messages name them. */
const MACHINE_RULES: readonly OfferRule[] = [
  {
    ...atLeast({
      field: "reliability",
      input: "min-reliability",
      value: (offer) => offer.reliability,
      least: (requirements) => requirements.minReliability,
      why: (value) => `reliability ${value.toFixed(3)}`,
    }),
    asked: ({ minReliability }) => ({ gte: minReliability }),
    inWords: ({ minReliability }) => `reliability ${minReliability} or more`,
  },
  {
    ...atLeast({
      field: "disk_space",
      input: "disk",
      value: (offer) => offer.diskGb,
      least: (requirements) => requirements.disk,
      why: (value) => `only ${value} GB of disk`,
    }),
    inWords: ({ disk }) => `${disk} GB of disk`,
  },
  atLeast({
    field: "duration",
    input: "max-lifetime",
    value: (offer) => offer.durationSeconds,
    least: (requirements) => requirements.durationSeconds,
    why: (value) => `rentable for only ${Math.floor(value / 3600)} h`,
  }),
  atLeast({
    field: "gpu_ram",
    input: "min-gpu-ram-gb",
    value: (offer) => offer.gpuRamMb,
    least: (requirements) => leastGpuRamMb(requirements.minGpuRamGb),
    inWords: (requirements) => `${requirements.minGpuRamGb} GB of GPU memory`,
    why: (value) => `only ${(value / 1024).toFixed(1)} GB of GPU memory`,
  }),
  {
    ...atLeast({
      field: "compute_cap",
      input: "min-compute-cap",
      value: (offer) => offer.computeCap,
      least: (requirements) => requirements.minComputeCap,
      inWords: (requirements) => `compute capability ${requirements.minComputeCap.toFixed(1)}`,
      why: (value) => `compute capability ${value.toFixed(1)}`,
    }),
    asked: askedCapability,
  },
  {
    // Not a field of the service. A GPU that is named is taken all the same, after others: see whyWithoutCode.
    field: "image_cuda",
    remedy: { verb: "Set a number as", input: "min-cuda" },
    broken: (offer, requirements) =>
      requirements.gpuName.length === 0 && whyWithoutCode(offer, requirements) !== undefined,
    why: (offer, requirements) => whyWithoutCode(offer, requirements) ?? "",
  },
  atLeast({
    field: "cuda_max_good",
    input: "min-cuda",
    value: (offer) => offer.cuda,
    least: (requirements) => requirements.minCuda,
    inWords: (requirements) => `CUDA ${formatCuda(requirements.minCuda)}`,
    why: (value) => `a driver for CUDA ${formatCuda(value)}`,
  }),
  atLeast({
    field: "cpu_cores_effective",
    input: "min-cpu-cores",
    value: (offer) => offer.cpuCores,
    least: (requirements) => requirements.minCpuCores,
    inWords: (requirements) => `${requirements.minCpuCores} CPU cores`,
    why: (value) => `only ${value} CPU cores`,
  }),
  atLeast({
    field: "cpu_ram",
    input: "min-cpu-ram-gb",
    value: (offer) => offer.cpuRamGb,
    least: (requirements) => requirements.minCpuRamGb,
    // Filters the machine's memory; that the offer's share is enough is checked on our side.
    asked: (requirements) => requirements.minCpuRamGb * 1000,
    inWords: (requirements) => `${requirements.minCpuRamGb} GB of memory`,
    why: (value) => `only ${value.toFixed(1)} GB of memory`,
  }),
  atLeast({
    field: "inet_down",
    input: "min-inet-down-mbps",
    value: (offer) => offer.inetDownMbps,
    least: (requirements) => requirements.minInetDownMbps,
    inWords: (requirements) => `${requirements.minInetDownMbps} Mbit/s down`,
    why: (value) => `only ${Math.floor(value)} Mbit/s down`,
  }),
  {
    field: "geolocation",
    remedy: { verb: "Widen", input: "geolocation" },
    asked: ({ geolocation }) => anyOf(geolocation),
    inWords: ({ geolocation }) => (geolocation.length > 0 ? `in ${geolocation.join(" or ")}` : undefined),
    // An offer that shows no country passes: the search asked for it.
    broken: ({ country }, { geolocation }) =>
      geolocation.length > 0 && country !== undefined && !geolocation.includes(country),
    why: ({ country }) => `in ${oneLine(country ?? "an unknown country")}`,
  },
  {
    field: "datacenter",
    remedy: { verb: "Leave out", input: "datacenter" },
    asked: ({ datacenter }) => (datacenter ? { eq: true } : undefined),
    inWords: ({ datacenter }) => (datacenter ? "in a data centre" : undefined),
    broken: ({ isDatacenter }, { datacenter }) => datacenter && isDatacenter === false,
    why: () => "not in a data centre",
  },
  {
    // Not a field of the service, as a volume is a part of one machine and asks for that.
    field: "volume",
    remedy: { verb: "Change", input: "volume-id" },
    inWords: ({ machine }) => (machine === undefined ? undefined : `on host ${machine}, where the volume is`),
    broken: ({ machineId }, { machine }) => machine !== undefined && machineId !== undefined && machineId !== machine,
    why: (_offer, { machine }) => `the volume is on host ${machine}`,
  },
  {
    field: "machine_id",
    remedy: { verb: "Shorten", input: "exclude-machines" },
    asked({ machine, excludeMachines }) {
      if (machine !== undefined) return { eq: machine };
      return excludeMachines.length > 0 ? { notin: excludeMachines } : undefined;
    },
    inWords: ({ excludeMachines }) =>
      excludeMachines.length > 0 ? `not host ${excludeMachines.join(" or ")}` : undefined,
    broken: ({ machineId }, requirements) =>
      machineId !== undefined && requirements.excludeMachines.includes(machineId),
    why: () => "its machine is excluded",
  },
];

/** Says why the image has no code for the offer's GPU; undefined if it has, or the offer does not show its GPU's kind. */
export function whyWithoutCode({ computeCap }: Offer, { imageCuda }: OfferRequirements): string | undefined {
  const why = imageCuda === undefined || computeCap === undefined ? undefined : lacksCode(imageCuda, computeCap);
  return why && `compute capability ${computeCap?.toFixed(1)}, ${why}`;
}

/** Asks for the compute capability, in hundredths; by the image's CUDA, too, unless the GPU is named. */
function askedCapability({ gpuName, imageCuda, minComputeCap }: OfferRequirements): FieldFilter | undefined {
  const isBound = imageCuda !== undefined && gpuName.length === 0;
  const { least, below } = isBound ? capabilitiesOf(imageCuda) : { least: 0, below: undefined };
  const gte = Math.round(Math.max(minComputeCap, least) * 100);
  if (gte === 0 && below === undefined) return undefined;
  return { ...(gte > 0 && { gte }), ...(below !== undefined && { lt: below * 100 }) };
}

/** The rules about money. A cost that is not a number must not pass: so `!(a <= b)`, never `a > b`. */
const MONEY_RULES: readonly OfferRule[] = [
  {
    // A bid below the lowest makes a stopped instance, which bills its disk.
    field: "lowest_bid",
    remedy: { verb: "Raise", input: "bid-price" },
    inWords({ bid }) {
      if (bid === undefined) return undefined;
      return bid.price === undefined ? "interruptible" : `interruptible at a bid of ${formatLimit(bid.price)} per hour`;
    },
    broken: ({ lowestBid }, { bid }) => bid?.price !== undefined && !(bid.price >= lowestBid),
    // Rounded up, so that the bid we name is high enough; 1.1 × 10,000 is a little more than 11,000.
    why: ({ lowestBid }) => `the lowest bid is ${formatLimit(Math.ceil(lowestBid * 10_000 - 1e-6) / 10_000)}`,
    measure: ({ lowestBid }) => -lowestBid,
  },
  {
    field: "dph_total",
    remedy: { verb: "Raise", input: "max-price" },
    asked: (requirements) => ({ lte: priceCap(requirements) }),
    inWords: ({ maxPrice }) => `at most ${formatLimit(maxPrice)} per hour`,
    broken: ({ price }, { maxPrice }) => !(price.total <= maxPrice),
    why: ({ price }, { maxPrice }) => `${formatBeside(price.total, maxPrice)} per hour with storage`,
    measure: ({ price }) => -price.total,
  },
];

/** Computes the highest price to search for: `max-cost` bounds it, too, unless the cheapest come first. */
function priceCap({ budget, maxPrice, order }: OfferRequirements): number {
  const cheapestFirst = order === "price" || order === "auto";
  return budget === undefined || cheapestFirst ? maxPrice : Math.min(maxPrice, highestPrice(budget));
}

function leastOf(offer: Offer, { budget }: OfferRequirements): number {
  return budget === undefined ? 0 : leastCost(offer.price, offer, budget);
}

/** Makes a rule for every offer, whatever the inputs say; even the widest search asks for it. */
function always(field: string, wanted: string | boolean, why: (offer: Offer) => string): OfferRule {
  const asked = () => ({ eq: wanted });
  return { field, isWide: true, asked, broken: (offer) => (shownOf(offer, field) ?? wanted) !== wanted, why };
}

/** All rules of our own, in the order in which messages name them. */
const OFFER_RULES: readonly OfferRule[] = [
  always("rentable", true, () => "not rentable"),
  always("rented", false, () => "already rented"),
  always("external", false, () => "external"),
  always("verified", true, ({ fields }) => `not verified (${oneLine(String(fields.verification ?? "false"))})`),
  always("cpu_arch", "amd64", ({ cpuArch }) => `cpu_arch ${oneLine(String(cpuArch))}`),
  {
    field: "num_gpus",
    isWide: true,
    remedy: { verb: "Change", input: "num-gpus" },
    asked: ({ numGpus }) => ({ eq: numGpus }),
    inWords: ({ numGpus, gpuName }) => `${numGpus} × ${gpuName.join(" or ") || "any GPU"}`,
    broken: (offer, { numGpus }) => offer.numGpus !== numGpus,
    why: (offer) => `${offer.numGpus} GPUs`,
  },
  {
    field: "gpu_name",
    isWide: true,
    remedy: { verb: "Widen", input: "gpu-name" },
    asked: ({ gpuName }) => anyOf(askedNames(gpuName)),
    broken: (offer, { gpuName }) => gpuName.length > 0 && !gpuName.some((name) => sameName(name, offer.gpuName)),
    why: (offer) => `another GPU (${oneLine(offer.gpuName)})`,
  },
  ...MONEY_RULES,
  ...TRAFFIC_RULES,
  ...MACHINE_RULES,
  {
    // The rest of `max-cost` must pay for the shortest sensible use of an offer.
    field: "max_cost",
    remedy: { verb: "Raise", input: "max-cost" },
    inWords: ({ budget }) => budget && `within ${formatPrice(Math.max(0, budget.left))} for all of it`,
    broken: (offer, needs) => needs.budget !== undefined && !(leastOf(offer, needs) <= needs.budget.left),
    why(offer, needs) {
      const left = Math.max(0, needs.budget?.left ?? 0);
      return `the shortest rental costs ${formatBeside(leastOf(offer, needs), left)}, and max-cost has ${formatPrice(left)} left`;
    },
    measure: (offer, requirements) => -leastOf(offer, requirements),
  },
];

/** Lists the rules that count: one for each field of the user's filter, and ours on other fields. */
function filterRules({ offerFilter: given }: Pick<OfferRequirements, "offerFilter">): OfferRule[] {
  const ours = OFFER_RULES.filter(({ field }) => HELD.has(field) || !Object.hasOwn(given, field));
  const theirs = Object.entries(given).map(
    ([field, filter]): OfferRule => ({
      field,
      remedy: { verb: "Widen", input: "offer-filter" },
      inWords: () => `${field} ${describeFilter(filter)}`,
      broken: (offer) => contradicts(offer, field, filter),
      why: (offer) => `${field} ${oneLine(withoutSecrets(String(shownOf(offer, field))), 60)}`,
    }),
  );
  return [...ours, ...theirs];
}

/** Builds the filters of our own rules: all of them, or only those of the widest search. */
export function askedBy(requirements: OfferRequirements, which: "all" | "wide"): GivenFilter {
  const rows = OFFER_RULES.filter(({ isWide }) => which === "all" || isWide);
  return Object.fromEntries(
    rows.flatMap(({ field, asked }) => {
      const filter = asked?.(requirements);
      return filter === undefined ? [] : [[field, filter]];
    }),
  );
}

/** Describes the requirements for messages: `1 × RTX 4090, at most 0.60 USD per hour, …`. */
export function describeRequirements(requirements: OfferRequirements): string {
  return filterRules(requirements)
    .flatMap(({ inWords }) => inWords?.(requirements) ?? [])
    .join(", ");
}

/** A reason not to take an offer. `rule`: the broken one; none if it is not about the requirements. */
export interface Objection {
  why: string;
  rule?: OfferRule;
}

/** Lists what is wrong with an offer; empty if it fits. The service may have ignored filters. */
export function judgeOffer(offer: Offer, requirements: OfferRequirements): Objection[] {
  return filterRules(requirements)
    .filter((rule) => rule.broken(offer, requirements))
    .map((rule) => ({ rule, why: rule.why(offer, requirements) }));
}
