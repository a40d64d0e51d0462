import { describe, expect, test } from "vitest";
import { machineFacts, ownEnd, useOf } from "../../../src/fleet/stage.ts";
import { anEnding, aSlot, aSlotJob, living, NOW, ready, someRules, starting, withNext } from "../support/a-fleet.ts";

const MINUTE = 60_000;

function ranFor(minutes: number, setupMs?: number) {
  return starting(1, { runningAt: NOW - minutes * MINUTE, timing: { ...starting(1).timing, setupMs } });
}

test("a minute from running to online is late", () => {
  expect(useOf(ranFor(1.1), someRules(), NOW).isLate).toBe(true);
  expect(useOf(ranFor(0.9), someRules(), NOW).isLate).toBe(false);
});

test("a machine that is over counts until it is gone, unless a job ran on it: then it gives itself back", () => {
  const removed = { runner: "gone", spentAt: NOW - 1000 } as const;
  const idle = ready(1, { ending: anEnding("over"), slots: [aSlot(1, removed)] });
  const done = ready(1, { ending: anEnding("over"), slots: [aSlot(1, { ...removed, job: aSlotJob(1) })] });
  expect([idle, done].map((machine) => machineFacts(machine).isCounted)).toEqual([true, false]);
  const gone = { ...idle, instances: idle.instances.map((each) => ({ ...each, goneAt: NOW })) };
  expect(machineFacts(gone).isCounted).toBe(false);
});

describe("when a machine ends itself", () => {
  const at = (seconds: number) => NOW + seconds * 1000;

  test("at the deadline that it was made with, as long as its runner was not online", () => {
    const end = { from: at(60), to: at(60), by: "max-cost" };
    expect(ownEnd(starting(1, { deadline: at(60), cutBy: "max-cost" }))).toEqual(end);
  });

  test("max-lifetime after its first runner was online: that lies between two lists, and its listener began before", () => {
    const machine = living({ lifeS: 600, notYetS: 5, onlineS: 2 });
    expect(ownEnd(machine)).toEqual({ from: at(580), to: at(598), by: "max-lifetime" });
    expect(ownEnd(withNext(machine, { notYetAt: NOW, onlineAt: NOW }))).toEqual(ownEnd(machine));
  });

  test("no list showed the runner before it was online: it may have been so since its create", () => {
    const { from, to } = ownEnd(living({ lifeS: 600, onlineS: 2, askedAt: at(-90) }));
    expect([from, to]).toEqual([at(495), at(598)]);
  });

  test.each([
    ["later than both", 590 + 9, { from: at(580), to: at(598), by: "max-lifetime" }],
    ["between them", 590, { from: at(580), to: at(590), by: "max-cost" }],
    ["before both", 300, { from: at(300), to: at(300), by: "max-cost" }],
  ])("never after the deadline that it was made with, which is %s", (_what, seconds, expected) => {
    const deadline = at(seconds);
    expect(ownEnd(living({ lifeS: 600, notYetS: 5, onlineS: 2, deadline, cutBy: "max-cost" }))).toEqual(expected);
  });
});
