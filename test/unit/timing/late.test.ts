import { expect, test } from "vitest";
import { lateToRunMs } from "../../../src/timing/boot.ts";

const EXPECTED = 200_000;

test.each([
  ["none", 260_000],
  ["unproven", 350_000],
  ["proven", 350_000],
] as const)("with the standing %s a boot that is expected to take 200 s is late after %i ms", (standing, late) => {
  expect(lateToRunMs(EXPECTED, standing)).toBe(late);
});

test("nobody is late within a minute", () => {
  expect(lateToRunMs(45_000, "none")).toBe(60_000);
});
