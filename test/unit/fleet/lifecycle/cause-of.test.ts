import { describe, expect, test } from "vitest";
import { type Cause, causeOf, lostJobs } from "../../../../src/fleet/lifecycle/cause-of.ts";
import { lookOf } from "../../../../src/fleet/lifecycle/evidence.ts";
import type { FleetState, StoredMachine } from "../../../../src/fleet/state.ts";
import {
  aFleet,
  aSlotJob,
  busy,
  living,
  type MachineGiven,
  NOW,
  nextSlot,
  spent,
  withNext,
  withSlot,
} from "../../support/a-fleet.ts";
import { decided } from "../../support/decide-now.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
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
  ["its machine is there", {}, {}, "open"],
  ["its machine is gone for 59 s", { absentSince: ago(59) }, {}, "open"],
  ["for a minute, and a list of jobs still has it", { absentSince: ago(60) }, {}, "machine: vanished"],
  ["a list of jobs that is older says nothing", { absentSince: ago(60) }, { jobsAt: NOW - 1 }, "open"],
  ["one list of instances alone says nothing", { absentSince: ago(60) }, { instancesAt: ago(47) }, "open"],
  ["it exited a minute ago", { brokenSince: ago(60) }, {}, "machine: vanished"],
  ["outbid", { brokenSince: ago(60), stopped: OUTBID }, {}, "machine: was outbid"],
  ["stopped", { brokenSince: ago(60), stopped: STOPPED }, {}, "machine: was stopped by the service"],
  ["a host without a heartbeat may work on", { brokenSince: ago(600), isSilent: true }, {}, "open"],
  ["89 s after its deadline", { deadline: ago(89) }, {}, "open"],
  ["90 s after its deadline", { deadline: ago(90) }, {}, "deadline: max-lifetime"],
  ["the jobs were read before that", { deadline: ago(600) }, { jobsAt: ago(511) }, "open"],
  ["max-cost had set it", { deadline: ago(90), cutBy: "max-cost" }, {}, "deadline: max-cost"],
])("a job that runs: %s", (_what, given, lists, expected) => {
  expect(cause(busy(1, given), lists)).toBe(expected);
});

test.each<[string, StoredMachine, string]>([
  ["89 s after a list first had its runner", living({ lifeS: 600, notYetS: 900, onlineS: 689 }), "open"],
  ["90 s after that", living({ lifeS: 600, notYetS: 900, onlineS: 690 }), "deadline: max-lifetime"],
  ["max-cost would end it later", living({ lifeS: 600, onlineS: 690, cutBy: "max-cost" }), "deadline: max-lifetime"],
  [
    "the deadline that it was made with came first",
    living({ lifeS: 600, onlineS: 689, deadline: ago(90), cutBy: "max-cost" }),
    "deadline: max-cost",
  ],
])("a job that runs beyond max-lifetime: %s", (_what, machine, expected) => {
  expect(cause(machine)).toBe(expected);
});

describe("a job that is over, badly if nothing else is said", () => {
  test.each<[string, StoredMachine, string]>([
    ["well, whatever its machine did then", spent(1, { job: {}, stopped: OUTBID, absentSince: ago(100) }), "job"],
    ["without a job", withSlot(busy(1), { job: undefined }), "open"],
    ["its machine is there", failed(60), "job"],
    ["20 s before its deadline: its script ends it", failed(100, { deadline: ago(80) }), "deadline: max-lifetime"],
    ["21 s before it", failed(101, { deadline: ago(80) }), "job"],
    ["at its deadline, gone before", failed(100, { deadline: ago(100), absentSince: ago(160) }), "machine: vanished"],
    [
      "at the deadline of a silent machine",
      failed(100, { deadline: ago(100), isSilent: true, brokenSince: ago(700) }, { offlineSince: ago(700) }),
      "deadline: max-lifetime",
    ],
    ["outbid under it", failed(60, { stopped: OUTBID, brokenSince: ago(60) }), "machine: was outbid"],
    ["the service's word comes later", failed(90, { stopped: STOPPED }), "machine: was stopped by the service"],
    ["shown running 90 s later", failed(100, { stopped: OUTBID, lastRunningAt: ago(10) }), "machine: was outbid"],
    ["shown running 91 s later: it worked on", failed(100, { stopped: OUTBID, lastRunningAt: ago(9) }), "job"],
    ["gone 30 s before: the job ended it", failed(60, { absentSince: ago(90) }), "job"],
    ["31 s before: GitHub missed its runner", failed(60, { absentSince: ago(91) }), "machine: vanished"],
    ["gone after it", failed(60, { absentSince: ago(59) }), "job"],
    ["exited long before", failed(60, { brokenSince: ago(100) }), "machine: vanished"],
    ["silent for it, 30 s", failed(60, { isSilent: true, brokenSince: ago(100) }, { offlineSince: ago(90) }), "job"],
    ["31 s", failed(60, { isSilent: true, brokenSince: ago(100) }, { offlineSince: ago(91) }), "machine: fell silent"],
    ["silent, its runner was there", failed(60, { isSilent: true, brokenSince: ago(100) }), "job"],
  ])("%s", (_what, machine, expected) => {
    expect(cause(machine)).toBe(expected);
  });

  test.each<[string, number, string]>([
    ["35 s before the earliest end of max-lifetime: its listener began then", 135, "deadline: max-lifetime"],
    ["36 s before it", 136, "job"],
    ["between its earliest and its latest end", 60, "deadline: max-lifetime"],
  ])("badly, %s", (_what, endedAgo, expected) => {
    const job = { ...bad, isOver: true, completedAt: ago(endedAgo) };
    expect(cause(living({ lifeS: 600, notYetS: 700, onlineS: 650, job }))).toBe(expected);
  });

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
    expect(lost([busy(1, { absentSince: ago(60) })])).toEqual([
      { id: 101, name: "test 1", url: undefined, machineNo: 1, instanceId: 701, went: "vanished", cutBy: undefined },
    ]);
    expect(lost([busy(1, { deadline: ago(90) })])).toMatchObject([{ id: 101, cutBy: "max-lifetime" }]);
  });

  test("the first job failed by itself, and the machine is lost under the second: each by its own evidence", () => {
    const first = failed(5 * 60, { absentSince: ago(60) });
    const second = { ...nextSlot(1), runner: "busy", onlineAt: ago(290), job: aSlotJob(2) } as const;
    expect(lost([withNext(first, second)]).map(({ id }) => id)).toEqual([102]);
  });

  test("once, and its slot is spent as of its machine's end", () => {
    const fleet = decided(aFleet([busy(1, { absentSince: NOW - MINUTE })]));
    expect(decided(fleet).lost).toHaveLength(1);
  });
});
