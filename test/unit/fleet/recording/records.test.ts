import { describe, expect, test } from "vitest";
import { priceNow } from "../../../../src/fleet/price.ts";
import { billingOf, recordsOfMachine, rowOf, selfEndsOf } from "../../../../src/fleet/recording/records.ts";
import type { SlotJob, StoredMachine } from "../../../../src/fleet/state.ts";
import { MAY_TURN_UP, NOTHING_RENTED } from "../../../../src/money/errors.ts";
import { aFleet, NOW, SECOND } from "../../support/a-fleet.ts";
import { anEnding, aSlotJob, refused, UNCERTAIN, withSlot } from "../../support/machine-parts.ts";
import { asked, booting, busy, inFlight, ready, spent, unmade } from "../../support/machines.ts";

const recordOf = (machine: StoredMachine) => recordsOfMachine(machine)[0];
const failed = anEnding("failed", { why: "no space\nleft" });
const over = anEnding("over");
const twins = (machine: StoredMachine): StoredMachine => ({
  ...machine,
  instances: [...machine.instances, ...booting(2).instances],
});

test.each<[string, StoredMachine, string]>([
  ["has a job", busy(1), "busy"],
  ["gave itself back", spent(1, { ending: over, goneAt: NOW, goneHow: "was-gone" }), "gave itself back"],
  ["was destroyed after its job", spent(1, { ending: over, goneAt: NOW, goneHow: "destroyed" }), "its jobs are over"],
  ["fails, and is still there", booting(1, { ending: failed }), "created"],
  ["failed", booting(1, { ending: failed, goneAt: NOW, goneHow: "destroyed" }), "no space left"],
])("the last that was seen of one that %s", (_what, machine, last) => {
  expect(recordOf(machine)?.last).toBe(last);
});

const gone = { absentSince: NOW - SECOND, aliveAt: NOW - 9 * SECOND, goneAt: NOW };

test.each<[string, StoredMachine, number | undefined, boolean | undefined]>([
  ["two looks lack it: in their middle", ready(1, { ...gone, goneAt: undefined }), NOW - 5 * SECOND, undefined],
  ["it was gone: between those looks", ready(1, { ...gone, goneHow: "was-gone" }), NOW - 5 * SECOND, true],
])("when it went: %s", (_what, machine, at, isGone) => {
  expect(recordOf(machine)).toMatchObject({ at: { gone: at } });
  expect(recordOf(machine)?.isGone).toBe(isGone);
});

const UNSEEN = { createdAt: NOW - SECOND, isSilent: true };

test.each<[string, StoredMachine, number]>([
  ["its host is silent, so it may run unseen", booting(1, UNSEEN), NOW - SECOND],
])("from when its GPU is billed: %s", (_what, machine, at) => {
  expect(recordOf(machine)?.at.running).toBe(at);
});

describe("its jobs", () => {
  const jobs = (machine: StoredMachine, job: Partial<SlotJob> = {}) =>
    recordOf(withSlot(machine, { job: aSlotJob(1, { startedAt: NOW - 90 * SECOND, ...job }) }))?.jobs;

  test("when it is over: how it ended, and how long it took, as GitHub says", () => {
    const end = { isOver: true, conclusion: "failure", completedAt: NOW };
    const ran = { id: 101, name: "test 1", started: NOW - 90 * SECOND, conclusion: "failure" };
    expect(jobs(spent(1), end)).toEqual([{ ...ran, seconds: 90 }]);
    expect(jobs(spent(1), { ...end, completedAt: undefined })).toMatchObject([{ seconds: undefined }]);
    expect(jobs(spent(1), { ...end, completedAt: NOW - 91 * SECOND })).toMatchObject([{ seconds: 0 }]);
  });

  test("a foreign name stays in its line", () => {
    expect(jobs(busy(1), { name: "a\n::error::b" })).toMatchObject([{ name: "a ::error::b" }]);
  });
});

