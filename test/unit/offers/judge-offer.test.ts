import { describe, expect, test } from "vitest";
import type { WireOffer } from "../../../src/marketplace/vast/schemas.ts";
import type { OfferRequirements } from "../../../src/offers/offer-requirements.ts";
import { aBareOffer, anOffer, someRequirements, whyNot } from "../support/an-offer.ts";

test("an offer that meets the requirements breaks no rule", () => {
  expect(whyNot(anOffer(), someRequirements())).toEqual([]);
});

test("a field that the service left out breaks no rule: the search asked for it", () => {
  expect(whyNot(aBareOffer(), someRequirements())).toEqual([]);
});

describe("each rule by itself", () => {
  const rules: [string, Partial<WireOffer>, string][] = [
    ["not rentable", { rentable: false }, "not rentable"],
    ["rented", { rented: true }, "already rented"],
    ["external", { external: true }, "external"],
    ["unverified, in the service's word", { verification: "unverified" }, "not verified (unverified)"],
    ["deverified", { verification: "deverified" }, "not verified (deverified)"],
    ["unverified, in the specification's field", { verification: undefined, verified: false }, "not verified (false)"],
    ["another processor", { cpu_arch: "arm64" }, "cpu_arch arm64"],
    ["another GPU", { gpu_name: "RTX 4090 D" }, "another GPU (RTX 4090 D)"],
    ["too few GPUs", { num_gpus: 0 }, "0 GPUs"],
    ["too many GPUs", { num_gpus: 2 }, "2 GPUs"],
    ["unreliable", { reliability: 0.9499 }, "reliability 0.950"],
    ["unreliable, by the other name", { reliability: undefined, reliability2: 0.6 }, "reliability 0.600"],
    ["too little disk", { disk_space: 31.9 }, "only 31.9 GB of disk"],
    ["too short", { duration: 8999 }, "rentable for only 2 h"],
    ["too dear", { dph_total: 0.61 }, "0.61 USD per hour with storage"],
    ["too dear with its disk", { dph_total: 0.59, storage_cost: 0.45 }, "0.61 USD per hour with storage"],
  ];

  test.each(rules)("%s", (_rule, fields, why) => {
    expect(whyNot(anOffer(fields), someRequirements())).toEqual([why]);
  });
});

