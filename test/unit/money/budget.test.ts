import { describe, expect, test } from "vitest";
import { affordableMs, highestPrice, leastCost, leastMs, type OfferBudget } from "../../../src/money/budget.ts";
import { judgeOffer } from "../../../src/offers/rules.ts";
import { offerQuery } from "../../../src/offers/search.ts";
import { anOffer, someRequirements } from "../support/an-offer.ts";

const MINUTE = 60_000;
/** With the 5 minutes of work: 10. With its end: 11. */
const LIMITS = { bootMs: 3 * MINUTE, onlineMs: 2 * MINUTE, maxLifetime: 60 * MINUTE };
const PRICE = { total: 0.6, storage: 0 };
const SPEED = { inetDownMbps: undefined };

function left(maxCost: number, imageBytes?: number): OfferBudget {
  return { maxCost, left: maxCost, leastMs: leastMs(LIMITS), imageBytes };
}

describe("the shortest sensible rental", () => {
  test("is boot-timeout, online-timeout and 5 minutes of work, and its end is paid, too", () => {
    expect(leastCost(PRICE, SPEED, left(1))).toBeCloseTo(0.11, 10);
    expect(highestPrice(left(0.11))).toBeCloseTo(0.6, 10);
  });

  test("with the traffic that is known: the runner program, and an image of known size", () => {
    expect(leastCost({ ...PRICE, inetDown: 0.01 }, SPEED, left(1))).toBeCloseTo(0.112, 10);
    expect(leastCost({ ...PRICE, inetDown: 0.01 }, { inetDownMbps: 1000 }, left(1, 5e9))).toBeCloseTo(0.162, 10);
  });

  test("with the time that a big image takes on a slow line beyond the usual boot", () => {
    const quick = leastCost(PRICE, { inetDownMbps: 10_000 }, left(1, 15e9));
    const slow = leastCost(PRICE, { inetDownMbps: 400 }, left(1, 15e9));
    // 15 GB at half of 400 Mbit/s, and unpacked: 15 minutes, 8 more than the usual 7.
    expect((slow - quick) / (PRICE.total / 60)).toBeCloseTo(8, 1);
  });

  test("that can't be paid keeps an offer away, with what it would cost", () => {
    const judged = (usd: number) => judgeOffer(anOffer({ dph_total: 0.6 }), someRequirements({ budget: left(usd) }));
    expect(judged(0.11)).toEqual([]);
    const why = "the shortest rental costs 0.11 USD, and max-cost has 0.10 USD left";
    expect(judged(0.1)).toMatchObject([{ why, rule: { remedy: { verb: "Raise", input: "max-cost" } } }]);
  });

  test("is asked for where the first answers need not be the cheapest", () => {
    const budget = left(0.055);
    expect(offerQuery(someRequirements({ budget, order: "score" })).filters.dph_total?.lte).toBeCloseTo(0.3, 10);
    expect(offerQuery(someRequirements({ budget, order: "price" })).filters.dph_total).toEqual({ lte: 0.6 });
    expect(offerQuery(someRequirements({ budget: left(9), order: "score" })).filters.dph_total).toEqual({ lte: 0.6 });
  });
});

describe("how long a machine can be paid", () => {
  test("what is left over its price, less a minute for its end, and the traffic that is known", () => {
    expect(affordableMs(PRICE, left(0.6))).toBeCloseTo(59 * MINUTE, 3);
    expect(affordableMs({ ...PRICE, inetDown: 0.01 }, left(0.652, 5e9))).toBeCloseTo(59 * MINUTE, 3);
  });

  test("never below nothing, and for ever when it is free", () => {
    expect(affordableMs(PRICE, left(0.001))).toBe(0);
    expect(affordableMs({ total: 0, storage: 0 }, left(0.001))).toBe(Number.POSITIVE_INFINITY);
  });

  test("a machine that lives so long, and a minute more, costs no more than what was left", () => {
    for (const maxCost of [0.05, 0.2, 1, 7]) {
      const hours = (affordableMs(PRICE, left(maxCost)) + MINUTE) / (60 * MINUTE);
      expect(hours * PRICE.total).toBeLessThanOrEqual(maxCost + 1e-9);
    }
  });
});
