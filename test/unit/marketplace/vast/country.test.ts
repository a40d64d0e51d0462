import { expect, test } from "vitest";
import { anOffer } from "../../support/an-offer.ts";

test.each([
  ["Sweden, SE", "SE"],
  ["Quebec, CA", "CA"],
  [", US", "US"],
  ["US", "US"],
  [" Washington, D.C., US ", "US"],
  ["Norway", undefined],
  ["NORWAY", undefined],
  ["Norway, no", undefined],
  ["Virginia, USA", undefined],
  ["", undefined],
  [undefined, undefined],
])("an offer in %j is in %s", (geolocation, country) => {
  const offer = anOffer({ geolocation });
  expect(offer.country).toBe(country);
  expect(offer.fields.geolocation).toBe(country);
});
