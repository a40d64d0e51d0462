import { oneLine } from "../shared/foreign-text.ts";
import type { Offer } from "../vast/schemas/offer.ts";
import { contradicts, isHeld, shownOf } from "./given-filter.ts";
import { askedNames } from "./gpu-names.ts";
import { MACHINE_RULES } from "./machine-rules.ts";
import { MAX_COST_RULE, MONEY_RULES } from "./money-rules.ts";
import { sameName } from "./offer-facts.ts";
import { anyOf, type OfferRule } from "./offer-rule.ts";
import { describeFilter, type OfferWishes } from "./offer-wishes.ts";

/** A demand on every offer, whatever is wished; the widest search asks it, too. */
function always(field: string, wanted: string | boolean, why: (offer: Offer) => string): OfferRule {
  const asked = () => ({ eq: wanted });
  return { field, isWide: true, asked, broken: (offer) => (shownOf(offer, field) ?? wanted) !== wanted, why };
}

const ALWAYS: readonly OfferRule[] = [
  always("rentable", true, () => "not rentable"),
  always("rented", false, () => "already rented"),
  always("external", false, () => "external"),
  always("verified", true, ({ verification = "false" }) => `not verified (${oneLine(verification)})`),
  always("cpu_arch", "amd64", ({ cpu_arch }) => `cpu_arch ${oneLine(String(cpu_arch))}`),
];

const GPU_RULES: readonly OfferRule[] = [
  {
    field: "num_gpus",
    isWide: true,
    remedy: { verb: "Change", input: "num-gpus" },
    asked: ({ numGpus }) => ({ eq: numGpus }),
    told: ({ numGpus, gpuNames }) => `${numGpus} × ${gpuNames.join(" or ") || "any GPU"}`,
    broken: (offer, { numGpus }) => offer.num_gpus !== numGpus,
    why: (offer) => `${offer.num_gpus} GPUs`,
  },
  {
    field: "gpu_name",
    isWide: true,
    remedy: { verb: "Widen", input: "gpu-name" },
    asked: ({ gpuNames }) => anyOf(askedNames(gpuNames)),
    broken: (offer, { gpuNames }) => gpuNames.length > 0 && !gpuNames.some((name) => sameName(name, offer.gpu_name)),
    why: (offer) => `another GPU (${oneLine(offer.gpu_name)})`,
  },
];

/** Ours, in the order in which they are told. */
const RULES: readonly OfferRule[] = [...ALWAYS, ...GPU_RULES, ...MONEY_RULES, ...MACHINE_RULES, MAX_COST_RULE];

/** Our rules, less those whose field the given filter takes over, and one for each field of it. */
export function rulesOf({ filter: given }: Pick<OfferWishes, "filter">): OfferRule[] {
  const ours = RULES.filter(({ field }) => isHeld(field) || !Object.hasOwn(given, field));
  const theirs = Object.entries(given).map(
    ([field, filter]): OfferRule => ({
      field,
      remedy: { verb: "Widen", input: "offer-filter" },
      told: () => `${field} ${describeFilter(filter)}`,
      broken: (offer) => contradicts(offer, field, filter),
      why: (offer) => `${field} ${oneLine(String(shownOf(offer, field)), 60)}`,
    }),
  );
  return [...ours, ...theirs];
}

/** The filters of our own rules: of all, or only those of the widest search. */
export function askedBy(wishes: OfferWishes, which: "all" | "wide"): OfferWishes["filter"] {
  const rows = RULES.filter(({ isWide }) => which === "all" || isWide);
  return Object.fromEntries(
    rows.flatMap(({ field, asked }) => {
      const filter = asked?.(wishes);
      return filter === undefined ? [] : [[field, filter]];
    }),
  );
}

/** The wishes in words, for messages: `1 × RTX 4090, at most 0.60 USD per hour, …`. */
export function describeWishes(wishes: OfferWishes): string {
  return rulesOf(wishes)
    .flatMap(({ told }) => told?.(wishes) ?? [])
    .join(", ");
}
