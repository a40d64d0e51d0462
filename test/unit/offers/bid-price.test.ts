import { describe, expect, test } from "vitest";
import { describePrice } from "../../../src/money/price.ts";
import { describeRequirements } from "../../../src/offers/rules.ts";
import { offerQuery, priceOf } from "../../../src/offers/search.ts";
import { aBareOffer, anOffer, someRequirements } from "../support/an-offer.ts";

/** 30 GB of it cost 0.03 USD per hour. */
const offer = anOffer({ dph_total: 0.2, dph_base: 0.2, min_bid: 0.2, storage_cost: 0.72 }, 30);
const bidding = (price?: number, maxPrice = 0.6) => someRequirements({ bid: { price }, disk: 30, maxPrice });

describe("what is bid", () => {
  test("is never more than max-price leaves, to the last digit", () => {
    for (const maxPrice of [0.2345678, 0.2401, 0.241]) {
      expect(priceOf(offer, bidding(undefined, maxPrice)).total).toBeLessThanOrEqual(maxPrice + 1e-12);
    }
  });
});

test("the lowest bid is the offer's min_bid, and its price where it shows none", () => {
  expect(offer.lowestBid).toBe(0.2);
  expect(aBareOffer().lowestBid).toBeCloseTo(0.4, 9);
});

test("a bid is described as a bid", () => {
  expect(describePrice(priceOf(offer, bidding()))).toBe(
    "0.25 USD per hour (interruptible, at a bid of 0.22 USD for the GPUs)",
  );
  expect(describeRequirements(bidding(0.4))).toContain("interruptible at a bid of 0.40 USD per hour");
  expect(describeRequirements(bidding())).toContain("interruptible, ");
});

test("interruptible offers are searched for as such", () => {
  expect(offerQuery(bidding()).isInterruptible).toBe(true);
  expect(offerQuery(someRequirements()).isInterruptible).toBe(false);
});