describe("each rule of an input that asks nothing by itself", () => {
  const rules: [string, Partial<WireOffer>, Partial<OfferRequirements>, string][] = [
    ["none of several GPUs", { gpu_name: "RTX 3080" }, { gpuName: ["RTX 4090", "RTX 3090"] }, "another GPU (RTX 3080)"],
    ["GPU memory", { gpu_ram: 22_528 }, { minGpuRamGb: 24 }, "only 22.0 GB of GPU memory"],
    ["compute capability", { compute_cap: 860 }, { minComputeCap: 8.9 }, "compute capability 8.6"],
    ["CUDA", { cuda_max_good: 12.4 }, { minCuda: 12.8 }, "a driver for CUDA 12.4"],
    ["cores", { cpu_cores_effective: 7.5 }, { minCpuCores: 8 }, "only 7.5 CPU cores"],
    [
      "the share of the memory",
      { cpu_ram: 128_000, cpu_cores: 64, cpu_cores_effective: 8 },
      { minCpuRamGb: 17 },
      "only 16.0 GB of memory",
    ],
    [
      "the share of the memory, by its GPUs where the cores are not shown",
      { cpu_ram: 128_000, cpu_cores_effective: 8, gpu_frac: 0.25 },
      { minCpuRamGb: 33 },
      "only 32.0 GB of memory",
    ],
    ["download speed", { inet_down: 199.9 }, { minInetDownMbps: 200 }, "only 199 Mbit/s down"],
    ["country", { geolocation: "Quebec, CA" }, { geolocation: ["SE", "US"] }, "in CA"],
    ["data centre", { hosting_type: 0 }, { datacenter: true }, "not in a data centre"],
    ["excluded machine", {}, { excludeMachines: [7, 40_211] }, "its machine is excluded"],
    ["given filter", { disk_bw: 310 }, { offerFilter: { disk_bw: { gte: 500 } } }, "disk_bw 310"],
  ];

  test.each(rules)("%s", (_rule, fields, requirements, why) => {
    expect(whyNot(anOffer(fields), someRequirements(requirements))).toEqual([why]);
    expect(whyNot(anOffer(fields), someRequirements())).toEqual(requirements.gpuName ? ["another GPU (RTX 3080)"] : []);
    if (!requirements.gpuName && !requirements.excludeMachines)
      expect(whyNot(aBareOffer(), someRequirements(requirements))).toEqual([]);
  });

  test("the image's CUDA, unless the GPU is named", () => {
    const offer = anOffer({ compute_cap: 700 });
    const why = "compute capability 7.0, for which an image needs CUDA below 13.0";
    expect(whyNot(offer, someRequirements({ gpuName: [], imageCuda: 13 }))).toEqual([why]);
    expect(whyNot(offer, someRequirements({ imageCuda: 13 }))).toEqual([]);
    expect(whyNot(aBareOffer(), someRequirements({ gpuName: [], imageCuda: 13 }))).toEqual([]);
  });

  const enough: [string, Partial<WireOffer>, Partial<OfferRequirements>][] = [
    ["a nominal 24 GB that report 22.5", { gpu_ram: 23_034 }, { minGpuRamGb: 24 }],
    ["a nominal 48 GB that report 44.6", { gpu_ram: 45_634 }, { minGpuRamGb: 48 }],
    ["compute capability", { compute_cap: 890 }, { minComputeCap: 8.9 }],
    ["CUDA", { cuda_max_good: 12.8 }, { minCuda: 12.8 }],
    ["all of the machine", { cpu_ram: 64_000, cpu_cores: 8, cpu_cores_effective: 8 }, { minCpuRamGb: 64 }],
    ["a country without a region", { geolocation: ", US" }, { geolocation: ["US"] }],
    ["a data centre", { hosting_type: 1 }, { datacenter: true }],
  ];

  test.each(enough)("just good enough: %s", (_what, fields, requirements) => {
    expect(whyNot(anOffer(fields), someRequirements(requirements))).toEqual([]);
  });
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

describe("just good enough", () => {
  const limits: [string, Partial<WireOffer>][] = [
    ["reliability", { reliability: 0.95 }],
    ["disk", { disk_space: 32 }],
    ["duration", { duration: 9000 }],
    ["price", { dph_total: 0.6 }],
  ];

  test.each(limits)("%s", (_what, fields) => {
    expect(whyNot(anOffer(fields), someRequirements())).toEqual([]);
  });
});

test.each(["RTX_4090", "rtx 4090", " RTX 4090 "])("%j is the same GPU, however it is written", (name) => {
  expect(whyNot(anOffer({ gpu_name: name }), someRequirements())).toEqual([]);
  expect(whyNot(anOffer(), someRequirements({ gpuName: ["RTX 3090", name] }))).toEqual([]);
});

test("any GPU will do when none is named", () => {
  expect(whyNot(anOffer({ gpu_name: "RTX 3090" }), someRequirements({ gpuName: [] }))).toEqual([]);
});

test("the service's word `verification` outweighs the specification's field", () => {
  expect(whyNot(anOffer({ verification: "verified", verified: false }), someRequirements())).toEqual([]);
  expect(whyNot(anOffer({ verification: "unverified", verified: true }), someRequirements())).toHaveLength(1);
});

test("a price that is not a number never passes", () => {
  expect(whyNot(anOffer({ dph_total: Number.NaN }), someRequirements())).toHaveLength(1);
});

test("names every rule that is broken", () => {
  expect(whyNot(anOffer({ rentable: false, rented: true, num_gpus: 4 }), someRequirements())).toEqual([
    "not rentable",
    "already rented",
    "4 GPUs",
  ]);
});

test("foreign text in a reason stays in one line", () => {
  const [why] = whyNot(anOffer({ gpu_name: "RTX\n::error::x" }), someRequirements());
  expect(why).toBe("another GPU (RTX ::error::x)");
});