test("one that nobody needed is marked as such, no other one is", () => {
  const isUnneeded = (kind: "unneeded" | "over") => recordOf(ready(1, { ending: anEnding(kind) }))?.isUnneeded;
  expect([isUnneeded("unneeded"), isUnneeded("over")]).toEqual([true, undefined]);
});

describe("two instances of one create", () => {
  test("have rows of their own, of which none is another machine's", () => {
    expect([rowOf(booting(1), 0), rowOf(booting(1), 2), rowOf(booting(2), 1)]).toEqual([1, 2001, 1002]);
  });

  test("the job and the runner are recorded for the first alone; the money of both", () => {
    const [first, second] = recordsOfMachine(twins(busy(1)));
    expect([first?.jobs?.length, second?.jobs, second?.at.online]).toEqual([1, undefined, undefined]);
    expect([first?.price.total, second?.price.total]).toEqual([0.4, 0.4]);
    expect(priceNow(twins(busy(1)))).toBeCloseTo(0.8, 10);
  });

  test("the time of one that does not run yet is not that of the other's runner", () => {
    const deadlines = (second: StoredMachine["instances"]) =>
      recordsOfMachine({ ...busy(1), instances: [...busy(1).instances, ...second] }).map(({ deadline }) => deadline);
    const { deadline: full, slots, timing } = busy(1);
    const ends = Number(slots[0]?.onlineAt) + timing.lifeMs;
    expect([deadlines(booting(2).instances), deadlines(busy(2).instances)]).toEqual([
      [ends, full],
      [ends, ends],
    ]);
  });

  test("where the first went before it ran, they are told of the one that ran, even once all are gone", () => {
    const [gone, ran] = [booting(1, { goneAt: NOW }), busy(2)].flatMap(({ instances }) => instances);
    const both = (goneAt?: number) =>
      recordsOfMachine({ ...busy(1), instances: [gone, { ...ran, goneAt }] as StoredMachine["instances"] });
    for (const [first, second] of [both(), both(NOW)]) {
      expect([first?.jobs, first?.at.online]).toEqual([undefined, undefined]);
      expect([second?.jobs?.length, second?.at.online]).toEqual([1, busy(1).readyAt]);
    }
  });
});

test("the price of a machine that is gone is the one that it had", () => {
  expect([{ usdPerHour: 0.9 }, { goneAt: NOW }].map((given) => priceNow(ready(1, given)))).toEqual([0.9, 0.4]);
});

describe("what may still bill", () => {
  test.each<[string, StoredMachine[], string]>([
    ["each instance that is alive", [ready(1), booting(2)], "Instances 701, 702 are given back now."],
    ["what a create without an answer may have made", [unmade(1, UNCERTAIN)], MAY_TURN_UP],
    ["that, and one that is alive", [ready(2), unmade(1, UNCERTAIN)], `Instance 702 is given back now. ${MAY_TURN_UP}`],
    ["what a create under way may make", [asked(1)], MAY_TURN_UP],
    ["what a refused create may have made", [inFlight(1, refused("rejected"))], MAY_TURN_UP],
    ["nothing once a later list lacks it", [unmade(1, refused("rejected"))], NOTHING_RENTED],
  ])("%s", (_what, machines, words) => {
    expect(billingOf(aFleet(machines))).toBe(words);
  });

  test("nothing could be rented yet", () => {
    expect([billingOf(undefined), selfEndsOf(undefined)]).toEqual([NOTHING_RENTED, ""]);
    expect(MAY_TURN_UP).not.toContain("no reply");
  });

  test("until when each machine ends by itself, should there be no post", () => {
    const gone = ready(2, { goneAt: NOW });
    // Its runner is online for ten seconds.
    const line = "Without a post step they end by themselves: machine 1 by 1970-01-01T02:59:50.000Z.";
    expect(selfEndsOf(aFleet([ready(1), gone]))).toBe(line);
    expect(selfEndsOf(aFleet([booting(1)]))).toContain("machine 1 by 1970-01-01T03:00:00.000Z.");
    expect(selfEndsOf(aFleet([gone]))).toBe("");
  });
});
