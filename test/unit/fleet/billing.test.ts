import { expect, test } from "vitest";
import { billingOf } from "../../../src/fleet/records.ts";
import { MAY_TURN_UP, NOTHING_LEFT, NOTHING_RENTED } from "../../../src/money/errors.ts";
import { aFleet, asked, booting, NOW, ready } from "../support/a-fleet.ts";

const stray = (n: number, given = {}) => ({ n, asked: asked(n), since: NOW - 1000, isUncertain: true, ...given });

test("nothing was rented, or nothing is any more", () => {
  expect(billingOf(undefined)).toBe(NOTHING_RENTED);
  expect(billingOf(aFleet())).toBe(NOTHING_RENTED);
  expect(billingOf(aFleet([ready(1, { goneAt: NOW })]))).toBe(NOTHING_LEFT);
});

test("each instance that is alive", () => {
  expect(billingOf(aFleet([ready(1), booting(2)]))).toBe("Instances 701, 702 are given back now.");
});

test("a create without an answer may have made one more, beside those that are alive or not", () => {
  expect(billingOf(aFleet([], { strays: [stray(1)] }))).toBe(MAY_TURN_UP);
  expect(billingOf(aFleet([ready(2)], { strays: [stray(1)] }))).toBe(`Instance 702 is given back now. ${MAY_TURN_UP}`);
});

test("one that turned up is known", () => {
  expect(billingOf(aFleet([ready(1)], { strays: [stray(1)] }))).toBe("Instance 701 is given back now.");
  expect(billingOf(aFleet([ready(1, { goneAt: NOW })], { strays: [stray(1)] }))).toBe(NOTHING_LEFT);
});

test("a refused create is no instance once a later list lacks it", () => {
  const refused = stray(1, { isUncertain: false, since: NOW + 1 });
  expect(billingOf(aFleet([], { strays: [refused] }))).toBe(MAY_TURN_UP);
  expect(billingOf(aFleet([], { strays: [{ ...refused, since: NOW - 1 }] }))).toBe(NOTHING_RENTED);
});
