import { describe, expect, test } from "vitest";
import type { WireOffer } from "../../../src/marketplace/vast/schemas.ts";
import type { OfferRequirements } from "../../../src/offers/offer-requirements.ts";
import { aBareOffer, anOffer, judged, someRequirements, whyNot } from "../support/an-offer.ts";

type Case = [what: string, shown: Partial<WireOffer>, given: Partial<OfferRequirements>];

/** Why an offer is not taken, and the input to change. */
const objections = (shown: Partial<WireOffer>, given: Partial<OfferRequirements>) =>
  judged(anOffer(shown), someRequirements(given)).map(({ rule, why }) => [why, rule?.remedy?.input]);

/** Shares of the machine's memory. */
const SHARE = { cpu_ram: 128_000, cpu_cores: 64, cpu_cores_effective: 8 };
const OF_GPUS = { cpu_ram: 128_000, cpu_cores_effective: 8, gpu_frac: 0.25 };
const WHOLE = { cpu_ram: 64_000, cpu_cores: 8, cpu_cores_effective: 8 };

test.each<[...Case, why: string, input?: string]>([
  ["not rentable", { rentable: false }, {}, "not rentable"],
  ["rented", { rented: true }, {}, "already rented"],
  ["external", { external: true }, {}, "external"],
  ["unverified, in the service's word", { verification: "unverified" }, {}, "not verified (unverified)"],
  ["unverified, in the specification's", { verification: undefined, verified: false }, {}, "not verified (false)"],
  ["another processor", { cpu_arch: "arm64" }, {}, "cpu_arch arm64"],
  ["another GPU", { gpu_name: "RTX 4090 D" }, {}, "another GPU (RTX 4090 D)", "gpu-name"],
  ["too many GPUs", { num_gpus: 2 }, {}, "2 GPUs", "num-gpus"],
  ["unreliable", { reliability: 0.9499 }, {}, "reliability 0.950", "min-reliability"],
  ["by the other name", { reliability: undefined, reliability2: 0.6 }, {}, "reliability 0.600", "min-reliability"],
  ["too little disk", { disk_space: 31.9 }, {}, "only 31.9 GB of disk", "disk"],
  ["too short", { duration: 8999 }, {}, "rentable for only 2 h", "max-lifetime"],
  ["too dear", { dph_total: 0.61 }, {}, "0.61 USD per hour with storage", "max-price"],
  ["too dear with disk", { dph_total: 0.59, storage_cost: 0.45 }, {}, "0.61 USD per hour with storage", "max-price"],
  ["no number for a price", { dph_total: Number.NaN }, {}, "NaN USD per hour with storage", "max-price"],
])("a rule alone is broken: %s", (_rule, shown, given, why, input) => {
  expect(objections(shown, given)).toEqual([[why, input]]);
});

test.each<[...Case, why: string, input?: string]>([
  ["GPU memory", { gpu_ram: 22_528 }, { minGpuRamGb: 24 }, "only 22.0 GB of GPU memory", "min-gpu-ram-gb"],
  ["compute capability", { compute_cap: 860 }, { minComputeCap: 8.9 }, "compute capability 8.6", "min-compute-cap"],
  ["CUDA", { cuda_max_good: 12.4 }, { minCuda: 12.8 }, "a driver for CUDA 12.4", "min-cuda"],
  ["cores", { cpu_cores_effective: 7.5 }, { minCpuCores: 8 }, "only 7.5 CPU cores", "min-cpu-cores"],
  ["the share of the memory", SHARE, { minCpuRamGb: 17 }, "only 16.0 GB of memory", "min-cpu-ram-gb"],
  ["the same by its GPUs", OF_GPUS, { minCpuRamGb: 33 }, "only 32.0 GB of memory", "min-cpu-ram-gb"],
  ["download speed", { inet_down: 199.9 }, { minInetDownMbps: 200 }, "only 199 Mbit/s down", "min-inet-down-mbps"],
  ["country", { geolocation: "Quebec, CA" }, { geolocation: ["SE", "US"] }, "in CA", "geolocation"],
  ["data centre", { hosting_type: 0 }, { datacenter: true }, "not in a data centre", "datacenter"],
  ["given filter", { disk_bw: 310 }, { offerFilter: { disk_bw: { gte: 500 } } }, "disk_bw 310", "offer-filter"],
])("an input asks only where it is set, and of what is shown: %s", (_rule, shown, given, why, input) => {
  expect(objections(shown, given)).toEqual([[why, input]]);
  expect(whyNot(anOffer(shown), someRequirements())).toEqual([]);
  expect(whyNot(aBareOffer(), someRequirements(given))).toEqual([]);
});

test.each<Case>([
  ["all that is usual", { reliability: 0.95, disk_space: 32, duration: 9000, dph_total: 0.6 }, {}],
  ["a nominal 24 GB that report 22.5", { gpu_ram: 23_034 }, { minGpuRamGb: 24 }],
  ["a nominal 48 GB that report 44.6", { gpu_ram: 45_634 }, { minGpuRamGb: 48 }],
  ["GPU and driver", { compute_cap: 890, cuda_max_good: 12.8 }, { minComputeCap: 8.9, minCuda: 12.8 }],
  ["all of the machine", WHOLE, { minCpuRamGb: 64 }],
  ["a country without a region", { geolocation: ", US" }, { geolocation: ["US"] }],
  ["a data centre", { hosting_type: 1 }, { datacenter: true }],
  ["any GPU, where none is named", { gpu_name: "RTX 3090" }, { gpuName: [] }],
  ["verified in the service's word, whatever the other field says", { verified: false }, {}],
  ["a name of several, with blanks around it", {}, { gpuName: ["RTX 3090", " RTX 4090 "] }],
])("just good enough: %s", (_what, shown, given) => {
  expect(whyNot(anOffer(shown), someRequirements(given))).toEqual([]);
});

test("a machine is excluded by its id alone", () => {
  const excluded = someRequirements({ excludeMachines: [7, 40_211] });
  expect(whyNot(anOffer(), excluded)).toEqual(["its machine is excluded"]);
  expect(whyNot(aBareOffer(), excluded)).toEqual([]);
});

test("the image's CUDA counts unless the GPU is named", () => {
  const offer = anOffer({ compute_cap: 700 });
  const why = "compute capability 7.0, for which an image needs CUDA below 13.0";
  expect(whyNot(offer, someRequirements({ gpuName: [], imageCuda: 13 }))).toEqual([why]);
  expect(whyNot(offer, someRequirements({ imageCuda: 13 }))).toEqual([]);
  expect(whyNot(aBareOffer(), someRequirements({ gpuName: [], imageCuda: 13 }))).toEqual([]);
});

describe("a given filter", () => {
  test("replaces our rule of the same field", () => {
    const unverified = anOffer({ verification: "unverified", reliability: 0.9 });
    const offerFilter = { verified: { eq: false }, reliability: { gte: 0.8 } };
    expect(whyNot(unverified, someRequirements({ offerFilter }))).toEqual([]);
    expect(whyNot(anOffer(), someRequirements({ offerFilter }))).toEqual(["verified true"]);
  });

  test("never loosens price, disk, time and number of GPUs", () => {
    const offer = anOffer({ dph_total: 0.7, disk_space: 10, duration: 3600, num_gpus: 2 });
    const offerFilter = { dph_total: { lte: 9 }, disk_space: { gte: 1 }, duration: { gte: 1 }, num_gpus: { gte: 1 } };
    expect(whyNot(offer, someRequirements({ offerFilter }))).toHaveLength(4);
  });
});
