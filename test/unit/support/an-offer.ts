import type { Offer } from "../../../src/marketplace/marketplace.ts";
import type { WireOffer } from "../../../src/marketplace/vast/schemas.ts";
import { offerOf } from "../../../src/marketplace/vast/translate.ts";
import type { OfferRequirements } from "../../../src/offers/offer-requirements.ts";
import type { Candidate } from "../../../src/offers/ranking.ts";
import { judgeOffer, type Objection } from "../../../src/offers/rules.ts";
import { priceOf } from "../../../src/offers/search.ts";

/** An offer that meets `someRequirements`, but for what the test says in the service's words. */
export function anOffer(given: Partial<WireOffer> = {}, diskGb = 32): Offer {
  return offerOf(aRow(given), diskGb);
}

/** The same as the service shows it. */
export function aRow(given: Partial<WireOffer> = {}): WireOffer {
  return {
    id: 11,
    num_gpus: 1,
    gpu_name: "RTX 4090",
    dph_total: 0.4,
    machine_id: 40_211,
    reliability: 0.99,
    verification: "verified",
    rentable: true,
    rented: false,
    external: false,
    cpu_arch: "amd64",
    disk_space: 400,
    duration: 30 * 86_400,
    ...given,
  };
}

/** An offer with its price. */
export function aCandidate(id: number, machineId: number | undefined = id * 100, bid?: number): Candidate {
  const price = { total: 0.4, storage: 0, ...(bid === undefined ? {} : { bid }) };
  return { offer: anOffer({ id, machine_id: machineId }), price };
}

/** An offer of which the service shows no more than the specification promises. */
export function aBareOffer(): Offer {
  return offerOf({ id: 11, num_gpus: 1, gpu_name: "RTX 4090", dph_total: 0.4 }, 32);
}

/** An average workflow's requirements for an offer, but for what the test says. */
export function someRequirements(given: Partial<OfferRequirements> = {}): OfferRequirements {
  return {
    gpuName: ["RTX 4090"],
    numGpus: 1,
    maxPrice: 0.6,
    minReliability: 0.95,
    disk: 32,
    durationSeconds: 9000,
    minGpuRamGb: 0,
    minComputeCap: 0,
    minCuda: 0,
    minCpuCores: 0,
    minCpuRamGb: 0,
    minInetDownMbps: 0,
    geolocation: [],
    datacenter: false,
    offerFilter: {},
    excludeMachines: [],
    order: "price",
    ...given,
  };
}

/** The objections to an offer at the price that is paid for it. */
export function judged(offer: Offer, requirements: OfferRequirements): Objection[] {
  return judgeOffer({ ...offer, price: priceOf(offer, requirements) }, requirements);
}

/** The same in words. */
export function whyNot(offer: Offer, requirements: OfferRequirements): string[] {
  return judged(offer, requirements).map(({ why }) => why);
}
