import { expect, test } from "vitest";
import { bootFactor, describePull, expectedBootMs, lateToRunMs } from "../../../src/timing/boot.ts";
import * as limits from "../../../src/timing/limits.ts";

const MINUTE = 60_000;
const LIMITS = { bootMs: 10 * MINUTE, onlineMs: 5 * MINUTE, readyMs: 25 * MINUTE, maxLifetime: 120 * MINUTE };
const NOW = Date.UTC(2026, 0, 1);

test.each([
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

test("auto, before an offer is known: never more than 40 minutes to running", () => {
  expect(limits.longestAutoBootMs({ onlineMs: 5 * MINUTE, readyMs: 42 * MINUTE })).toBe(40 * MINUTE);
});

const IMAGE = { bytes: 3.5e9, isDevel: false };
const HOST = { inetDownMbps: 800 };

test.each([
  [3.2e9, 840, "about 2 min to pull 3.2 GB at 840 Mbit/s"],
  [30e6, 900.4, "about 1 min to pull 30 MB at 900 Mbit/s"],
  [3.2e9, undefined, "about 5 min to pull 3.2 GB at an unknown speed"],
])("%d bytes at %s: %s", (bytes, inetDownMbps, words) => {
  expect(describePull(bytes, { inetDownMbps })).toBe(words);
});

test.each([
  ["a devel image of unknown size as 10", { bytes: undefined, isDevel: true }, HOST, 440],
  ["a host that does not show its line has 200 Mbit/s", IMAGE, { inetDownMbps: undefined }, 390],
])("%s", (_what, image, host, seconds) => {
  expect(expectedBootMs(image, host)).toBe(seconds * 1000);
});

test.each([
  ["an even number: between the middle two", [1, 4, 2, 3], 2.5],
  ["the last fifteen: older ones are forgotten", [...Array(10).fill(9), ...Array(15).fill(0.7)], 0.7],
  ["a clock's fault is not believed", [1e9], 10],
])("the factor of other hosts' boots: %s", (_what, recentRatios, factor) => {
  expect(bootFactor({ recentRatios, hasImage: false })).toBe(factor);
});

test.each([
  ["none", 200_000, 260_000],
  ["unproven", 200_000, 350_000],
] as const)("with the standing %s a boot expected to take %i ms is late after %i", (standing, expected, late) => {
  expect(lateToRunMs(expected, standing)).toBe(late);
});
