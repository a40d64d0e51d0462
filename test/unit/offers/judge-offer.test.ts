import { expect, test } from "vitest";
import { imageMark, NO_HISTORY } from "../../../src/history/hosts.ts";
import type { WireOffer } from "../../../src/marketplace/vast/schemas.ts";
import { describePrice, formatBeside } from "../../../src/money/price.ts";
import type { OfferRequirements } from "../../../src/offers/offer-requirements.ts";
import { describeRequirements, judgeOffer } from "../../../src/offers/rules.ts";
import { offerQuery, priceOf, widerQuery } from "../../../src/offers/search.ts";
import { aBareOffer, anOffer, judged, someRequirements, whyNot } from "../support/an-offer.ts";

type Shown = Partial<WireOffer>;
type Given = Partial<OfferRequirements>;
type Case = [what: string, shown: Shown, given: Given];

/** Why an offer is not taken, and the input to change. */
const objections = (shown: Shown, given: Given) =>
  judged(anOffer(shown), someRequirements(given)).map(({ rule, why }) => [why, rule?.remedy?.input]);

/** Shares of the machine's memory. */
const SHARE = { cpu_ram: 128_000, cpu_cores: 64, cpu_cores_effective: 8 };
const OF_GPUS = { cpu_ram: 128_000, cpu_cores_effective: 8, gpu_frac: 0.25 };
const WHOLE = { cpu_ram: 64_000, cpu_cores: 8, cpu_cores_effective: 8 };

test.each<[...Case, why: string, input?: string]>([
  ["rented", { rented: true }, {}, "already rented"],
  ["external", { external: true }, {}, "external"],
  ["unverified, in the specification's", { verification: undefined, verified: false }, {}, "not verified (false)"],
  ["another processor", { cpu_arch: "arm64" }, {}, "cpu_arch arm64"],
  ["another GPU", { gpu_name: "RTX 4090 D" }, {}, "another GPU (RTX 4090 D)", "gpu-name"],
  ["too many GPUs", { num_gpus: 2 }, {}, "2 GPUs", "num-gpus"],
  ["unreliable", { reliability: 0.9499 }, {}, "reliability 0.950", "min-reliability"],
  ["by the other name", { reliability: undefined, reliability2: 0.6 }, {}, "reliability 0.600", "min-reliability"],
  ["too little disk", { disk_space: 31.9 }, {}, "only 31.9 GB of disk", "disk"],
  ["too short", { duration: 8999 }, {}, "rentable for only 2 h", "max-lifetime"],
  ["too dear with disk", { dph_total: 0.59, storage_cost: 0.45 }, {}, "0.61 USD per hour with storage", "max-price"],
  ["no number for a price", { dph_total: Number.NaN }, {}, "NaN USD per hour with storage", "max-price"],
])("a rule alone is broken: %s", (_rule, shown, given, why, input) => {
  expect(objections(shown, given)).toEqual([[why, input]]);
});

test.each<[...Case, why: string, input?: string]>([
  ["GPU memory", { gpu_ram: 22_528 }, { minGpuRamGb: 24 }, "only 22.0 GB of GPU memory", "min-gpu-ram-gb"],
  ["compute capability", { compute_cap: 860 }, { minComputeCap: 8.9 }, "compute capability 8.6", "min-compute-cap"],
  ["cores", { cpu_cores_effective: 7.5 }, { minCpuCores: 8 }, "only 7.5 CPU cores", "min-cpu-cores"],
  ["the share of the memory", SHARE, { minCpuRamGb: 17 }, "only 16.0 GB of memory", "min-cpu-ram-gb"],
  ["the same by its GPUs", OF_GPUS, { minCpuRamGb: 33 }, "only 32.0 GB of memory", "min-cpu-ram-gb"],
  ["country", { geolocation: "Quebec, CA" }, { geolocation: ["SE", "US"] }, "in CA", "geolocation"],
  ["data centre", { hosting_type: 0 }, { datacenter: true }, "not in a data centre", "datacenter"],
  ["given filter", { disk_bw: 310 }, { offerFilter: { disk_bw: { gte: 500 } } }, "disk_bw 310", "offer-filter"],
])("an input asks only where it is set, and of what is shown: %s", (_rule, shown, given, why, input) => {
  expect(objections(shown, given)).toEqual([[why, input]]);
  expect(whyNot(anOffer(shown), someRequirements())).toEqual([]);
  expect(whyNot(aBareOffer(), someRequirements(given))).toEqual([]);
});

