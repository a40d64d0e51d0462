import { expect, test } from "vitest";
import { bootFactor, describePull, expectedBootMs, lateToRunMs, pullMs } from "../../../src/timing/boot.ts";

const IMAGE = { bytes: 3.5e9, isDevel: false };
const HOST = { inetDownMbps: 800 };

test("a host whose speed is missing or 0 counts as one of 200 Mbit/s", () => {
  for (const inetDownMbps of [undefined, 0, -1]) expect(pullMs(1e9, { inetDownMbps })).toBe(100_000);
});

test.each([
  [3.2e9, 840, "about 2 min to pull 3.2 GB at 840 Mbit/s"],
  [30e6, 900.4, "about 1 min to pull 30 MB at 900 Mbit/s"],
  [3.2e9, undefined, "about 5 min to pull 3.2 GB at an unknown speed"],
])("%d bytes at %s: %s", (bytes, inetDownMbps, words) => {
  expect(describePull(bytes, { inetDownMbps })).toBe(words);
});

test.each([
  ["an image of unknown size counts as 5 GB", { bytes: undefined, isDevel: false }, HOST, 240],
  ["a devel image of unknown size as 10", { bytes: undefined, isDevel: true }, HOST, 440],
  ["a host that does not show its line has 200 Mbit/s", IMAGE, { inetDownMbps: undefined }, 390],
  ["a host whose line is 0, too", IMAGE, { inetDownMbps: 0 }, 390],
])("%s", (_what, image, host, seconds) => {
  expect(expectedBootMs(image, host)).toBe(seconds * 1000);
});

test.each([
  ["nothing known: as estimated", [], 1],
  ["one boot", [1.5], 1.5],
  ["an even number: between the middle two", [1, 4, 2, 3], 2.5],
  ["the last fifteen: older ones are forgotten", [...Array(10).fill(9), ...Array(15).fill(0.7)], 0.7],
  ["a clock's fault is not believed", [1e9], 10],
  ["nor is the other one", [0], 0.1],
])("the factor of other hosts' boots: %s", (_what, recentRatios, factor) => {
  expect(bootFactor({ recentRatios, hasImage: false })).toBe(factor);
});

test.each([
  ["none", 200_000, 260_000],
  ["unproven", 200_000, 350_000],
  ["proven", 200_000, 350_000],
  ["none", 45_000, 60_000],
] as const)("with the standing %s a boot expected to take %i ms is late after %i", (standing, expected, late) => {
  expect(lateToRunMs(expected, standing)).toBe(late);
});
