import { describe, expect, test } from "vitest";
import { anOffer } from "../support/an-offer.ts";

/** 0.15 USD per GB and month of 720 hours, 96 GB. */

describe("where the service left storage out, or priced less of it, it is added", () => {
  test.each([
    ["the GPU's own price is shown", { dph_base: 0.4, dph_total: 0.4 }],
    ["priced for a smaller disk, and the GPU's own price is shown", { dph_base: 0.4, dph_total: 0.405 }],
    ["only the part that is included is shown", { dph_total: 0.405, storage_total_cost: 0.005 }],
    ["nothing of it is shown", { dph_total: 0.4 }],
  ])("%s", (_what, fields) => {
    expect(anOffer({ ...fields, storage_cost: 0.15 }, 96).price.total).toBeCloseTo(0.42, 10);
  });
});

test("is never below what the service says", () => {
  const odd = anOffer({ dph_total: 0.4, dph_base: 0.1, storage_cost: -5 }, 96);
  expect(odd.price.total).toBe(0.4);
});
