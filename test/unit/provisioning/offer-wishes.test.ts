import { expect, test } from "vitest";
import { describeWishes, formatPrice } from "../../../src/provisioning/offer-wishes.ts";
import { someWishes } from "../support/an-offer.ts";

test("tells in words what is searched for", () => {
  expect(describeWishes(someWishes())).toBe(
    "1 × RTX 4090, at most 0.60 USD per hour, reliability 0.95 or more, 32 GB of disk",
  );
  expect(describeWishes(someWishes({ gpuName: undefined, numGpus: 8 }))).toContain("8 × any GPU");
});

test.each([
  [0, "0.00 USD"],
  [0.6, "0.60 USD"],
  [12.345, "12.35 USD"],
  [0.1, "0.10 USD"],
  [0.0999, "0.0999 USD"],
  [0.0007, "0.0007 USD"],
])("writes %d as a price", (usd, text) => {
  expect(formatPrice(usd)).toBe(text);
});
