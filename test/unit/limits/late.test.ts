import { expect, test } from "vitest";
import { lateToRunMs } from "../../../src/money/boot.ts";

const EXPECTED = 200_000;

test("nobody is late within a minute", () => {
  expect(lateToRunMs(45_000, "unproven")).toBe(60_000);
});

test("where boots lie wider apart than usual, a stranger is late so much later, within bounds", () => {
  const late = (most: number) => lateToRunMs(EXPECTED, "unproven", { boots: 15, least: 0.8, most });
  expect([1, 1.25, 1.5, 9].map((most) => Math.round(late(most)))).toEqual([120_000, 120_000, 144_000, 192_000]);
});
