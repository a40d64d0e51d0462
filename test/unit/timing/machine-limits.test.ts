import { expect, test } from "vitest";
import { describeExpectedBoot, longestAutoBootMs, machineLimits } from "../../../src/timing/limits.ts";

const MINUTE = 60_000;
const LIMITS = {
  bootMs: 10 * MINUTE,
  onlineMs: 5 * MINUTE,
  readyMs: 25 * MINUTE,
  maxLifetime: 120 * MINUTE,
  idleTimeout: 5 * MINUTE,
};

test("boot-timeout as the user gave it holds for every machine; auto is each machine's own", () => {
  expect(machineLimits(LIMITS, false, 180_000)).toBe(LIMITS);
  expect(machineLimits(LIMITS, true, 180_000)).toEqual({ ...LIMITS, bootMs: 9 * MINUTE });
});

test.each([
  ["25 min of ready-timeout are less than 40", 25, 25],
  ["never more than 40 to running", 42, 40],
  ["one that is kept to the end of ready-timeout has that, less its online-timeout", 60, 55],
])("auto, before an offer is known: %s", (_why, readyMinutes, minutes) => {
  expect(longestAutoBootMs({ onlineMs: 5 * MINUTE, readyMs: readyMinutes * MINUTE })).toBe(minutes * MINUTE);
});

test("in words", () => {
  expect(describeExpectedBoot(170_000, { bootMs: 510_000 })).toBe("Expected to run in 2m 50s; it has 8m 30s.");
});
