import { describe, expect, test } from "vitest";
import { whyNot } from "../../../src/provisioning/judge-offer.ts";
import type { Offer } from "../../../src/service/schemas/offer.ts";
import { aBareOffer, anOffer, someWishes } from "../support/an-offer.ts";

test("an offer that meets the wishes breaks no rule", () => {
  expect(whyNot(anOffer(), someWishes())).toEqual([]);
});

test("a field that the service left out breaks no rule: the search asked for it", () => {
  expect(whyNot(aBareOffer(), someWishes())).toEqual([]);
});

describe("each rule by itself", () => {
  const rules: [string, Partial<Offer>, string][] = [
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
    expect(whyNot(anOffer(fields), someWishes())).toEqual([why]);
  });
});

describe("just good enough", () => {
  const limits: [string, Partial<Offer>][] = [
    ["reliability", { reliability: 0.95 }],
    ["disk", { disk_space: 32 }],
    ["duration", { duration: 9000 }],
    ["price", { dph_total: 0.6 }],
  ];

  test.each(limits)("%s", (_what, fields) => {
    expect(whyNot(anOffer(fields), someWishes())).toEqual([]);
  });
});

test.each(["RTX_4090", "rtx 4090", " RTX 4090 "])("%j is the same GPU, however it is written", (name) => {
  expect(whyNot(anOffer({ gpu_name: name }), someWishes())).toEqual([]);
  expect(whyNot(anOffer(), someWishes({ gpuName: name }))).toEqual([]);
});

test("any GPU will do when none is named", () => {
  expect(whyNot(anOffer({ gpu_name: "RTX 3090" }), someWishes({ gpuName: undefined }))).toEqual([]);
});

test("the service's word `verification` outweighs the specification's field", () => {
  expect(whyNot(anOffer({ verification: "verified", verified: false }), someWishes())).toEqual([]);
  expect(whyNot(anOffer({ verification: "unverified", verified: true }), someWishes())).toHaveLength(1);
});

test("a price that is not a number never passes", () => {
  expect(whyNot(anOffer({ dph_total: Number.NaN }), someWishes())).toHaveLength(1);
});

test("tells every rule that is broken", () => {
  expect(whyNot(anOffer({ rentable: false, rented: true, num_gpus: 4 }), someWishes())).toEqual([
    "not rentable",
    "already rented",
    "4 GPUs",
  ]);
});

test("foreign text in a reason stays in one line", () => {
  const [why] = whyNot(anOffer({ gpu_name: "RTX\n::error::x" }), someWishes());
  expect(why).toBe("another GPU (RTX ::error::x)");
});