test.each<Case>([
  ["all of the machine", WHOLE, { minCpuRamGb: 64 }],
  ["a country and a data centre", { geolocation: ", US", hosting_type: 1 }, { geolocation: ["US"], datacenter: true }],
  ["verified in the service's word, whatever the other field says", { verified: false }, {}],
  ["a name of several, with blanks around it", {}, { gpuName: ["RTX 3090", " RTX 4090 "] }],
])("just good enough: %s", (_what, shown, given) => {
  expect(whyNot(anOffer(shown), someRequirements(given))).toEqual([]);
});

test("a given filter replaces our rule of the same field", () => {
  const unverified = anOffer({ verification: "unverified", reliability: 0.9 });
  const offerFilter = { verified: { eq: false }, reliability: { gte: 0.8 } };
  expect(whyNot(unverified, someRequirements({ offerFilter }))).toEqual([]);
  expect(whyNot(anOffer(), someRequirements({ offerFilter }))).toEqual(["verified true"]);
});

test("a given filter never loosens price, disk, time and number of GPUs", () => {
  const offer = anOffer({ dph_total: 0.7, disk_space: 10, duration: 3600, num_gpus: 2 });
  const offerFilter = { dph_total: { lte: 9 }, disk_space: { gte: 1 }, duration: { gte: 1 }, num_gpus: { gte: 1 } };
  expect(whyNot(offer, someRequirements({ offerFilter }))).toHaveLength(4);
});

const bidding = (price?: number, given: Given = {}) => someRequirements({ bid: { price }, ...given });
/** 30 GB of it cost 0.03 USD per hour. */
const offer = anOffer({ dph_total: 0.2, dph_base: 0.2, min_bid: 0.2, storage_cost: 0.72 }, 30);

test.each<[Shown, Given, string[]]>([
  [{}, { bid: { price: 0.2 } }, ["the lowest bid is 0.30 USD"]],
  [{}, { bid: { price: 0.3 } }, []],
  // It is what is paid; the price on demand is of no weight.
  [{ dph_total: 0.59 }, { bid: { price: 0.31 }, maxPrice: 0.4 }, []],
])("a bid of an offer %j to %j: %j", (shown, given, whys) => {
  expect(whyNot(anOffer({ min_bid: 0.3, dph_total: 0.3, ...shown }), someRequirements(given))).toEqual(whys);
});

test("a bid is never more than max-price leaves, to the last digit", () => {
  for (const maxPrice of [0.2345678, 0.2401, 0.241])
    expect(priceOf(offer, bidding(undefined, { maxPrice })).total).toBeLessThanOrEqual(maxPrice + 1e-12);
});

test("a bid is at least the offer's price where it shows no min_bid", () => {
  expect(aBareOffer().lowestBid).toBeCloseTo(0.4, 9);
});

test("a bid is described as a bid", () => {
  const price = "0.25 USD per hour (interruptible, at a bid of 0.22 USD for the GPUs)";
  expect(describePrice(priceOf(offer, bidding()))).toBe(price);
  expect(describeRequirements(bidding(0.4))).toContain("interruptible at a bid of 0.40 USD per hour");
  expect(describeRequirements(bidding())).toContain("interruptible, ");
});

const requirements = someRequirements({ machine: 501 });

test("a volume binds the search to its machine, and leaves the wider search wide", () => {
  expect(offerQuery(requirements).filters.machine_id).toEqual({ eq: 501 });
  expect(widerQuery(requirements).filters.machine_id).toBeUndefined();
  expect(describeRequirements(requirements)).toContain("on host 501, where the volume is");
});

