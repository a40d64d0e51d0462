import { describe, expect, test } from "vitest";
import { seedQuery, wireQuery } from "../../../src/marketplace/vast/translate.ts";
import type { OfferRequirements } from "../../../src/offers/offer-requirements.ts";
import { offerQuery, widerQuery } from "../../../src/offers/search.ts";
import { someRequirements } from "../support/an-offer.ts";

describe("offerQuery", () => {
  test("asks for everything that is checked again afterwards, cheapest first", () => {
    expect(offerQuery(someRequirements())).toEqual({
      filters: {
        rentable: { eq: true },
        rented: { eq: false },
        external: { eq: false },
        verified: { eq: true },
        cpu_arch: { eq: "amd64" },
        num_gpus: { eq: 1 },
        gpu_name: { eq: "RTX 4090" },
        reliability: { gte: 0.95 },
        disk_space: { gte: 32 },
        duration: { gte: 9000 },
        dph_total: { lte: 0.6 },
      },
      isInterruptible: false,
      order: [["dph_total", "asc"]],
      limit: 64,
      diskGb: 32,
      given: [],
    });
  });

  test("does not ask for a GPU's name when any will do", () => {
    expect(offerQuery(someRequirements({ gpuName: [] })).filters).not.toHaveProperty("gpu_name");
  });

  test("writes underscores as the blanks that the service's answers have", () => {
    expect(offerQuery(someRequirements({ gpuName: ["RTX_4090"] })).filters.gpu_name).toEqual({ eq: "RTX 4090" });
  });

  test.each([
    ["RTX 4090", { eq: "RTX 4090" }],
    ["rtx 4090", { in: ["rtx 4090", "RTX 4090"] }],
    ["Rtx_4090", { in: ["Rtx 4090", "RTX 4090"] }],
    // The capitals that are known here may be the wrong ones by now.
    ["RTX 6000ADA", { in: ["RTX 6000ADA", "RTX 6000Ada"] }],
    ["rtx 9999", { eq: "rtx 9999" }],
  ])("asks for %s with the capitals of the service, too: it compares letter by letter", (name, asked) => {
    expect(offerQuery(someRequirements({ gpuName: [name] })).filters.gpu_name).toEqual(asked);
  });
});

describe("what a requirement is in the service's words", () => {
  const WORDS: [string, Partial<OfferRequirements>, Record<string, unknown>][] = [
    ["several GPUs", { gpuName: ["RTX_4090", "L40S"] }, { gpu_name: { in: ["RTX 4090", "L40S"] } }],
    ["GPU memory in MB, 8% less than nominal", { minGpuRamGb: 24 }, { gpu_ram: { gte: 22_609 } }],
    ["compute capability times 100", { minComputeCap: 8.9 }, { compute_cap: { gte: 890 } }],
    ["CUDA", { minCuda: 12.8 }, { cuda_max_good: { gte: 12.8 } }],
    ["cores", { minCpuCores: 8 }, { cpu_cores_effective: { gte: 8 } }],
    ["memory in MB, of the whole machine", { minCpuRamGb: 32 }, { cpu_ram: { gte: 32_000 } }],
    ["download speed", { minInetDownMbps: 200 }, { inet_down: { gte: 200 } }],
    ["one country", { geolocation: ["SE"] }, { geolocation: { eq: "SE" } }],
    ["several geolocation", { geolocation: ["SE", "US"] }, { geolocation: { in: ["SE", "US"] } }],
    ["data centre", { datacenter: true }, { datacenter: { eq: true } }],
    ["excluded machines", { excludeMachines: [7] }, { machine_id: { notin: [7] } }],
    ["a given filter", { offerFilter: { disk_bw: { gt: 500 } } }, { disk_bw: { gt: 500 } }],
    ["a given filter in the place of ours", { offerFilter: { verified: { eq: false } } }, { verified: { eq: false } }],
    [
      "a given filter in addition to what is held",
      { offerFilter: { dph_total: { gte: 0.2, lte: 9 } } },
      { dph_total: { gte: 0.2, lte: 0.6 } },
    ],
  ];

  test.each(WORDS)("%s", (_what, requirements, filters) => {
    expect(offerQuery(someRequirements(requirements)).filters).toEqual({
      ...offerQuery(someRequirements()).filters,
      ...filters,
    });
  });

  test.each([
    [12.1, 7, { gte: 700, lt: 1000 }],
    [12.8, 7, { gte: 700 }],
    [13, 7, { gte: 750 }],
    [13, 8.9, { gte: 890 }],
    [11.7, 0, { lt: 900 }],
  ])("CUDA %d of the image, and a compute capability of %d: %j", (imageCuda, minComputeCap, asked) => {
    const requirements = someRequirements({ gpuName: [], imageCuda, minComputeCap });
    expect(offerQuery(requirements).filters.compute_cap).toEqual(asked);
    const named = offerQuery({ ...requirements, gpuName: ["RTX 5090"] }).filters.compute_cap;
    expect(named).toEqual(minComputeCap > 0 ? { gte: minComputeCap * 100 } : undefined);
  });

  test.each([
    ["price", [["dph_total", "asc"]]],
    ["score", [["score", "desc"]]],
    ["dlperf_per_dphtotal", [["dlperf_per_dphtotal", "desc"]]],
  ] as const)("order %s", (order, words) => {
    expect(offerQuery(someRequirements({ order })).order).toEqual(words);
  });
});

test("the wider search asks for the GPUs alone, priced alike", () => {
  const requirements = someRequirements({ minCuda: 12.8, geolocation: ["SE"], offerFilter: { disk_bw: { gt: 500 } } });
  const { filters, ...rest } = widerQuery(requirements);
  expect(Object.keys(filters)).toEqual("rentable rented external verified cpu_arch num_gpus gpu_name".split(" "));
  const { filters: _filters, ...same } = offerQuery(requirements);
  expect(rest).toEqual({ ...same, given: [] });
});

describe("seedQuery", () => {
  const inSeedWords = (given = {}) => seedQuery(wireQuery(offerQuery(someRequirements(given))));
  const query = inSeedWords();

  test("keeps to the operators and the direction that the specification shows", () => {
    const operators = Object.values(query.filters).flatMap((filter) => Object.keys(filter));
    expect(new Set(operators)).toEqual(new Set(["eq", "gte"]));
    expect(query.order.map(([, direction]) => direction)).toEqual(["desc"]);
  });

  test("sorts by a field that the specification calls a sort key", () => {
    expect(query.order).toEqual([["dlperf_per_dphtotal", "desc"]]);
  });

  test("has no key that the specification does not have", () => {
    expect(Object.keys(query).toSorted()).toEqual(["filters", "limit", "order", "type"]);
  });

  test("asks for all else as before", () => {
    const { dph_total: _price, ...rest } = offerQuery(someRequirements()).filters;
    expect(query.filters).toEqual(rest);
  });

  test("keeps an order that is in the specification's direction", () => {
    expect(inSeedWords({ order: "score" }).order).toEqual([["score", "desc"]]);
  });

  test("leaves out a filter that mixes operators", () => {
    const mixed = { ...offerQuery(someRequirements()), filters: { reliability: { gte: 0.9, lte: 1 } } };
    expect(seedQuery(wireQuery(mixed)).filters).toEqual({});
  });
});
