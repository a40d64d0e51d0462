import { describe, expect, test } from "vitest";
import type { Rules } from "../../../../src/fleet/options.ts";
import { countMachines } from "../../../../src/fleet/renting/how-many.ts";
import type { FleetState, StoredMachine } from "../../../../src/fleet/state.ts";
import type { Expectation } from "../../../../src/offers/expectation.ts";
import type { Standing } from "../../../../src/timing/boot.ts";
import {
  aCandidate,
  aFleet,
  anEnding,
  aSlot,
  aSlotJob,
  asked,
  booting,
  busy,
  gpuJob,
  gpuJobs,
  type MachineGiven,
  NOW,
  ready,
  someFacts,
  someRules,
  spent,
  starting,
  unlisted,
  withNext,
  withSlot,
} from "../../support/a-fleet.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

interface Counted {
  wanted: number;
  lacking: number;
  unneeded: number[];
}

function count(machines: StoredMachine[], given: Partial<FleetState>, rules: Partial<Rules> = {}): Counted {
  const facts = someFacts(aFleet(machines, given), rules);
  const { lacking, unneeded, wanted } = countMachines(facts);
  return { lacking, wanted, unneeded: unneeded.map(({ machineNo }) => machineNo) };
}

const waiting = (n: number, more = {}) => ({ jobs: gpuJobs({ waiting: n, ...more }) });
/** What is expected of a machine, as far as it counts here. */
const anExpectation = ({ standing, hasImage }: Pick<Expectation, "standing" | "hasImage">): Expectation => ({
  bootMs: 100 * SECOND,
  standing,
  failedLately: false,
  hasImage,
  cost: { gpu: 0, storage: 0, bytes: 0, waiting: 0, total: 0 },
});
const slow = (n: number) => booting(n, { foundAt: NOW - 131 * SECOND });

