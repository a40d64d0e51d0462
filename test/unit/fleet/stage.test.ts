import { expect, test } from "vitest";
import type { FleetRequest } from "../../../src/fleet/options.ts";
import { timingOf } from "../../../src/fleet/rental.ts";
import { isLate, mayHaveRun } from "../../../src/fleet/stage.ts";
import { booting, NOW, starting } from "../support/a-fleet.ts";
import { anOffer } from "../support/an-offer.ts";

const MINUTE = 60_000;

function ranFor(minutes: number, setupMs?: number) {
  return starting(1, { runningAt: NOW - minutes * MINUTE, timing: { ...starting(1).timing, setupMs } });
}

test("a minute from running to online is late", () => {
  expect(isLate(ranFor(1.1), NOW)).toBe(true);
  expect(isLate(ranFor(0.9), NOW)).toBe(false);
});

test("what the user's own setup takes is not: no second machine is started for it", () => {
  expect(isLate(ranFor(10, 10 * MINUTE), NOW)).toBe(false);
  expect(isLate(ranFor(11.1, 10 * MINUTE), NOW)).toBe(true);
});

test("a machine's times carry how long setup may take", () => {
  const limits = { bootMs: 1, onlineMs: 1, readyMs: 1, maxLifetime: 1 };
  const image = { name: "debian:13", bytes: undefined, isDevel: false, decidesBoot: true };
  const request = { image, limits, setupMs: 10 * MINUTE } as FleetRequest;
  expect(timingOf(request, { offer: anOffer(), price: { total: 0.6, storage: 0 } }).setupMs).toBe(10 * MINUTE);
});

test("what a silent host does can't be seen: its container may have run, and a job may be on it", () => {
  expect(mayHaveRun(booting(1))).toBe(false);
  expect(mayHaveRun(starting(1))).toBe(true);
  expect(mayHaveRun(booting(1, { isSilent: true }))).toBe(true);
});
