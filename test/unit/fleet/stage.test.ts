import { expect, test } from "vitest";
import { isCounted, isLate, mayHaveRun } from "../../../src/fleet/stage.ts";
import { anEnding, aSlot, aSlotJob, booting, NOW, ready, starting } from "../support/a-fleet.ts";

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

test("a machine that is over counts until it is gone, unless a job ran on it: then it gives itself back", () => {
  const removed = { runner: "gone", spentAt: NOW - 1000 } as const;
  const idle = ready(1, { ending: anEnding("over"), slots: [aSlot(1, removed)] });
  const done = ready(1, { ending: anEnding("over"), slots: [aSlot(1, { ...removed, job: aSlotJob(1) })] });
  expect([idle, done].map(isCounted)).toEqual([true, false]);
  expect(isCounted({ ...idle, instances: idle.instances.map((each) => ({ ...each, goneAt: NOW })) })).toBe(false);
});