describe("n ≥ 1, hedge: starts until min(n = 1 ? 1 : ⌈1.7 n⌉, machines − busy − late) are in time", () => {
  test.each([
    [1, 1],
    [2, 4],
    [3, 6],
    [5, 9],
    [9, 16],
  ])("%d jobs: %d machines", (n, lacking) => {
    expect(count([], waiting(n), { machines: 16 }).lacking).toBe(lacking);
  });

  test("those over don't count", () => {
    expect(count([spent(1, { ending: anEnding("over") })], waiting(5)).lacking).toBe(4);
  });

  test("one too many that is drained takes no place of one that is wanted", () => {
    const surplus = booting(2, { ending: anEnding("unneeded") });
    expect(count([booting(1), surplus], waiting(1), { machines: 1 })).toEqual({ wanted: 1, lacking: 0, unneeded: [] });
  });

  test("a job waits, whether there is room for its machine now or not", () => {
    const failed = booting(1, { ending: anEnding("failed") });
    expect(count([failed], waiting(1), { machines: 1 })).toMatchObject({ wanted: 1, lacking: 0 });
  });

  test("one that is being drained counts until it is gone", () => {
    const unneeded = anEnding("unneeded");
    expect(count([ready(1, { ending: unneeded })], waiting(5)).lacking).toBe(3);
    expect(count([ready(1, { ending: unneeded, goneAt: NOW })], waiting(5)).lacking).toBe(4);
  });

  test("one is late: one more is started, once", () => {
    expect(count([slow(1)], waiting(1))).toMatchObject({ lacking: 1, unneeded: [] });
    expect(count([slow(1), booting(2)], waiting(1))).toMatchObject({ lacking: 0, unneeded: [] });
  });

  test("what is started for late ones is kept as well as them, however many they are", () => {
    const late = [1, 2, 3, 4, 5, 6, 7, 8].map(slow);
    for (const known of [late.slice(0, 2), late]) {
      const before = count(known, waiting(1), { machines: 16 });
      expect(before).toMatchObject({ lacking: 1, unneeded: [] });
      expect(count([...known, booting(9)], waiting(1), { machines: 16 })).toMatchObject({ lacking: 0, unneeded: [] });
    }
  });

  test("the last of several jobs, whose machine is late or failed, has two; where one is in time none is started", () => {
    const failed = booting(3, { ending: anEnding("failed"), goneAt: NOW });
    expect(count([busy(1), slow(2)], waiting(1, { running: 1 })).lacking).toBe(2);
    expect(count([busy(1), failed], waiting(1, { running: 1 })).lacking).toBe(2);
    expect(count([busy(1), booting(2)], waiting(1, { running: 1 })).lacking).toBe(0);
  });

  test("busy machines that are soon free take no room of those that are started", () => {
    const soon = withNext(busy(1, { readyAt: NOW - 450 * SECOND }));
    expect(count([withSlot(soon, { onlineAt: NOW - 450 * SECOND })], waiting(2, { running: 1 })).lacking).toBe(3);
    const rules = { hedge: false, machines: 2 };
    expect(count([withSlot(soon, { onlineAt: NOW - 450 * SECOND })], waiting(2, { running: 1 }), rules).lacking).toBe(
      1,
    );
  });

  describe("a single job, and a history", () => {
    const of = (n: number, standing: Standing, given: MachineGiven = {}, hasImage = false) =>
      booting(n, { ...given, candidate: { ...aCandidate(n), expected: anExpectation({ standing, hasImage }) } });
    const unproven = of(1, "unproven");

    test("for an unproven host another machine is started at once, and that one is waited for", () => {
      expect(count([unproven], waiting(1)).lacking).toBe(1);
      expect(count([unproven, of(2, "unproven")], waiting(1)).lacking).toBe(0);
      expect(count([{ ...unproven, ending: anEnding("failed") }, of(2, "unproven")], waiting(1)).lacking).toBe(0);
    });

    test("not one that served, that has the image, or whose runner was online; not without hedge", () => {
      expect(count([of(1, "proven")], waiting(1)).lacking).toBe(0);
      expect(count([of(1, "unproven", {}, true)], waiting(1)).lacking).toBe(0);
      expect(count([{ ...unproven, readyAt: NOW }], waiting(1)).lacking).toBe(0);
      expect(count([unproven], waiting(1), { hedge: false }).lacking).toBe(0);
    });

    test("each wait anew, and of several jobs the spares do that", () => {
      expect(count([{ ...unproven, askedAt: NOW - 1 }], { ...waiting(1), lastEndAt: NOW }).lacking).toBe(0);
      const four = [1, 2, 3, 4].map((n) => of(n, "unproven"));
      expect(count(four, waiting(2), { machines: 16 }).lacking).toBe(0);
    });
  });

  test("what is started for a job that waited in vain is to be quick", () => {
    const isUrgent = (machines: StoredMachine[], given: Partial<FleetState> = {}) =>
      countMachines(someFacts(aFleet(machines, { ...waiting(1), ...given }))).isUrgent;
    const failed = booting(1, { ending: anEnding("failed"), goneAt: NOW });
    expect(isUrgent([])).toBe(false);
    expect(isUrgent([slow(1)])).toBe(true);
    expect(isUrgent([failed])).toBe(true);
    expect(isUrgent([failed], { lastEndAt: NOW + 1 })).toBe(false);
  });

  test("with machines: 1 none is started for a late one", () => {
    expect(count([slow(1)], waiting(1), { machines: 1 }).lacking).toBe(0);
  });

  test("a create whose runners are being registered is on its way", () => {
    expect(count([asked(1)], waiting(1))).toEqual({ wanted: 1, lacking: 0, unneeded: [] });
  });
});

describe("n ≥ 1, hedge: drains, once n are ready all but these, else what exceeds 2 n and n + 6", () => {
  test("one is ready, the other goes", () => {
    expect(count([booting(1), ready(2)], waiting(1)).unneeded).toEqual([1]);
  });

  test("none is ready: six more than jobs are kept, or twice as many, the least far go first", () => {
    const onTheirWay = [starting(1), ...[2, 3, 4, 5, 6, 7, 8].map((n) => booting(n)), asked(9)];
    expect(count(onTheirWay, waiting(1), { machines: 16 }).unneeded).toEqual([9, 8]);
    const many = Array.from({ length: 16 }, (_none, index) => booting(index + 1));
    expect(count(many, waiting(7), { machines: 16 }).unneeded).toEqual([16, 15]);
  });
});

