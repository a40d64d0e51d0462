import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Again, isSure, type Look, lookOf, noted } from "../../../../src/fleet/lifecycle/evidence.ts";
import { emptyFleet } from "../../../../src/fleet/state.ts";

const SECOND = 1000;
const at = (seconds: number): Look => ({ now: seconds * SECOND, instances: seconds * SECOND, jobs: seconds * SECOND });

describe("since when a finding holds", () => {
  const found = [{ key: "machine 1: lost", list: "instances" }] as const;

  test("since the list that showed it first, for as long as each look shows it", () => {
    const first = noted({}, found, at(100));
    expect(noted(first, found, at(115))).toEqual({ "machine 1: lost": 100 * SECOND });
  });

  test("anew once a look did not show it", () => {
    const first = noted({}, found, at(100));
    expect(noted(noted(first, [], at(115)), found, at(130))).toEqual({ "machine 1: lost": 130 * SECOND });
  });
});

describe("what a finding needs before it counts", () => {
  test.each<[string, Again | undefined, Partial<Look>, boolean]>([
    ["nothing is to be looked at again", undefined, {}, true],
    ["13 s later: too soon", "instances", { instances: 113 * SECOND }, false],
    ["14 s later", "instances", { instances: 114 * SECOND }, true],
    ["only the clock went on", "instances", { now: 900 * SECOND }, false],
    ["only the other list was read", "jobs", { instances: 900 * SECOND }, false],
    ["the jobs were not read again", "instances, then jobs", { instances: 114 * SECOND }, false],
    ["both were read again", "instances, then jobs", { instances: 114 * SECOND, jobs: 114 * SECOND }, true],
    ["jobs can't be read for 10 min", "instances, then jobs", { instances: 114 * SECOND, now: 700 * SECOND }, true],
    ["instances can't be read", "instances, then jobs", { jobs: 900 * SECOND, now: 900 * SECOND }, false],
  ])("%s", (_what, again, later, isEnough) => {
    expect(isSure(100 * SECOND, again, { ...at(100), ...later })).toBe(isEnough);
  });

  test("never a list that could not be read: what it says is as old as when it was read last", () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.constantFrom<Again>("instances", "jobs"), fc.nat(1e9), (since, again, later) => {
        expect(isSure(since, again, { now: since + later, instances: since, jobs: since })).toBe(false);
      }),
    );
  });
});

test.each([true, false])("what waits for the list of jobs waits for it whether or not main holds (%s)", (hold) => {
  expect(lookOf(emptyFleet(0), 60 * SECOND, hold).jobs).toBe(0);
  expect(lookOf({ ...emptyFleet(0), jobsAt: 5 * SECOND }, 60 * SECOND, hold).jobs).toBe(5 * SECOND);
});

test("with `hold: false` nothing waits for a list of jobs that can't be read", () => {
  const unread = { ...emptyFleet(0), jobsAt: SECOND, jobsFault: { since: 2 * SECOND, why: "forbidden" } };
  expect(lookOf(unread, 60 * SECOND, false).jobs).toBe(60 * SECOND);
  expect(lookOf(unread, 60 * SECOND, true).jobs).toBe(SECOND);
});
