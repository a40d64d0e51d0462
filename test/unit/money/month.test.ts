import { expect, test } from "vitest";
import { MonthlyCostError, NOTHING_RENTED } from "../../../src/money/errors.ts";
import { monthWarning, withinMonth } from "../../../src/money/month.ts";
import { formatAbout, formatPrice } from "../../../src/money/price.ts";

function monthOf(usd: number, given = {}) {
  return { most: 50, spent: { usd, unread: 0, mean: 0, ...given } };
}

test.each([
  ["the month has more left than max-cost", 2, monthOf(41.2), { maxCost: 2 }],
  ["the month has less left", 2, monthOf(49), { maxCost: 1, month: monthOf(49) }],
  ["nothing is left", 2, monthOf(51), { maxCost: 0, month: monthOf(51) }],
])("a run may spend the lesser of max-cost and the rest of the month: %s", (_what, maxCost, month, expected) => {
  expect(withinMonth(maxCost, month)).toEqual(expected);
});

test("from 80% on each run warns, with the gap beside the sum", () => {
  expect(monthWarning(monthOf(39.99))).toBeUndefined();
  expect(monthWarning(monthOf(41.2))).toBe("This workflow has spent 41.20 of 50.00 USD in 30 days (max-cost-30d).");
  expect(monthWarning(monthOf(40, { unread: 2, mean: 0.4 }))).toBe(
    "This workflow has spent 40.00 of 50.00 USD in 30 days (max-cost-30d); 2 runs of it could not be read and count as 0.40 USD each.",
  );
});

test("the error that nothing is left says so first", () => {
  const error = new MonthlyCostError(monthOf(49.99), NOTHING_RENTED);
  expect(error.message).toBe(
    "This workflow has spent 49.99 of 50.00 USD in 30 days (max-cost-30d), and what is left pays no other machine. Nothing was rented.",
  );
  expect(error).toMatchObject({ kind: "no-machine", hint: expect.stringContaining("Raise max-cost-30d") });
});

test.each([
  [0, "0.00 USD", "nothing"],
  [1e-9, "less than 0.0001 USD", "less than 0.0001 USD"],
  [0.000049, "less than 0.0001 USD", "less than 0.0001 USD"],
  [0.00005, "0.0001 USD", "about 0.0001 USD"],
  [0.0444, "0.0444 USD", "about 0.0444 USD"],
  [0.1, "0.10 USD", "about 0.10 USD"],
  [12.345, "12.35 USD", "about 12.35 USD"],
])("%s USD never reads as 0 where it is not", (usd, price, about) => {
  expect([formatPrice(usd), formatAbout(usd)]).toEqual([price, about]);
});
