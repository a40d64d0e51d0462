import { describe, expect, test } from "vitest";
import { isLate, lateToRunMs } from "../../../src/limits/late.ts";

const EXPECTED = 200_000;

test.each([
  ["none", 250_000],
  ["unproven", 120_000],
  ["proven", 300_000],
] as const)("with the standing %s a boot that is expected to take 200 s is late after %i ms", (standing, late) => {
  expect(lateToRunMs(EXPECTED, standing)).toBe(late);
  const machine = { askedAt: 1000, expectedMs: EXPECTED, standing };
  expect(isLate(machine, 1000 + late)).toBe(false);
  expect(isLate(machine, 1001 + late)).toBe(true);
});

test("nobody is late within a minute", () => {
  expect(lateToRunMs(45_000, "unproven")).toBe(60_000);
});

describe("a machine that runs", () => {
  const machine = { askedAt: 0, runningAt: 500_000, expectedMs: 10_000, standing: "none" as const };

  test("is late when its runner is not online within a minute, however late it ran", () => {
    expect(isLate(machine, 560_000)).toBe(false);
    expect(isLate(machine, 560_001)).toBe(true);
  });

  test("has the time of the user's own setup on top", () => {
    expect(isLate({ ...machine, setupMs: 600_000 }, 1_160_000)).toBe(false);
    expect(isLate({ ...machine, setupMs: 600_000 }, 1_160_001)).toBe(true);
  });
});
