import { describe, expect, test } from "vitest";
import type { FieldFilter } from "../../../src/marketplace/marketplace.ts";
import { contradicts, mergeFilter } from "../../../src/offers/offer-requirements.ts";
import { anOffer } from "../support/an-offer.ts";

const OFFER = anOffer({
  geolocation: "Sweden, SE",
  hosting_type: 1,
  verification: "verified",
  disk_bw: 500,
  mobo_name: "ROME2D32GM-2T",
  static_ip: true,
  has_avx: 1,
  driver_version: "570.86.15",
  pci_gen: null,
});

describe("what the answer shows must meet the filter", () => {
  const filters: [string, FieldFilter, holds: boolean][] = [
    ["disk_bw", { eq: 500 }, true],
    ["disk_bw", { eq: 501 }, false],
    ["disk_bw", { neq: 500 }, false],
    ["disk_bw", { gt: 499 }, true],
    ["disk_bw", { gt: 500 }, false],
    ["disk_bw", { gte: 500 }, true],
    ["disk_bw", { gte: 500.1 }, false],
    ["disk_bw", { lt: 501 }, true],
    ["disk_bw", { lt: 500 }, false],
    ["disk_bw", { lte: 500 }, true],
    ["disk_bw", { lte: 499 }, false],
    ["disk_bw", { in: [1, 500] }, true],
    ["disk_bw", { in: [1, 2] }, false],
    ["disk_bw", { notin: [1, 2] }, true],
    ["disk_bw", { notin: [1, 500] }, false],
    ["disk_bw", { gte: 100, lte: 400 }, false],
    ["mobo_name", { eq: "ROME2D32GM-2T" }, true],
    ["mobo_name", { in: ["X570"] }, false],
    ["gpu_name", { eq: "RTX_4090" }, true],
    ["static_ip", { eq: true }, true],
    ["static_ip", { eq: false }, false],
  ];

  test.each(filters)("%s %j: %s", (field, filter, holds) => {
    expect(contradicts(OFFER, field, filter)).toBe(!holds);
  });

  const forms: [string, FieldFilter, holds: boolean][] = [
    ["disk_bw", { gte: "501" }, false],
    ["static_ip", { eq: "false" }, false],
    ["has_avx", { eq: true }, true],
    ["verified", { eq: true }, true],
    ["verified", { eq: false }, false],
    ["datacenter", { eq: true }, true],
    ["datacenter", { eq: false }, false],
    ["geolocation", { in: ["SE", "NO"] }, true],
    ["geolocation", { notin: ["SE", "NO"] }, false],
    // The service's description writes versions as texts.
    ["driver_version", { gte: "570.9.15" }, true],
    ["driver_version", { gte: "570.124.06" }, false],
    ["driver_version", { lt: "1000.10.1" }, true],
  ];

  test.each(forms)("in whatever form: %s %j: %s", (field, filter, holds) => {
    expect(contradicts(OFFER, field, filter)).toBe(!holds);
  });
});

describe("what can't be known contradicts nothing", () => {
  const filters: [string, FieldFilter][] = [
    ["vericode", { eq: 1 }],
    ["pci_gen", { gte: 4 }],
    // The service's filter takes a number for what it answers as a text.
    ["driver_version", { gte: 999_000_000 }],
    ["driver_version", { in: [1, 2] }],
    ["constructor", { eq: "x" }],
  ];

  test.each(filters)("%s %j", (field, filter) => {
    expect(contradicts(OFFER, field, filter)).toBe(false);
  });
});

test("is merged last, field by field, except what other inputs promise", () => {
  const ours = { verified: { eq: true }, reliability: { gte: 0.95 }, disk_space: { gte: 32 } };
  const given = { verified: { eq: false }, disk_space: { gte: 1, lt: 900 }, disk_bw: { gte: 1 } };
  expect(mergeFilter(ours, given)).toEqual({
    verified: { eq: false },
    reliability: { gte: 0.95 },
    disk_space: { gte: 32, lt: 900 },
    disk_bw: { gte: 1 },
  });
});
