import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Cause, causeOf, lostJobs } from "../../../../src/fleet/lifecycle/cause-of.ts";
import { type Again, isSure, type Look, lookOf, noted } from "../../../../src/fleet/lifecycle/evidence.ts";
import { machineFacts, ownEnd, useOf } from "../../../../src/fleet/stage.ts";
import { emptyFleet, type FleetState, type StoredMachine } from "../../../../src/fleet/state.ts";
import { aFleet, MINUTE, NOW, SECOND, someRules } from "../../support/a-fleet.ts";
import { anEnding, aSlot, aSlotJob, nextSlot, withNext, withSlot } from "../../support/machine-parts.ts";
import { busy, living, type MachineGiven, ready, spent, starting } from "../../support/machines.ts";

const ago = (seconds: number) => NOW - seconds * SECOND;

const bad = { isBad: true, conclusion: "failure" };
/** A machine whose only job ended badly so many seconds ago. */
const failed = (endedAgo: number, given: MachineGiven = {}, slot: object = {}) =>
  withSlot(spent(1, { job: { ...bad, completedAt: ago(endedAgo) }, ...given }), { spentAt: ago(endedAgo), ...slot });

function cause(machine: StoredMachine, given: Partial<FleetState> = {}): string {
  const fleet = aFleet([machine], given);
  const [slot] = machine.slots;
  if (slot === undefined) throw new Error("The machine has no slot.");
  return inWords(causeOf(slot, machine, lookOf(fleet, NOW, true)));
}

function inWords(found: Cause): string {
  if (found.by === "machine") return `machine: ${found.went}`;
  return found.by === "deadline" ? `deadline: ${found.input}` : found.by;
}

const STOPPED = { how: "was stopped by the service", at: ago(60) } as const;
const OUTBID = { how: "was outbid", at: ago(60) } as const;

test.each<[string, MachineGiven, Partial<FleetState>, string]>([
  ["for a minute, and a list of jobs still has it", { absentSince: ago(60) }, {}, "machine: vanished"],
  ["a list of jobs that is older says nothing", { absentSince: ago(60) }, { jobsAt: NOW - 1 }, "open"],
  ["the jobs were read before that", { deadline: ago(600) }, { jobsAt: ago(511) }, "open"],
  ["max-cost had set it", { deadline: ago(90), cutBy: "max-cost", goneAt: NOW }, {}, "deadline: max-cost"],
  ["its script has hung, and it is at work", { deadline: ago(90) }, {}, "open"],
  ["an older list says nothing of that", { deadline: ago(90) }, { instancesAt: ago(61) }, "deadline: max-lifetime"],
])("a job that runs: %s", (_what, given, lists, expected) => {
  expect(cause(busy(1, given), lists)).toBe(expected);
});

const CUT = { lifeS: 600, cutBy: "max-cost" } as const;
const BY_COST = "deadline: max-cost";

test.each<[string, StoredMachine, string]>([
  ["90 s after that", living({ lifeS: 600, notYetS: 900, onlineS: 690, goneAt: NOW }), "deadline: max-lifetime"],
  [
    "the deadline that it was made with came first",
    living({ ...CUT, onlineS: 689, deadline: ago(90), goneAt: NOW }),
    BY_COST,
  ],
])("a job that runs beyond max-lifetime: %s", (_what, machine, expected) => {
  expect(cause(machine)).toBe(expected);
});

