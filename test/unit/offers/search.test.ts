import { expect, test } from "vitest";
import type { Offer } from "../../../src/marketplace/marketplace.ts";
import { NoOfferError } from "../../../src/offers/errors.ts";
import type { OfferRequirements } from "../../../src/offers/offer-requirements.ts";
import { type Paused, searchForOffers } from "../../../src/offers/search.ts";
import { anOffer, someRequirements } from "../support/an-offer.ts";
import { freshWorld, log, service } from "../support/fresh-world.ts";
import { FAULTS } from "../support/service-faults.ts";

freshWorld();

const NONE: Paused = { hosts: [], offers: [] };

async function searching(excluded: Partial<Paused> = {}, given: Partial<OfferRequirements> = {}, isWide = true) {
  const tools = { service, log, signal: new AbortController().signal };
  const candidates = await searchForOffers(tools, someRequirements(given), { ...NONE, ...excluded }, isWide);
  return candidates.map(({ offer }) => offer.id);
}

test("cheapest first with storage, the more reliable one first among equals", async () => {
  service.offers = [
    anOffer({ id: 1, dph_total: 0.5 }),
    anOffer({ id: 2, dph_total: 0.4, reliability: 0.97 }),
    anOffer({ id: 3, dph_total: 0.4, reliability: 0.99 }),
    // 0.39 for the GPU, and 0.02 for 32 GB.
    anOffer({ id: 4, dph_base: 0.39, dph_total: 0.39, storage_cost: 0.45 }),
  ];
  expect(await searching()).toEqual([3, 2, 4, 1]);
});

test("a named GPU that the image has no code for comes last, whatever the order, and says why", async () => {
  service.offers = [
    anOffer({ id: 1, dph_total: 0.2, score: 9, gpu_name: "RTX 5090", compute_cap: 1200 }),
    anOffer({ id: 2, dph_total: 0.4, score: 1, compute_cap: 890 }),
  ];
  const gpuName = ["RTX 4090", "RTX 5090"];
  expect(await searching({}, { gpuName, imageCuda: 12.1 })).toEqual([2, 1]);
  expect(await searching({}, { gpuName, imageCuda: 12.1, order: "score" })).toEqual([2, 1]);
  expect(await searching({}, { gpuName })).toEqual([1, 2]);
  expect(await searching({}, { gpuName: [], imageCuda: 12.1 })).toEqual([2]);
  expect(log.lines.join("\n")).toMatch(/offer 1 .*: no, compute capability 12\.0, for which an image needs CUDA 12\.8/);
});

test("order score: highest first, what does not show it last", async () => {
  service.offers = [{ id: 1 }, { id: 2, score: 1 }, { id: 3, score: 2 }, { id: 4 }].map((shown) => anOffer(shown));
  expect(await searching({}, { order: "score" })).toEqual([3, 2, 1, 4]);
});

/** The machine has many cores: only the answer tells that the offer's share is too small. */
const SMALL = { cpu_ram: 64_000, cpu_cores: 64, cpu_cores_effective: 8 };
const requirements: Partial<OfferRequirements> = { minCpuRamGb: 32, maxPrice: 1 };
const market = (small: number) =>
  Array.from({ length: 400 }, (_none, index) =>
    anOffer({ id: index + 1, dph_total: 0.2 + index / 1000, ...(index < small ? SMALL : { cpu_ram: 64_000 }) }),
  );
const bounds = () => service.searches.map(({ filters: { dph_total } }) => dph_total);

/** As the service answers: what the filter on the price leaves, 64 of them. */
function answerFrom(offers: Offer[]): void {
  service.always("search", () => {
    const { gte = 0, lte = 9 } = (service.searches.at(-1)?.filters.dph_total ?? {}) as { gte?: number; lte?: number };
    return offers.filter(({ price: { total } }) => total >= gte && total <= lte).slice(0, 64);
  });
}

test("a long market: goes on from the last price while none of them fits, and stops where some do", async () => {
  answerFrom(market(100));
  expect((await searching({}, requirements))[0]).toBe(101);
  expect(bounds()).toEqual([{ lte: 1 }, { gte: expect.closeTo(0.263), lte: 1 }]);
});

test("a long market: asks no further than four times", async () => {
  answerFrom(market(400));
  await expect(searching({}, requirements)).rejects.toThrow(NoOfferError);
  // Then the wide one and the one for other GPUs, which explain.
  expect(bounds()).toHaveLength(6);
  expect(bounds().slice(4)).toEqual([undefined, { lte: 1 }]);
});

