import { expect, test } from "vitest";
import type { Rules } from "../../../../src/fleet/options.ts";
import { countMachines } from "../../../../src/fleet/renting/how-many.ts";
import type { FleetState, StoredMachine, Timing } from "../../../../src/fleet/state.ts";
import { expectedJobMs } from "../../../../src/offers/expectation.ts";
import {
  aFleet,
  aMarket,
  anEmptyMarket,
  booting,
  busy,
  gpuJob,
  gpuJobs,
  NOW,
  ready,
  someFacts,
  someRules,
  withNext,
} from "../../support/a-fleet.ts";

// `jobs-per-machine` > 1. Of the jobs nothing is known yet.

/** A fifth of a job's expected time: all times here are so many of it. */
const FIFTH = expectedJobMs([]) / 5;
const timing = (fifths: number): Timing => ({
  expectedMs: fifths * FIFTH,
  lateMs: 60 * FIFTH,
  bootMs: 60 * FIFTH,
  onlineMs: 60 * FIFTH,
  lifeMs: 60 * FIFTH,
  mayWait: false,
});

type Given = Partial<FleetState>;
function lacking(waiting: number, machines: StoredMachine[] = [], rules: Partial<Rules> = {}, given: Given = {}) {
  const running = machines.filter(({ slots }) => slots.some(({ job }) => job?.isOver === false)).length;
  const fleet = aFleet(machines, { jobs: gpuJobs({ waiting, running }), market: anEmptyMarket(), ...given });
  return countMachines(someFacts(fleet, { hedge: false, jobsPerMachine: 3, ...rules })).lacking;
}

/** The next offers' machines boot for so long. */
function offers(...fifths: number[]): Partial<FleetState> {
  const { candidates } = aMarket();
  const expected = (bootMs: number) => ({ bootMs, standing: "none" }) as (typeof candidates)[number]["expected"];
  return {
    market: aMarket({
      candidates: fifths.map((each, index) => ({
        ...(candidates[index] as (typeof candidates)[number]),
        expected: expected(each * FIFTH),
      })),
    }),
  };
}

/** A job that is over, and took so long. */
function tookFifths(id: number, fifths: number) {
  return gpuJob(id, "over", { runnerName: "r", startedAt: NOW - fifths * FIFTH, completedAt: NOW });
}

test.each([
  [3, 4, 3, 3],
  [4, 4, 3, 4],
  [5, 4, 3, 3],
  [6, 4, 3, 3],
  [7, 4, 3, 4],
  [8, 4, 2, 4],
  [6, 2, 3, 2],
  [9, 2, 3, 2],
])("%d jobs, machines: %d, jobs-per-machine: %d: %d new ones do", (n, machines, jobsPerMachine, wanted) => {
  expect(lacking(n, [], { machines, jobsPerMachine })).toBe(wanted);
});

test("a ready machine runs them all where another one would boot for longer", () => {
  const there = withNext(withNext(ready(1)));
  expect(lacking(2, [there], {}, offers(4))).toBe(1);
  expect(lacking(2, [there], {}, offers(5))).toBe(0);
  expect(lacking(3, [there], {}, offers(9))).toBe(1);
  expect(lacking(3, [there], {}, offers(10))).toBe(0);
});

test("job-minutes stands in place of the guess until jobs are over: long jobs are worth a boot, short ones none", () => {
  const there = withNext(withNext(ready(1)));
  const guess = (fifths: number) => ({ rental: { ...someRules().rental, jobMs: fifths * FIFTH } });
  expect(lacking(2, [there], guess(5), offers(5))).toBe(0);
  expect(lacking(2, [there], guess(6), offers(5))).toBe(1);
  const jobs = gpuJobs({}, { ours: [gpuJob(101, "waiting"), gpuJob(102, "waiting"), tookFifths(103, 1)] });
  expect(lacking(2, [there], guess(6), { ...offers(5), jobs })).toBe(0);
});

test("a machine has no job that its time would cut", () => {
  const there = withNext(withNext(ready(1, { deadline: NOW + 9 * FIFTH })));
  expect(lacking(2, [there], {}, offers(30))).toBe(1);
});

test("nor one for which no runner begins, as less than half of max-lifetime is left", () => {
  const there = (fifths: number) => {
    const machine = withNext(withNext(ready(1)));
    return { ...machine, timing: { ...timing(6), lifeMs: fifths * FIFTH } };
  };
  const given = (fifths: number) => ({ maxLifetime: fifths * FIFTH });
  expect(lacking(3, [there(16)], given(16), offers(30))).toBe(1);
  expect(lacking(3, [there(24)], given(24), offers(30))).toBe(0);
});

test("one that is late is as far as a new one", () => {
  const there = (ago: number) => withNext(withNext(booting(1, { askedAt: NOW - ago * FIFTH, timing: timing(6) })));
  expect(lacking(2, [there(5)], {}, offers(6))).toBe(0);
  expect(lacking(2, [there(6)], {}, offers(6))).toBe(1);
});

test("jobs that no machine has a place for want one of their own", () => {
  expect(lacking(9, [withNext(busy(1))], { machines: 2 })).toBe(1);
});
