import { describe, expect, test } from "vitest";
import { seedQuery, wireQuery } from "../../../src/marketplace/vast/translate.ts";
import type { OfferRequirements } from "../../../src/offers/offer-requirements.ts";
import { offerQuery, widerQuery } from "../../../src/offers/search.ts";
import { someRequirements } from "../support/an-offer.ts";

const asked = (given: Partial<OfferRequirements> = {}) => offerQuery(someRequirements(given)).filters;

/** What every search asks for. */
const USUAL = {
  ...{ rentable: { eq: true }, rented: { eq: false }, external: { eq: false }, verified: { eq: true } },
  ...{ cpu_arch: { eq: "amd64" }, num_gpus: { eq: 1 }, gpu_name: { eq: "RTX 4090" }, reliability: { gte: 0.95 } },
  ...{ disk_space: { gte: 32 }, duration: { gte: 9000 }, dph_total: { lte: 0.6 } },
};

test("asks for everything that is checked again afterwards, cheapest first", () => {
  const order = [["dph_total", "asc"]];
  const query = { filters: USUAL, isInterruptible: false, order, limit: 64, diskGb: 32, given: [] };
  expect(offerQuery(someRequirements())).toEqual(query);
  expect(asked({ gpuName: [] })).not.toHaveProperty("gpu_name");
  expect(offerQuery(someRequirements({ bid: { price: undefined } })).isInterruptible).toBe(true);
});

test.each<[string, Partial<OfferRequirements>, Record<string, unknown>]>([
  // Names of GPUs are asked for with the capitals and blanks of the service, too: it compares letter by letter.
  ["an underscore", { gpuName: ["RTX_4090"] }, { gpu_name: { eq: "RTX 4090" } }],
  ["small letters", { gpuName: ["rtx 4090"] }, { gpu_name: { in: ["rtx 4090", "RTX 4090"] } }],
  ["both", { gpuName: ["Rtx_4090"] }, { gpu_name: { in: ["Rtx 4090", "RTX 4090"] } }],
  // The capitals that are known here may be the wrong ones by now.
  ["capitals", { gpuName: ["RTX 6000ADA"] }, { gpu_name: { in: ["RTX 6000ADA", "RTX 6000Ada"] } }],
  ["an unknown name", { gpuName: ["rtx 9999"] }, { gpu_name: { eq: "rtx 9999" } }],
  ["several GPUs", { gpuName: ["RTX_4090", "L40S"] }, { gpu_name: { in: ["RTX 4090", "L40S"] } }],
  ["several countries", { geolocation: ["SE", "US"] }, { geolocation: { in: ["SE", "US"] } }],
  ["a given filter", { offerFilter: { disk_bw: { gt: 500 } } }, { disk_bw: { gt: 500 } }],
  ["one in the place of ours", { offerFilter: { verified: { eq: false } } }, { verified: { eq: false } }],
  ["one beside it", { offerFilter: { dph_total: { gte: 0.2, lte: 9 } } }, { dph_total: { gte: 0.2, lte: 0.6 } }],
])("in the service's words: %s", (_what, given, filters) => {
  expect(asked(given)).toEqual({ ...USUAL, ...filters });
});

test.each([
  [12.1, 7, { gte: 700, lt: 1000 }],
  [12.8, 7, { gte: 700 }],
  [13, 7, { gte: 750 }],
  [13, 8.9, { gte: 890 }],
  [11.7, 0, { lt: 900 }],
])("CUDA %d of the image, and a compute capability of %d: %j", (imageCuda, minComputeCap, compute_cap) => {
  expect(asked({ gpuName: [], imageCuda, minComputeCap }).compute_cap).toEqual(compute_cap);
  const named = asked({ gpuName: ["RTX 5090"], imageCuda, minComputeCap }).compute_cap;
  expect(named).toEqual(minComputeCap > 0 ? { gte: minComputeCap * 100 } : undefined);
});

test.each([
  ["price", [["dph_total", "asc"]]],
  ["score", [["score", "desc"]]],
  ["dlperf_per_dphtotal", [["dlperf_per_dphtotal", "desc"]]],
] as const)("order %s", (order, words) => {
  expect(offerQuery(someRequirements({ order })).order).toEqual(words);
});

test("the wider search asks for the GPUs alone, priced alike", () => {
  const requirements = someRequirements({ minCuda: 12.8, geolocation: ["SE"], offerFilter: { disk_bw: { gt: 500 } } });
  const { filters, ...rest } = widerQuery(requirements);
  expect(Object.keys(filters)).toEqual("rentable rented external verified cpu_arch num_gpus gpu_name".split(" "));
  const { filters: _filters, ...same } = offerQuery(requirements);
  expect(rest).toEqual({ ...same, given: [] });
});

describe("in the specification's words alone", () => {
  const inSeedWords = (given = {}) => seedQuery({ ...wireQuery(offerQuery(someRequirements())), ...given });

  test("it has the operators, the direction, the sort key and the keys that are shown there, and all else as before", () => {
    const { dph_total: _price, ...filters } = USUAL;
    expect(inSeedWords()).toEqual({ filters, type: "on-demand", limit: 64, order: [["dlperf_per_dphtotal", "desc"]] });
  });

  test("it keeps an order in that direction, and leaves out a filter that mixes operators", () => {
    expect(inSeedWords({ order: [["score", "desc"]] }).order).toEqual([["score", "desc"]]);
    expect(inSeedWords({ filters: { reliability: { gte: 0.9, lte: 1 } } }).filters).toEqual({});
  });
});
