import { expect, test } from "vitest";
import { isLate, mayHaveRun } from "../../../src/fleet/stage.ts";
import { booting, NOW, starting } from "../support/a-fleet.ts";

const MINUTE = 60_000;

function ranFor(minutes: number, setupMs?: number) {
  return starting(1, { runningAt: NOW - minutes * MINUTE, timing: { ...starting(1).timing, setupMs } });
}

test("a minute from running to online is late", () => {
  expect(isLate(ranFor(1.1), NOW)).toBe(true);
  expect(isLate(ranFor(0.9), NOW)).toBe(false);
});

test("what a silent host does can't be seen: its container may have run, and a job may be on it", () => {
  expect(mayHaveRun(booting(1))).toBe(false);
  expect(mayHaveRun(starting(1))).toBe(true);
  expect(mayHaveRun(booting(1, { isSilent: true }))).toBe(true);
});
