import { describe, expect, test } from "vitest";
import { isShort, paceOf } from "../../../src/fleet/decide/pace.ts";
import type { FleetOptions } from "../../../src/fleet/options.ts";
import type { Machine } from "../../../src/fleet/state/machine.ts";
import type { Fleet } from "../../../src/fleet/state.ts";
import { aFleet, aPolicy, asked, booting, busy, gpuJobs, NOW, ready, starting, unlisted } from "../support/a-fleet.ts";

const never = Number.POSITIVE_INFINITY;

function pace(machines: Machine[], given: Partial<Fleet> = {}, policy: Partial<FleetOptions> = {}, left?: number) {
  return paceOf(aFleet(machines, given), aPolicy(policy), NOW, left);
}

const waiting = { jobs: gpuJobs({ waiting: 1 }) };
const running = { jobs: gpuJobs({ running: 1 }) };

describe("runners", () => {
  test.each([
    ["starting", [starting(1), busy(2)], 2500],
    ["booting", [booting(1), ready(2)], 10_500],
    ["busy alone: its job tells", [busy(1)], never],
    ["none", [], never],
  ] as const)("%s", (_name, machines, every) => {
    expect(pace([...machines], running).runners).toBe(every);
  });

  test("ready: as often as a job waits for it", () => {
    expect(pace([ready(1)], waiting).runners).toBe(15_000);
    expect(pace([ready(1)], running).runners).toBe(62_000);
  });

  test("busy with a job that the jobs' list lacks: GitHub may have taken that one back", () => {
    expect(pace([unlisted(1, 1000)], waiting).runners).toBe(15_000);
    expect(pace([unlisted(1, 1000)], running).runners).toBe(15_000);
    expect(pace([unlisted(1, 300_000)], running).runners).toBe(62_000);
  });

  test("a machine whose heartbeat is missing", () => {
    expect(pace([busy(1, { isSilent: true })], running).runners).toBe(15_000);
  });
});

describe("jobs", () => {
  test("every 15 s while a job waits and a machine is free", () => {
    expect(pace([ready(1)], waiting).jobs).toBe(15_000);
    expect(pace([busy(1)], { jobs: gpuJobs({ waiting: 1, running: 1 }) }).jobs).toBe(62_000);
  });

  test("every 15 s while a machine is busy with a job that the list lacks, for 5 min at most", () => {
    expect(pace([unlisted(1, 299_000)], running).jobs).toBe(15_000);
    expect(pace([unlisted(1, 300_000)], running).jobs).toBe(62_000);
  });

  test("every 62 s while one runs: no more than 60 requests an hour, however many machines", () => {
    expect(pace([busy(1), busy(2), busy(3)], { jobs: gpuJobs({ running: 3 }) }).jobs).toBe(62_000);
  });

  test("a doubt that a list of the service can't end for long asks GitHub no more often", () => {
    const doubted = (ago: number) => pace([busy(1)], { ...running, doubts: { "machine 1: lost": NOW - ago } }).jobs;
    expect(doubted(299_000)).toBe(15_000);
    expect(doubted(300_000)).toBe(62_000);
  });

  test("every 15 s before anything is rented, and while something is in doubt", () => {
    expect(pace([]).jobs).toBe(15_000);
    const doubts = { "end: over": NOW };
    expect(pace([busy(1)], { ...running, doubts }).jobs).toBe(15_000);
  });

  test("four times as seldom while few requests are left", () => {
    expect(pace([ready(1)], waiting, {}, 99).jobs).toBe(60_000);
    expect(pace([ready(1)], waiting, {}, 100).jobs).toBe(15_000);
    expect([undefined, 100, 99].map((left) => isShort(left))).toEqual([false, false, true]);
  });

  test("hold: false: never", () => {
    expect(pace([ready(1)], {}, { hold: false }).jobs).toBe(never);
  });
});

describe("instances", () => {
  test.each([
    ["booting", [booting(1)], 10_500],
    ["starting", [starting(1)], 10_500],
    ["asked", [asked(1)], 15_000],
    ["ready", [ready(1)], 15_000],
    ["busy", [busy(1)], 15_000],
    ["none", [], never],
  ] as const)("%s", (_name, machines, every) => {
    expect(pace([...machines], running).instances).toBe(every);
  });

  test("one is gone: not for it", () => {
    expect(pace([busy(1, { goneAt: NOW })]).instances).toBe(never);
  });

  test("a machine is wanted: before each create", () => {
    expect(pace([], { unservedSince: NOW }).instances).toBe(15_000);
  });

  test("a create that gave no answer may still come true", () => {
    const stray = (ago: number, isUncertain = false) => ({
      strays: [{ n: 1, asked: asked(1), since: NOW - ago, isUncertain }],
    });
    expect(pace([], stray(89_000)).instances).toBe(15_000);
    expect(pace([], stray(90_000)).instances).toBe(never);
    expect(pace([], stray(90_000, true)).instances).toBe(62_000);
  });
});
