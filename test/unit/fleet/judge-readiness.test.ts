import { describe, expect, test } from "vitest";
import { judgeReadiness, type ReadinessFacts } from "../../../src/fleet/judge-readiness.ts";
import type { InstanceVerdict } from "../../../src/machine/judge-instance.ts";

const LIMITS = { bootMs: 600_000, onlineMs: 300_000, readyMs: 1_500_000, lifetimeMs: 7_200_000, idleMs: 300_000 };
const START = Date.UTC(2026, 0, 1);
const LOADING: InstanceVerdict = { kind: "pending", status: "loading" };
const RUNNING: InstanceVerdict = { kind: "running", status: "running" };
const EXITED: InstanceVerdict = { kind: "failed", status: "exited", why: "it is exited", blame: "machine" };

/** A machine of which so many seconds ago the create was answered; it is loading unless the test says more. */
function aMachineAfter(seconds: number, facts: Partial<ReadinessFacts> = {}): ReadinessFacts {
  return {
    now: START + seconds * 1000,
    createdAt: START,
    mintedAt: START - 3000,
    runningAt: undefined,
    readyBy: START + 1_500_000,
    instance: LOADING,
    wasSeen: true,
    runner: "offline",
    ...facts,
  };
}

describe("ready", () => {
  const proofs: [string, Partial<ReadinessFacts>][] = [
    ["running", { instance: RUNNING, runningAt: START }],
    ["loading: the service's state lags", {}],
    ["not listed at all", { instance: undefined }],
    ["said to have failed", { instance: EXITED }],
    ["late in every way", { now: START + 9_000_000, runningAt: START }],
  ];

  test.each(proofs)("a runner that is online proves it, though the instance is %s", (_state, facts) => {
    expect(judgeReadiness(aMachineAfter(30, { ...facts, runner: "online" }), LIMITS)).toEqual({ kind: "ready" });
  });
});

describe("pending", () => {
  const states: [string, ReadinessFacts][] = [
    ["loading", aMachineAfter(599)],
    ["running, its runner not yet online", aMachineAfter(899, { instance: RUNNING, runningAt: START + 600_000 })],
    ["running, while GitHub can't be asked", aMachineAfter(700, { runningAt: START + 600_000, runner: "unknown" })],
    ["fresh and not listed yet", aMachineAfter(60, { instance: undefined, wasSeen: false })],
  ];

  test.each(states)("%s", (_state, facts) => {
    expect(judgeReadiness(facts, LIMITS)).toEqual({ kind: "pending" });
  });
});

describe("failed", () => {
  test("as the service says, with its blame", () => {
    const unpullable: InstanceVerdict = { kind: "failed", status: "loading", why: "manifest unknown", blame: "image" };
    expect(judgeReadiness(aMachineAfter(30, { instance: unpullable }), LIMITS)).toEqual({
      kind: "failed",
      why: "manifest unknown",
      blame: "image",
    });
  });

  test("not listed a minute after its create", () => {
    expect(judgeReadiness(aMachineAfter(61, { instance: undefined, wasSeen: false }), LIMITS)).toMatchObject({
      kind: "failed",
      why: "the service does not know it any more",
    });
  });

  test("not listed any more, after it was: it is gone, however young", () => {
    expect(judgeReadiness(aMachineAfter(20, { instance: undefined, wasSeen: true }), LIMITS)).toMatchObject({
      kind: "failed",
      why: "the service does not know it any more",
    });
  });

  test("its runner was dropped before a job came", () => {
    expect(judgeReadiness(aMachineAfter(30, { runner: "gone" }), LIMITS)).toMatchObject({
      kind: "failed",
      blame: "machine",
      why: "GitHub dropped its runner before a job came; its runner configuration was 33 s old",
    });
  });
});

describe("late", () => {
  const limits: [string, ReadinessFacts, string, RegExp][] = [
    [
      "boot-timeout, from its create to running",
      aMachineAfter(600),
      "boot",
      /boot-timeout \(10m, last seen: loading\)/,
    ],
    [
      "online-timeout, from running to online",
      aMachineAfter(900, { instance: RUNNING, runningAt: START + 600_000 }),
      "online",
      /online-timeout \(5m\); its runner configuration was 903 s old$/,
    ],
    ["ready-timeout, over all machines", aMachineAfter(500, { readyBy: START + 500_000 }), "ready", /ready-timeout/],
  ];

  test.each(limits)("%s", (_limit, facts, late, why) => {
    expect(judgeReadiness(facts, LIMITS)).toMatchObject({
      kind: "failed",
      blame: "machine",
      late,
      why: expect.stringMatching(why),
    });
  });

  test("a machine that runs is not measured by boot-timeout any more", () => {
    expect(judgeReadiness(aMachineAfter(700, { runningAt: START + 599_000 }), LIMITS)).toEqual({ kind: "pending" });
  });

  test("a container that runs while GitHub can't be asked may have the job: it is not given up for being late", () => {
    const doubt = aMachineAfter(9000, { instance: RUNNING, runningAt: START + 600_000, runner: "unknown" });
    expect(judgeReadiness(doubt, LIMITS)).toEqual({ kind: "pending" });
  });

  test("one that never ran can't have it: a doubt of GitHub does not stop its time", () => {
    expect(judgeReadiness(aMachineAfter(600, { runner: "unknown" }), LIMITS)).toMatchObject({ late: "boot" });
  });
});
