import { expect, test } from "vitest";
import type { FieldFilter } from "../../../src/marketplace/marketplace.ts";
import { seedQuery, wireQuery } from "../../../src/marketplace/vast/translate.ts";
import { contradicts, type OfferRequirements } from "../../../src/offers/offer-requirements.ts";
import { describeRequirements } from "../../../src/offers/rules.ts";
import { offerQuery, widerQuery, withTemplateFilter } from "../../../src/offers/search.ts";
import { REQUIREMENTS } from "../../contract/support/service-under-contract.ts";
import { anOffer, someRequirements } from "../support/an-offer.ts";

const asked = (given: Partial<OfferRequirements> = {}) => offerQuery(someRequirements(given)).filters;

/** What every search asks for. */
const USUAL = {
  ...{ rentable: { eq: true }, rented: { eq: false }, external: { eq: false }, verified: { eq: true } },
  ...{ cpu_arch: { eq: "amd64" }, num_gpus: { eq: 1 }, gpu_name: { eq: "RTX 4090" }, reliability: { gte: 0.95 } },
  ...{ disk_space: { gte: 32 }, duration: { gte: 9000 }, dph_total: { lte: 0.6 } },
};

test.each<[string, Partial<OfferRequirements>, Record<string, unknown>]>([
  // Names of GPUs are asked for with the capitals and blanks of the service, too: it compares letter by letter.
  ["an underscore", { gpuName: ["RTX_4090"] }, { gpu_name: { eq: "RTX 4090" } }],
  // The capitals that are known here may be the wrong ones by now.
  ["capitals", { gpuName: ["RTX 6000ADA"] }, { gpu_name: { in: ["RTX 6000ADA", "RTX 6000Ada"] } }],
  ["one in the place of ours", { offerFilter: { verified: { eq: false } } }, { verified: { eq: false } }],
])("in the service's words: %s", (_what, given, filters) => {
  expect(asked(given)).toEqual({ ...USUAL, ...filters });
});

test.each([
  [13, 7, { gte: 750 }],
  [11.7, 0, { lt: 900 }],
])("CUDA %d of the image, and a compute capability of %d: %j", (imageCuda, minComputeCap, compute_cap) => {
  expect(asked({ gpuName: [], imageCuda, minComputeCap }).compute_cap).toEqual(compute_cap);
  const named = asked({ gpuName: ["RTX 5090"], imageCuda, minComputeCap }).compute_cap;
  expect(named).toEqual(minComputeCap > 0 ? { gte: minComputeCap * 100 } : undefined);
});

test.each(["score", "dlperf_per_dphtotal"] as const)("order %s", (order) => {
  expect(offerQuery(someRequirements({ order })).order).toEqual([[order, "desc"]]);
});

test("the wider search asks for the GPUs alone, priced alike", () => {
  const requirements = someRequirements({ minCuda: 12.8, geolocation: ["SE"], offerFilter: { disk_bw: { gt: 500 } } });
  const { filters, ...rest } = widerQuery(requirements);
  expect(Object.keys(filters)).toEqual("rentable rented external verified cpu_arch num_gpus gpu_name".split(" "));
  const { filters: _filters, ...same } = offerQuery(requirements);
  expect(rest).toEqual({ ...same, given: [] });
});

const inSeedWords = (given = {}) => seedQuery({ ...wireQuery(offerQuery(someRequirements())), ...given });

test("the specification's words alone have the operators, the direction, the sort key and the keys that are shown there, and all else as before", () => {
  const { dph_total: _price, ...filters } = USUAL;
  expect(inSeedWords()).toEqual({ filters, type: "on-demand", limit: 64, order: [["dlperf_per_dphtotal", "desc"]] });
});

test("the specification's words alone keep an order in that direction, and leave out a filter that mixes operators", () => {
  expect(inSeedWords({ order: [["score", "desc"]] }).order).toEqual([["score", "desc"]]);
  expect(inSeedWords({ filters: { reliability: { gte: 0.9, lte: 1 } } }).filters).toEqual({});
});

const PLAIN = { ...REQUIREMENTS, offerFilter: {} };

