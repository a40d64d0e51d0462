import { expect, test } from "vitest";
import { formatAbout, formatPrice } from "../../../src/money/price.ts";

test.each([
  [0, "0.00 USD", "nothing"],
  [1e-9, "less than 0.0001 USD", "less than 0.0001 USD"],
  [0.000049, "less than 0.0001 USD", "less than 0.0001 USD"],
  [0.00005, "0.0001 USD", "about 0.0001 USD"],
  [0.0444, "0.0444 USD", "about 0.0444 USD"],
  [0.35, "0.35 USD", "about 0.35 USD"],
])("%s USD never reads as 0 where it is not", (usd, price, about) => {
  expect(formatPrice(usd)).toBe(price);
  expect(formatAbout(usd)).toBe(about);
});
