import { expect, test } from "vitest";
import { formatAbout, formatPrice } from "../../../src/money/price.ts";

test.each([
  [0, "0.00 USD", "nothing"],
  [1e-9, "less than 0.0001 USD", "less than 0.0001 USD"],
  [0.000049, "less than 0.0001 USD", "less than 0.0001 USD"],
  [0.00005, "0.0001 USD", "about 0.0001 USD"],
  [0.0007, "0.0007 USD", "about 0.0007 USD"],
  [0.0444, "0.0444 USD", "about 0.0444 USD"],
  [0.0999, "0.0999 USD", "about 0.0999 USD"],
  [0.1, "0.10 USD", "about 0.10 USD"],
  [0.35, "0.35 USD", "about 0.35 USD"],
  [12.345, "12.35 USD", "about 12.35 USD"],
])("%s USD never reads as 0 where it is not", (usd, price, about) => {
  expect([formatPrice(usd), formatAbout(usd)]).toEqual([price, about]);
});
