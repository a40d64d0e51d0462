import { expect, test } from "vitest";
import { faultOfCountry } from "../../../src/offers/countries.ts";

test.each([
  ...["SE", "se", "XK"].map((code) => [code, undefined]),
  ["EL", "has EL, which is no country's code: write `GR`"],
  ["AY", "has AY, which is no country's code: it must be a code of ISO 3166-1"],
])("%s: what is wrong with it as a country's code is %s", (code = "", fault) => {
  expect(faultOfCountry(code)).toBe(fault);
});

test("each code is one that the runtime knows a country by, and there are 250", () => {
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const taken = codes.filter((code) => faultOfCountry(code) === undefined);
  // 249 of ISO 3166-1, and XK.
  expect(taken).toHaveLength(250);
  expect(taken.filter((code) => names.of(code) === undefined)).toEqual([]);
});

test("what is pasted for EU is taken, all 27 of it", () => {
  const pasted = /`(.*)`/.exec(faultOfCountry("EU") ?? "")?.[1]?.split(", ") ?? [];
  expect(pasted).toHaveLength(27);
  expect(pasted.flatMap((code) => faultOfCountry(code) ?? [])).toEqual([]);
});
