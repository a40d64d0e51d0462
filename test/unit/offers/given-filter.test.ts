import { expect, test } from "vitest";
import type { FieldFilter } from "../../../src/marketplace/marketplace.ts";
import { contradicts, mergeFilter } from "../../../src/offers/offer-requirements.ts";
import { anOffer } from "../support/an-offer.ts";

const OFFER = anOffer({
  ...{ geolocation: "Sweden, SE", hosting_type: 1, verification: "verified", disk_bw: 500, pci_gen: null },
  ...{ mobo_name: "ROME2D32GM-2T", static_ip: true, has_avx: 1, driver_version: "570.86.15" },
});

/** Of each field: filters that the offer meets, and those that it contradicts. */
const FILTERS: [field: string, meets: FieldFilter[], contradicted: FieldFilter[]][] = [
  ["disk_bw", [{ eq: 500 }, { neq: 501 }], [{ eq: 501 }, { neq: 500 }]],
  ["disk_bw", [{ gt: 499 }, { gte: 500 }], [{ gt: 500 }, { gte: 500.1 }, { gte: "501" }]],
  ["disk_bw", [{ lt: 501 }, { lte: 500 }], [{ lt: 500 }, { lte: 499 }, { gte: 100, lte: 400 }]],
  ["disk_bw", [{ in: [1, 500] }, { notin: [1, 2] }], [{ in: [1, 2] }, { notin: [1, 500] }]],
  ["mobo_name", [{ eq: "ROME2D32GM-2T" }], [{ in: ["X570"] }]],
  ["gpu_name", [{ eq: "RTX_4090" }], [{ eq: "RTX 3090" }]],
  ["static_ip", [{ eq: true }], [{ eq: false }, { eq: "false" }]],
  ["has_avx", [{ eq: true }], [{ eq: false }]],
  ["verified", [{ eq: true }], [{ eq: false }]],
  ["datacenter", [{ eq: true }], [{ eq: false }]],
  ["geolocation", [{ in: ["SE", "NO"] }], [{ notin: ["SE", "NO"] }]],
  // The service's description writes versions as texts, and its filter takes a number for them.
  ["driver_version", [{ gte: "570.9.15" }, { lt: "1000.10.1" }], [{ gte: "570.124.06" }]],
  ["driver_version", [{ gte: 999_000_000 }, { in: [1, 2] }], []],
  // What can't be known contradicts nothing.
  ["vericode", [{ eq: 1 }], []],
  ["pci_gen", [{ gte: 4 }], []],
];

test.each(FILTERS)("%s meets %j, and contradicts %j", (field, meets, contradicted) => {
  expect(meets.filter((filter) => contradicts(OFFER, field, filter))).toEqual([]);
  expect(contradicted.filter((filter) => !contradicts(OFFER, field, filter))).toEqual([]);
});

test("is merged last, field by field, except what other inputs promise", () => {
  const ours = { verified: { eq: true }, reliability: { gte: 0.95 }, disk_space: { gte: 32 } };
  const given = { verified: { eq: false }, disk_space: { gte: 1, lt: 900 }, disk_bw: { gte: 1 } };
  expect(mergeFilter(ours, given)).toEqual({ ...ours, ...given, disk_space: { gte: 32, lt: 900 } });
});