test("what failed before is not taken again: an offer, where the service does not show the machine", async () => {
  const machines = [100, 100, 200, undefined];
  service.offers = machines.map((machine_id, index) => anOffer({ id: index + 1, machine_id }));
  expect(await searching({ offers: [4] })).toEqual([1, 2, 3]);
});

test("reports what a plainer search, in the service's own words, could not ask for", async () => {
  service.search = async () => ({
    offers: [anOffer({ id: 1, machine_id: 7 }), anOffer({ id: 2, disk_bw: 900 }), anOffer({ id: 3, disk_bw: 100 })],
    plainer: { fields: ["dph_total", "machine_id", "disk_bw"], refusal: FAULTS.badRequest.refusal },
  });
  const requirements = { excludeMachines: [7], offerFilter: { disk_bw: { gt: 500 } } };
  expect(await searching({}, requirements)).toEqual([2]);
  expect(log.lines[1]).toMatch(/plainer.*: dph_total lte 0\.6, machine_id notin 7, disk_bw gt 500\./);
});

test("nothing matches: says what was asked for, and what came near", async () => {
  service.offers = [anOffer({ id: 1, dph_total: 0.75 }), anOffer({ id: 2, rentable: false })];
  const near = String.raw`^No RTX 4090 under 0\.60 USD per hour: the cheapest .* is 0\.75 USD\. Nothing was rented\. `;
  const message = expect.stringMatching(`${near}No offer matches: .*RTX 4090, at most 0\\.60 USD`);
  await expect(searching()).rejects.toMatchObject({ message, hint: "Raise max-price to 0.75 USD or more." });
});

test("nothing matches: looks once more for the GPUs alone, to know what keeps them away, and names them", async () => {
  service.next("search", []);
  service.offers = [anOffer({ id: 7, dph_total: 0.75 })];
  await expect(searching()).rejects.toThrow(/under 0\.60 USD per hour/);
  expect(service.searches).toHaveLength(3);
  expect(Object.keys(service.searches[1]?.filters ?? {})).not.toContain("dph_total");
  expect(log.lines.join("\n")).toMatch(/offer 7 .*, 0\.75 USD per hour: no, 0\.75 USD per hour with storage/);
  expect(log.lines.at(-1)).toBe("0 of 1 offers can be rented.");
});

test("nothing matches: the second look fails: explains from the first", async () => {
  service.next("search", [anOffer({ dph_total: 0.75 })], FAULTS.down);
  await expect(searching()).rejects.toThrow(/under 0\.60 USD per hour/);
});

test("nothing matches: a cancel in the second look is a cancel", async () => {
  const cancel = new AbortController();
  service.next("search", [], () => {
    cancel.abort(new Error("cancelled"));
    return FAULTS.noAnswer;
  });
  const tools = { service, log, signal: cancel.signal };
  await expect(searchForOffers(tools, someRequirements(), NONE)).rejects.toThrow("cancelled");
});

test("nothing matches: the service shows nothing of anything: that says nothing of this GPU, and waiting may help", async () => {
  service.offers = [];
  const sentence = "The service shows no offer at all, of any GPU.";
  const hint = "Run the job again later, and look whether the service has trouble.";
  const { explanation } = (await searching().catch((fault: NoOfferError) => fault)) as NoOfferError;
  expect(explanation).toEqual({ sentence, hint });
});

test("nothing matches: nobody has a GPU of that name: asks whether it is spelled right", async () => {
  service.offers = [anOffer({ gpu_name: "RTX 3090", dph_total: 3 })];
  const hint = expect.stringContaining("gpu-name");
  await expect(searching()).rejects.toMatchObject({ hint, explanation: { isHopeless: true } });
});

test("a long market does not flood the log", async () => {
  service.offers = Array.from({ length: 64 }, (_none, id) => anOffer({ id, rentable: id % 2 === 0 }));
  await searching();
  expect(log.lines.length).toBeLessThan(30);
  expect(log.lines).toContain("  … and 40 more");
  expect(log.lines).toContain("32 of 64 offers can be rented.");
});

test("a search that looks no wider sends one request, and says only what the offers say that it saw", async () => {
  const narrow = () => searching({}, {}, false);
  service.offers = [];
  expect(await narrow()).toEqual([]);
  expect(service.searches).toHaveLength(1);
  service.offers = [anOffer({ id: 1, dph_total: 0.9 })];
  await expect(narrow()).rejects.toThrow("the cheapest that fits otherwise is 0.90 USD");
  expect(service.searches).toHaveLength(2);
  service.offers = [anOffer({ id: 1 })];
  expect(await narrow()).toHaveLength(1);
});