describe("n ≥ 1, no hedge: late or not, min(n, machines − busy)", () => {
  test("those beyond go, the least far first", () => {
    expect(count([booting(1), ready(2), starting(3)], waiting(1), { hedge: false }).unneeded).toEqual([1, 3]);
  });
});

describe("n", () => {
  test("less those that GitHub holds back", () => {
    const beside = { since: NOW, limit: 2, times: 1 };
    expect(count([], { ...waiting(3, { running: 1 }), beside }, { hedge: false }).lacking).toBe(1);
  });

  test("those that wait for an approval or their concurrency group are not in it", () => {
    expect(count([], { jobs: gpuJobs({ held: 3 }) }).lacking).toBe(0);
  });

  test("less those that ask for labels in addition to ours", () => {
    const more = gpuJob(102, "waiting", { otherLabels: ["self-hosted"] });
    expect(count([], { jobs: gpuJobs({}, { ours: [gpuJob(101, "waiting"), more] }) }, { hedge: false }).lacking).toBe(
      1,
    );
  });

  test("less the busy runners of ours whose job the list lacks", () => {
    const machine = busy(1, { slots: [aSlot(1, { runner: "busy" })] });
    expect(count([machine], waiting(1), { hedge: false }).lacking).toBe(0);
  });

  test("for 5 min at most: a runner that only seems busy keeps no job waiting for good", () => {
    expect(count([unlisted(1, 5 * MINUTE - 1)], waiting(1), { hedge: false }).lacking).toBe(0);
    expect(count([unlisted(1, 5 * MINUTE)], waiting(1), { hedge: false }).lacking).toBe(1);
    expect(count([busy(1)], waiting(1, { running: 1 }), { hedge: false }).lacking).toBe(1);
  });

  test("a list that can't be read changes nothing", () => {
    const fault = { since: NOW, why: "GitHub could not be asked" };
    expect(count([ready(1), booting(2)], { ...waiting(0), jobsFault: fault })).toMatchObject({
      lacking: 0,
      unneeded: [],
    });
    expect(count([], { ...waiting(3), jobsFault: fault }).lacking).toBe(0);
    expect(count([], { jobs: undefined }).lacking).toBe(0);
  });
});

describe("a busy machine with a slot left keeps from starting another while 0 ≤ J − elapsed < E", () => {
  const since = (ago: number) =>
    withNext(busy(1, { readyAt: NOW - ago, slots: [aSlot(1, { runner: "busy", onlineAt: NOW - ago })] }));
  const lacking = (machine: StoredMachine) => count([machine], waiting(1, { running: 1 }), { hedge: false }).lacking;

  test.each([
    [390 * SECOND, 1],
    [401 * SECOND, 0],
    [500 * SECOND, 0],
    [501 * SECOND, 1],
  ])("busy for %d ms: %d", (ago, more) => {
    // J is 500 s while no job is over, E 100 s. Its job is listed as running.
    expect(lacking(withSlot(since(ago), { job: aSlotJob(1) }))).toBe(more);
  });

  test("J is what job-minutes says, where it says something", () => {
    const rental = { ...someRules().rental, jobMs: 20 * MINUTE };
    const more = (ago: number) =>
      count([withSlot(since(ago), { job: aSlotJob(1) })], waiting(1, { running: 1 }), { hedge: false, rental }).lacking;
    expect([450 * SECOND, 19 * MINUTE].map(more)).toEqual([1, 0]);
  });

  test("elapsed counts from the begin of its job, where GitHub shows it, not from when it became ready", () => {
    const more = (ago: number) => {
      const startedAt = NOW - ago;
      const ours = [gpuJob(101, "running", { startedAt }), gpuJob(102, "waiting")];
      const machine = withSlot(since(10 * MINUTE), { job: aSlotJob(1, { startedAt }) });
      return count([machine], { jobs: gpuJobs({}, { ours }) }, { hedge: false }).lacking;
    };
    expect(more(390 * SECOND)).toBe(1);
    expect(more(401 * SECOND)).toBe(0);
    expect(more(501 * SECOND)).toBe(1);
  });
});