test.each<[number, Given, [why: string, input: string][]]>([
  [501, {}, []],
  [502, {}, [["the volume is on host 501", "volume-id"]]],
  [502, { offerFilter: { machine_id: { eq: 502 } } }, [["the volume is on host 501", "volume-id"]]],
  [501, { excludeMachines: [501] }, [["its machine is excluded", "exclude-machines"]]],
])("a volume on host 501 keeps away what is on %d with %j: %j", (machine_id, given, whys) => {
  const objections = judgeOffer(anOffer({ machine_id }), { ...requirements, ...given });
  expect(objections.map(({ why, rule }) => [why, rule?.remedy?.input])).toEqual(whys);
});

const HOUR = 3_600_000;
const image = { name: "octo/image:1", bytes: 3.8e9, isDevel: false };
const knowledge = { image, jobMs: 500_000, history: NO_HISTORY, isKept: false, now: 0 };
const unsized = { ...knowledge, image: { ...image, bytes: undefined } };
const history = new Map([[40_211, { boots: [{ at: 0, image: imageMark(image), actualMs: 1 }] }]]);
const budget = (left: number, imageBytes?: number, leastMs = 600_000) => ({ maxCost: 1, left, leastMs, imageBytes });
const DEARER = "traffic of 0.604 USD for image and runner, more than the machine may cost (0.60 USD)";
const CREDIT = "traffic of 0.40 USD for image and runner, more than the account's credit (0.30 USD)";
const LEAST = "the shortest rental costs 0.1100 USD, and max-cost has 0.11 USD left";
const LIMIT = { maxTrafficPrice: 0.05 };

test.each<[string, Shown, Given, string[]]>([
  ["a cost just above it", { dph_total: 0.6, inet_down_cost: 0 }, { budget: budget(0.1099) }, [LEAST]],
  ["at the limit", { inet_down_cost: 0.05, inet_up_cost: 0.05 }, LIMIT, []],
  ["dear to load", { inet_down_cost: 25 }, LIMIT, ["25.00 USD per GB down"]],
  ["dear to send", { inet_up_cost: 1e308 }, LIMIT, [expect.stringMatching(/ USD per GB up$/)]],
  ["without a price", {}, { maxTrafficPrice: 0 }, []],
  ["as dear as the machine for an hour", { inet_down_cost: 0.15 }, { knowledge }, []],
  ["dearer than the machine for an hour", { inet_down_cost: 0.151 }, { knowledge }, [DEARER]],
  ["a job of four hours", { inet_down_cost: 0.5 }, { knowledge: { ...knowledge, jobMs: 4 * HOUR } }, []],
  ["an unsized image", { inet_down_cost: 0.12 }, { knowledge: unsized }, [expect.stringContaining("0.62 USD")]],
  ["dearer than the account's credit", { inet_down_cost: 0.1 }, { knowledge, credit: 0.3 }, [CREDIT]],
  [
    "dearer than max-cost leaves",
    { inet_down_cost: 0.1 },
    { knowledge, budget: budget(0.3, image.bytes, 60_000) },
    [expect.stringMatching(/^the shortest rental costs .* max-cost has 0\.30 USD left$/)],
  ],
  ["a host that has the image loads no more", { inet_down_cost: 2 }, { knowledge: { ...knowledge, history } }, []],
])("money: %s", (_what, shown, given, whys) => {
  expect(whyNot(anOffer(shown), someRequirements(given))).toEqual(whys);
});

test("money: a price that is compared with an equal one is written as always", () => {
  expect(formatBeside(5, 5)).toBe("5.00 USD");
  expect(formatBeside(0.3000000001, 0.3)).toBe("0.3000000001 USD");
});

test("money: no filter of the user's makes it dearer", () => {
  const offerFilter = { inet_down_cost: { lte: 9 }, traffic: { lte: 9 } };
  const dear = someRequirements({ ...LIMIT, offerFilter });
  const [objection] = judged(anOffer({ inet_down_cost: 8 }), dear);
  expect(objection).toMatchObject({ why: "8.00 USD per GB down", rule: { remedy: { input: "max-traffic-price" } } });
  expect(offerQuery(dear).filters.inet_down_cost).toEqual({ lte: 0.05 });
});
