import { expect, test } from "vitest";
import * as limits from "../../../src/timing/limits.ts";

const MINUTE = 60_000;
const LIMITS = { bootMs: 10 * MINUTE, onlineMs: 5 * MINUTE, readyMs: 25 * MINUTE, maxLifetime: 120 * MINUTE };
const NOW = Date.UTC(2026, 0, 1);

test.each([
  ["without a bound of money: that of the limits", undefined, 135, "max-lifetime"],
  ["as much as can be paid", 135, 135, "max-lifetime"],
  ["what can be paid cuts it", 20, 20, "max-cost"],
])("a machine's time, and its label's 15 minutes later: %s", (_what, payable, minutes, cutBy) => {
  const uptimeMs = minutes * MINUTE;
  const [deadline, expiry] = [NOW + uptimeMs, NOW + uptimeMs + 15 * MINUTE];
  const affordableMs = payable && payable * MINUTE;
  expect(limits.deadlineOf(NOW, LIMITS, affordableMs)).toEqual({ deadline, expiry, uptimeMs, cutBy });
});

test("the offer must last until the label has expired", () => {
  expect(limits.neededDurationSeconds(LIMITS)).toBe(9000);
  expect(limits.neededDurationSeconds({ ...LIMITS, maxLifetime: 7_200_001 })).toBe(9001);
});

test("boot-timeout as the user gave it holds for every machine; auto is each machine's own", () => {
  expect(limits.machineLimits(LIMITS, false, 180_000)).toBe(LIMITS);
  expect(limits.machineLimits(LIMITS, true, 180_000)).toEqual({ ...LIMITS, bootMs: 9 * MINUTE });
});

test.each([
  ["25 min of ready-timeout are less than 40", 25, 25],
  ["never more than 40 to running", 42, 40],
  ["one that is kept to the end of ready-timeout has that, less its online-timeout", 60, 55],
])("auto, before an offer is known: %s", (_why, readyMinutes, minutes) => {
  expect(limits.longestAutoBootMs({ onlineMs: 5 * MINUTE, readyMs: readyMinutes * MINUTE })).toBe(minutes * MINUTE);
});

test("in words", () => {
  expect(limits.describeExpectedBoot(170_000, { bootMs: 510_000 })).toBe("Expected to run in 2m 50s; it has 8m 30s.");
});