test("says in words what is searched for: each requirement that was set, and none that was not", () => {
  const usual = "1 × RTX 4090, at most 0.60 USD per hour, reliability 0.95 or more, 32 GB of disk";
  expect(describeRequirements(someRequirements())).toBe(usual);
  expect(describeRequirements(someRequirements({ gpuName: [], numGpus: 8 }))).toContain("8 × any GPU");
  const all = someRequirements({
    ...{ minGpuRamGb: 24, minComputeCap: 8, minCuda: 13, minCpuCores: 8, minCpuRamGb: 32, minInetDownMbps: 200 },
    ...{ gpuName: ["RTX 4090", "L40S"], geolocation: ["SE", "US"], datacenter: true, excludeMachines: [7, 8] },
    offerFilter: { disk_bw: { gte: 500, lt: 9000 }, mobo_name: { in: ["A", "B"] } },
  });
  expect(describeRequirements(all)).toBe(
    "1 × RTX 4090 or L40S, at most 0.60 USD per hour, reliability 0.95 or more, 32 GB of disk, 24 GB of GPU memory or more, " +
      "compute capability 8.0 or more, CUDA 13.0 or more, 8 CPU cores or more, 32 GB of memory or more, 200 Mbit/s down or more, " +
      "in SE or US, in a data centre, not host 7 or 8, disk_bw gte 500 and lt 9000, mobo_name in A|B",
  );
});

test("what the requirements don't ask is the template's", () => {
  const filters = { disk_bw: { gte: 900 }, pcie_bw: { gt: "10" } };
  expect(offerQuery(withTemplateFilter(PLAIN, filters)).filters).toMatchObject(filters);
  // One that asks nothing leaves the field to it.
  const left = { gpu_name: { eq: "RTX 3090" }, cuda_max_good: { gte: "12.4" } };
  const anyGpu = withTemplateFilter({ ...PLAIN, gpuName: [], minCuda: 0 }, left);
  expect(offerQuery(anyGpu).filters).toMatchObject(left);
});

test("what they ask stays theirs, by a requirement or by their own filter", () => {
  const template = { gpu_name: { eq: "RTX 3090" }, verified: { eq: false }, disk_bw: { gte: 900 } };
  expect(offerQuery(withTemplateFilter(REQUIREMENTS, template)).filters).toEqual(offerQuery(REQUIREMENTS).filters);
});

test.each(["dph_total", "num_gpus", "disk_space", "duration", "max_cost"])("%s is never the template's", (field) => {
  expect(withTemplateFilter(PLAIN, { [field]: { lte: 100 } })).toEqual(PLAIN);
});

const OFFER = anOffer({
  ...{ geolocation: "Sweden, SE", hosting_type: 1, verification: "verified", disk_bw: 500, pci_gen: null },
  ...{ mobo_name: "ROME2D32GM-2T", static_ip: true, has_avx: 1, driver_version: "570.86.15" },
});

/** Of each field: filters that the offer meets, and those that it contradicts. */
const FILTERS: [field: string, meets: FieldFilter[], contradicted: FieldFilter[]][] = [
  ["disk_bw", [{ gt: 499 }, { gte: 500 }], [{ gt: 500 }, { gte: 500.1 }, { gte: "501" }]],
  ["disk_bw", [{ lt: 501 }, { lte: 500 }], [{ lt: 500 }, { lte: 499 }, { gte: 100, lte: 400 }]],
  ["disk_bw", [{ in: [1, 500] }, { notin: [1, 2] }], [{ in: [1, 2] }, { notin: [1, 500] }]],
  ["gpu_name", [{ eq: "RTX_4090" }], [{ eq: "RTX 3090" }]],
  ["static_ip", [{ eq: true }], [{ eq: false }, { eq: "false" }]],
  // The service's description writes versions as texts, and its filter takes a number for them.
  ["driver_version", [{ gte: "570.9.15" }, { lt: "1000.10.1" }], [{ gte: "570.124.06" }]],
  ["driver_version", [{ gte: 999_000_000 }, { in: [1, 2] }], []],
];

test.each(FILTERS)("%s meets %j, and contradicts %j", (field, meets, contradicted) => {
  expect(meets.filter((filter) => contradicts(OFFER, field, filter))).toEqual([]);
  expect(contradicted.filter((filter) => !contradicts(OFFER, field, filter))).toEqual([]);
});
