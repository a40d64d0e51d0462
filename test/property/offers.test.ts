import fc from "fast-check";
import { expect, test } from "vitest";
import { offerSchema, type WireOffer } from "../../src/marketplace/vast/schemas.ts";
import { offerOf } from "../../src/marketplace/vast/translate.ts";
import { explainNoOffer } from "../../src/offers/explain-no-offer.ts";
import type { OfferRequirements } from "../../src/offers/offer-requirements.ts";
import type { Considered } from "../../src/offers/ranking.ts";
import { judgeOffer } from "../../src/offers/rules.ts";
import { aRow, someRequirements } from "../unit/support/an-offer.ts";
import { always } from "./support/always.ts";
import { hostileJson, hostileNumber, hostileText, orNone } from "./support/hostile.ts";
import { isPlainLine } from "./support/readings.ts";

/** An offer that could be rented, with junk in some of its fields: as much of it as can be read. */
const junkRow: fc.Arbitrary<WireOffer> = fc
  .dictionary(fc.constantFrom(...Object.keys(offerSchema.shape), "disk_bw", "toString"), hostileJson(), { maxKeys: 5 })
  .map((junk) => offerSchema.safeParse({ ...aRow(), ...junk }).data ?? aRow());

const FIELDS = "disk_bw dph_total gpu_name constructor toString verified geolocation num_gpus";
const field = fc.constantFrom(...FIELDS.split(" "));
const operator = fc.constantFrom("eq", "neq", "gt", "gte", "lt", "lte");
const filter = fc.dictionary(operator, fc.oneof(hostileText, hostileNumber), { minKeys: 1 });
const requirements: fc.Arbitrary<OfferRequirements> = fc
  .record(
    {
      gpuName: fc.array(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,20}$/), { maxLength: 2 }),
      maxPrice: fc.double({ min: 0.001, max: 1000, noNaN: true }),
      minCuda: fc.double({ min: 0, max: 30, noNaN: true }),
      minReliability: fc.double({ min: 0, max: 1, noNaN: true }),
      geolocation: fc.array(fc.constantFrom("SE", "US"), { maxLength: 2 }),
      datacenter: fc.boolean(),
      filter: fc.dictionary(field, filter, { maxKeys: 2 }),
      order: fc.constantFrom("price" as const, "score" as const, "dlperf_per_dphtotal" as const),
      budget: fc.record({
        maxCost: fc.double({ min: 0.001, max: 100, noNaN: true }),
        left: fc.double({ min: -100, max: 100, noNaN: true }),
        leastMs: fc.integer({ min: 0, max: 10_000_000 }),
        imageBytes: orNone(fc.integer({ min: 1 })),
      }),
    },
    { requiredKeys: [] },
  )
  .map((given) => someRequirements(given));

function considered(row: WireOffer, asked: OfferRequirements): Considered {
  const offer = offerOf(row, asked.disk);
  return { offer, price: offer.price, objections: judgeOffer(offer, asked) };
}

test("an offer without an objection costs something, and no more than max-price and what max-cost has left", () =>
  always(3000, [junkRow, requirements], (offer, asked) => {
    const { objections, price } = considered(offer, asked);
    if (objections.length > 0) return;
    expect(price.total).toBeGreaterThanOrEqual(0);
    expect(price.total).toBeLessThanOrEqual(asked.maxPrice);
    expect(offer.num_gpus).toBe(asked.numGpus);
    const { leastMs = 0, left = 0 } = asked.budget ?? {};
    expect((price.total * leastMs) / 3_600_000).toBeLessThanOrEqual(asked.budget ? left : 0);
  }));

const explained = (rows: readonly WireOffer[], asked: OfferRequirements) =>
  explainNoOffer(
    asked,
    rows.map((row) => considered(row, asked)),
  );

test("why there is none is said in plain lines, whatever the market shows", () =>
  always(1000, [fc.array(junkRow, { maxLength: 6 }), requirements], (offers, asked) => {
    const { hint, sentence } = explained(offers, asked);
    expect([hint, sentence].filter((line) => !isPlainLine(line))).toEqual([]);
  }));

test("a market of a hundred thousand offers is explained, too", () => {
  const offers = Array.from({ length: 150_000 }, (_, id) => aRow({ id: id + 1, dph_total: 5 }));
  const asked = someRequirements({ maxPrice: 10, minReliability: 1 });
  expect(explained(offers, asked).sentence).toContain("min-reliability");
});