describe("n = 0, more of ours expected", () => {
  const idle = (ago: number) =>
    ready(1, { readyAt: NOW - ago, slots: [aSlot(1, { runner: "online", onlineAt: NOW - ago })] });

  test("fewer than `jobs` says: a ready one is kept for idle-timeout", () => {
    const one = { jobs: gpuJobs({ over: 1 }) };
    expect(count([idle(4 * MINUTE)], one, { jobs: 2 }).unneeded).toEqual([]);
    expect(count([idle(5 * MINUTE)], one, { jobs: 2 }).unneeded).toEqual([1]);
    expect(count([booting(1)], one, { jobs: 2 }).unneeded).toEqual([1]);
  });

  test("so is one that was ready, and whose next listener starts: its job is over since a moment", () => {
    const between = (ago: number) => withNext(withSlot(spent(1, { readyAt: 0 }), { onlineAt: 0, spentAt: NOW - ago }));
    const one = { jobs: gpuJobs({ over: 1 }) };
    expect(count([between(20 * SECOND)], one, { jobs: 2 }).unneeded).toEqual([]);
    expect(count([between(5 * MINUTE)], one, { jobs: 2 }).unneeded).toEqual([1]);
    expect(count([between(20 * SECOND)], one).unneeded).toEqual([1]);
  });

  test("not from the second attempt on: those that did well before don't come again", () => {
    expect(count([idle(MINUTE)], { jobs: gpuJobs({ over: 1 }) }, { jobs: 2, attempt: 2 }).unneeded).toEqual([1]);
  });

  test("wait-for-job: 0s, and none was seen: one is rented, again if it failed", () => {
    const none = { jobs: gpuJobs({}) };
    expect(count([], none, { waitForJob: 0 })).toEqual({ wanted: 1, lacking: 1, unneeded: [] });
    expect(count([booting(1)], none, { waitForJob: 0 })).toEqual({ wanted: 1, lacking: 0, unneeded: [] });
    const failed = anEnding("failed");
    expect(count([booting(1, { ending: failed, goneAt: NOW })], none, { waitForJob: 0 }).lacking).toBe(1);
  });

  test("a job that came to it at once has come, though the list lacks it: no second one is rented", () => {
    const none = { jobs: gpuJobs({}) };
    expect(count([unlisted(1, SECOND)], none, { waitForJob: 0 }).lacking).toBe(0);
    expect(count([unlisted(1, 5 * MINUTE)], none, { waitForJob: 0 }).lacking).toBe(1);
    const one = { jobs: gpuJobs({ over: 1 }) };
    expect(count([unlisted(2, SECOND), idle(MINUTE)], one, { jobs: 2 }).unneeded).toEqual([1]);
    // The list may show it as waiting: it is one job.
    const lagging = { jobs: gpuJobs({ waiting: 1 }) };
    expect(count([unlisted(2, SECOND), idle(MINUTE)], lagging, { jobs: 2 }).unneeded).toEqual([]);
  });

  test("otherwise nothing is rented before a job waits", () => {
    expect(count([], { jobs: gpuJobs({}) }).lacking).toBe(0);
  });
});

test("n = 0: none is wanted", () => {
  expect(count([ready(1), booting(2)], { jobs: gpuJobs({ over: 1 }) })).toEqual({
    wanted: 0,
    lacking: 0,
    unneeded: [2, 1],
  });
});

test("hold: false: one machine, whatever jobs there are", () => {
  expect(count([], { jobs: undefined }, { hold: false })).toEqual({ wanted: 1, lacking: 1, unneeded: [] });
  expect(count([slow(1)], { jobs: undefined }, { hold: false })).toEqual({ wanted: 1, lacking: 0, unneeded: [] });
});

test("hold: false: none beside one that had a job, though that is over and the machine is gone", () => {
  expect(count([spent(1, { ending: anEnding("over"), goneAt: 1 })], {}, { hold: false }).lacking).toBe(0);
});

test("hold: false: one that a job took at once is that machine, while a failed one is still given back", () => {
  const failed = booting(1, { ending: anEnding("failed") });
  expect(count([failed, unlisted(2, SECOND)], { jobs: undefined }, { hold: false }).lacking).toBe(0);
});
