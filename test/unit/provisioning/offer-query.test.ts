import { describe, expect, test } from "vitest";
import { offerQuery, seedQuery } from "../../../src/provisioning/offer-query.ts";
import { someWishes } from "../support/an-offer.ts";

describe("offerQuery", () => {
  test("asks for everything that is checked again afterwards, cheapest first", () => {
    expect(offerQuery(someWishes())).toEqual({
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
      type: "on-demand",
      order: [["dph_total", "asc"]],
      limit: 64,
      allocated_storage: 32,
    });
  });

  test("does not ask for a GPU's name when any will do", () => {
    expect(offerQuery(someWishes({ gpuName: undefined })).filters).not.toHaveProperty("gpu_name");
  });

  test("writes underscores as the blanks that the service's answers have", () => {
    expect(offerQuery(someWishes({ gpuName: "RTX_4090" })).filters.gpu_name).toEqual({ eq: "RTX 4090" });
  });
});

describe("seedQuery", () => {
  const query = seedQuery(offerQuery(someWishes()));

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
    const { dph_total: _price, ...rest } = offerQuery(someWishes()).filters;
    expect(query.filters).toEqual(rest);
  });

  test("leaves out a filter that mixes operators", () => {
    const mixed = { ...offerQuery(someWishes()), filters: { reliability: { gte: 0.9, lte: 1 } } };
    expect(seedQuery(mixed).filters).toEqual({});
  });
});
