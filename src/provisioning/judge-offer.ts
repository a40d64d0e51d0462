import { oneLine } from "../foreign-text.ts";
import type { Offer } from "../service/schemas/offer.ts";
import { offerPrice } from "./offer-price.ts";
import { formatPrice, type OfferWishes } from "./offer-wishes.ts";

interface Rule {
  /** True when the offer breaks the rule. A field that the service left out breaks none: the search asked for it. */
  broken: (offer: Offer, wishes: OfferWishes) => boolean;
  why: (offer: Offer, wishes: OfferWishes) => string;
}

const RULES: readonly Rule[] = [
  { broken: (offer) => offer.rentable === false, why: () => "not rentable" },
  { broken: (offer) => offer.rented === true, why: () => "already rented" },
  { broken: (offer) => offer.external === true, why: () => "external" },
  { broken: (offer) => !isVerified(offer), why: (offer) => `not verified (${oneLine(offer.verification ?? "false")})` },
  {
    broken: (offer) => (offer.cpu_arch ?? "amd64") !== "amd64",
    why: (offer) => `cpu_arch ${oneLine(String(offer.cpu_arch))}`,
  },
  {
    broken: (offer, wishes) => wishes.gpuName !== undefined && !sameGpu(offer.gpu_name, wishes.gpuName),
    why: (offer) => `another GPU (${oneLine(offer.gpu_name)})`,
  },
  { broken: (offer, wishes) => offer.num_gpus !== wishes.numGpus, why: (offer) => `${offer.num_gpus} GPUs` },
  {
    broken: (offer, wishes) => (reliabilityOf(offer) ?? 1) < wishes.minReliability,
    why: (offer) => `reliability ${reliabilityOf(offer)?.toFixed(3)}`,
  },
  {
    broken: (offer, wishes) => (offer.disk_space ?? Infinity) < wishes.diskGb,
    why: (offer) => `only ${offer.disk_space} GB of disk`,
  },
  {
    broken: (offer, wishes) => (offer.duration ?? Infinity) < wishes.durationSeconds,
    why: (offer) => `rentable for only ${Math.floor((offer.duration ?? 0) / 3600)} h`,
  },
  {
    // `!(a <= b)` and not `a > b`: a price that is not a number must not pass.
    broken: (offer, wishes) => !(offerPrice(offer, wishes.diskGb).total <= wishes.maxPrice),
    why: (offer, wishes) => `${formatPrice(offerPrice(offer, wishes.diskGb).total)} per hour with storage`,
  },
];

/** Why an offer does not meet the wishes; empty when it does. The service does not always apply its filters. */
export function whyNot(offer: Offer, wishes: OfferWishes): string[] {
  return RULES.filter((rule) => rule.broken(offer, wishes)).map((rule) => rule.why(offer, wishes));
}

/** Seed: `verified`, a boolean. The service answers `verification`, a word, instead. */
function isVerified(offer: Offer): boolean {
  if (offer.verification !== undefined) return offer.verification === "verified";
  return offer.verified !== false;
}

function reliabilityOf(offer: Offer): number | undefined {
  return offer.reliability ?? offer.reliability2;
}

/** The service's documentation writes blanks, its examples underscores. */
function sameGpu(left: string, right: string): boolean {
  const normal = (name: string) => name.replaceAll("_", " ").trim().toLowerCase();
  return normal(left) === normal(right);
}