describe("a job that is over, badly if nothing else is said", () => {
  test.each<[string, StoredMachine, string]>([
    ["its machine is there", failed(60), "job"],
    ["20 s before its deadline: its script ends it", failed(100, { deadline: ago(80) }), "deadline: max-lifetime"],
    ["21 s before it", failed(101, { deadline: ago(80) }), "job"],
    ["the service's word comes later", failed(90, { stopped: STOPPED }), "machine: was stopped by the service"],
    ["shown running 90 s later", failed(100, { stopped: OUTBID, lastRunningAt: ago(10) }), "machine: was outbid"],
    ["gone 30 s before: the job ended it", failed(60, { absentSince: ago(90) }), "job"],
    ["31 s before: GitHub missed its runner", failed(60, { absentSince: ago(91) }), "machine: vanished"],
    ["silent for it, 30 s", failed(60, { isSilent: true, brokenSince: ago(100) }, { offlineSince: ago(90) }), "job"],
    ["31 s", failed(60, { isSilent: true, brokenSince: ago(100) }, { offlineSince: ago(91) }), "machine: fell silent"],
  ])("%s", (_what, machine, expected) => {
    expect(cause(machine)).toBe(expected);
  });

  test.each([
    [120, "deadline: max-lifetime"],
    [121, "job"],
  ])(
    "max-lifetime is over 115 s ago at the earliest, as its listener may have begun before it was online: %d s ago",
    (endedAgo, expected) => {
      const job = { ...bad, isOver: true, completedAt: ago(endedAgo) };
      expect(cause(living({ lifeS: 600, notYetS: 700, onlineS: 650, job }))).toBe(expected);
    },
  );

  test("a later runner of the machine came online after it: that one is lost, not this", () => {
    const first = failed(5 * 60, { absentSince: ago(10 * 60) });
    expect(cause(first)).toBe("machine: vanished");
    expect(cause(withNext(first, { onlineAt: ago(200) }))).toBe("job");
    // Its own runner may be known by its job alone, seen when that was over.
    expect(cause(withSlot(first, { onlineAt: ago(200) }))).toBe("machine: vanished");
  });

  test("a machine that seems gone in one list alone is no cause", () => {
    const machine = failed(60, { absentSince: ago(100) });
    expect(cause(machine, { instancesAt: ago(87) })).toBe("job");
    expect(cause(machine, { instancesAt: ago(86) })).toBe("machine: vanished");
  });
});

describe("what is lost", () => {
  const lost = (machines: StoredMachine[]) => lostJobs(aFleet(machines), lookOf(aFleet(machines), NOW, true));

  test("has its machine, the way that this went, and the input of its deadline", () => {
    expect(lost([busy(1, { absentSince: ago(60), stopped: OUTBID })])).toEqual([
      { id: 101, name: "test 1", url: undefined, machineNo: 1, instanceId: 701, went: "was outbid", cutBy: undefined },
    ]);
    const [cut] = lost([busy(1, { deadline: ago(90), goneAt: NOW })]);
    expect(cut).toMatchObject({ id: 101, went: "vanished", cutBy: "max-lifetime" });
  });

  test("the first job failed by itself, and the machine is lost under the second: each by its own evidence", () => {
    const first = failed(5 * 60, { absentSince: ago(60) });
    const second = { ...nextSlot(1), runner: "busy", onlineAt: ago(290), job: aSlotJob(2) } as const;
    expect(lost([withNext(first, second)]).map(({ id }) => id)).toEqual([102]);
  });
});

const at = (seconds: number): Look => ({ now: seconds * SECOND, instances: seconds * SECOND, jobs: seconds * SECOND });

describe("since when a finding holds", () => {
  const found = [{ key: "machine 1: lost", list: "instances" }] as const;

  test("since the list that showed it first, for as long as each look shows it, and then anew", () => {
    const first = noted({}, found, at(100));
    expect(noted(first, found, at(115))).toEqual({ "machine 1: lost": 100 * SECOND });
    expect(noted(noted(first, [], at(115)), found, at(130))).toEqual({ "machine 1: lost": 130 * SECOND });
  });
});

describe("what a finding needs before it counts", () => {
  test.each<[string, Again | undefined, Partial<Look>, boolean]>([
    ["14 s later", "instances", { instances: 114 * SECOND }, true],
    ["the jobs were not read again", "instances, then jobs", { instances: 114 * SECOND }, false],
    ["jobs can't be read for 10 min", "instances, then jobs", { instances: 114 * SECOND, now: 700 * SECOND }, true],
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

test("what waits for the list of jobs waits for it, but with `hold: false` not for one that can't be read", () => {
  const jobsOf = (hold: boolean, given: Partial<FleetState>) => {
    return lookOf({ ...emptyFleet(0), ...given }, 60 * SECOND, hold).jobs;
  };
  const unread = { jobsAt: SECOND, jobsFault: { since: 2 * SECOND, why: "forbidden" } };
  for (const hold of [true, false]) expect([jobsOf(hold, {}), jobsOf(hold, { jobsAt: 5 })]).toEqual([0, 5]);
  expect([jobsOf(true, unread), jobsOf(false, unread)]).toEqual([SECOND, 60 * SECOND]);
});

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
  const at = (seconds: number) => ago(-seconds);

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
    expect(ownEnd(living({ lifeS: 600, onlineS: 2, askedAt: at(-90) }))).toMatchObject({ from: at(495), to: at(598) });
  });

  test("never after the deadline that it was made with, which is between them", () => {
    const end = { from: at(580), to: at(590), by: "max-cost" };
    const machine = living({ lifeS: 600, notYetS: 5, onlineS: 2, deadline: at(590), cutBy: "max-cost" });
    expect(ownEnd(machine)).toEqual(end);
  });
});
