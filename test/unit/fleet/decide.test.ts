import { describe, expect, test } from "vitest";
import { recordsOf } from "../../../src/fleet/recording/records.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import type { FleetState, SlotJob, StoredInstance, StoredMachine } from "../../../src/fleet/state.ts";
import type { GpuJobs } from "../../../src/github/jobs.ts";
import { budgetLeft } from "../../../src/money/max-cost.ts";
import { aFleet, anEmptyMarket, gpuJob, gpuJobs, MINUTE, NOW, SECOND, someRules } from "../support/a-fleet.ts";
import { commands, decided, decideNow, decides, later } from "../support/decide-now.ts";
import { anEnding, aSlotJob, UNCERTAIN, withNext, withSlot } from "../support/machine-parts.ts";
import { asked, booting, busy, inFlight, type MachineGiven, ready, spent, starting } from "../support/machines.ts";

const LOOK = 15 * SECOND;
const WAITS = { jobs: gpuJobs({ waiting: 1 }) };
const RUNS = { jobs: gpuJobs({ running: 1 }) };
const LOADED = { kind: "running", status: "running" } as const;

/** The first instance of the n-th machine, as it is seen from now on. */
function seen(fleet: FleetState, n: number, given: Partial<StoredInstance>): void {
  Object.assign(fleet.machines[n - 1]?.instances[0] ?? {}, given);
}

describe("what costs a machine or a job needs two looks, 15 s apart", () => {
  const lost = () => aFleet([busy(1, { absentSince: NOW })], RUNS);
  const gone = (given: Partial<FleetState> = WAITS) => aFleet([starting(1, { absentSince: NOW })], given);
  const endsOf = (fleet: FleetState, after = LOOK) =>
    decideNow(fleet, {}, NOW + after).endings.map(({ ending: { id } }) => id);

  test("seen once nothing is done; seen again 15 s later it ends as of the first look, and was decided now", () => {
    expect(commands(lost())).toEqual([]);
    const { commands: all, endings } = decideNow(later(lost(), LOOK), {}, NOW + LOOK);
    expect(all).toMatchObject([{ kind: "destroy", id: 701 }]);
    expect(endings).toMatchObject([{ machineNo: 1, ending: { kind: "lost", since: NOW, decidedAt: NOW + LOOK } }]);
  });

  test("the jobs are asked, too: a short one may have come and gone", () => {
    expect(endsOf({ ...later(gone(), LOOK), jobsAt: NOW })).toEqual([]);
    expect(endsOf(later(gone(), LOOK))).toEqual(["went-preparing"]);
    expect(endsOf({ ...later(gone(), 10 * MINUTE), jobsAt: NOW }, 10 * MINUTE)).toEqual(["went-preparing"]);
  });
});

test("while jobs can't be read no wait begins or ends, but with `hold: false`, which needs none", () => {
  const unread = { jobs: undefined, jobsFault: { since: NOW - 5 * MINUTE, why: "forbidden" }, market: anEmptyMarket() };
  const decision = (hold: boolean) => decideNow(aFleet([], { ...unread, unservedSince: NOW - MINUTE }), { hold });
  expect(decision(true)).toMatchObject({ unservedSince: undefined, noOfferSince: undefined });
  expect(decision(false)).toMatchObject({ unservedSince: NOW - MINUTE, noOfferSince: NOW });
});

const over = (...machines: StoredMachine[]) => aFleet(machines, { jobs: gpuJobs({ over: 1, held: 1 }) });

test.each<[string, FleetState, string[]]>([
  ["not while the end of another free one is unconfirmed, even once", over(ready(1), ready(2)), []],
  ["whatever is unconfirmed of a busy one: its job waits for none of them", over(ready(1), busy(2)), ["drain 1"]],
  ["not a create that has not answered", over(asked(1)), []],
])("free and not wanted: drained, %s", (_words, given, expected) => {
  expect(commands(given)).toEqual([]);
  const fleet = later(given, LOOK);
  seen(fleet, 2, { absentSince: NOW + LOOK });
  expect(commands(fleet, {}, NOW + LOOK)).toEqual(expected);
});

describe("machines that end", () => {
  const ending = anEnding("failed");
  const unanswered = { ending, unconfirmedDrains: 1 };
  const unconfirmed = (times: number, given: MachineGiven = {}) =>
    aFleet([booting(1, { ending, unconfirmedDrains: times, ...given })]);
  const drained = withSlot(ready(1, { ending, isDestroying: true, isAsking: true }), { spentAt: NOW });
  const absent = { runningAt: NOW - MINUTE, absentSince: NOW };
  const unmade = (given: MachineGiven) =>
    aFleet([withSlot(inFlight(1, UNCERTAIN, { ago: 2 * MINUTE, refusedDrains: 1, ...given }), { isStuck: true })]);

  decides("GitHub or the service is asked", [
    ["not while it is being destroyed", aFleet([drained]), []],
    ["at its deadline: destroyed", aFleet([ready(1, { ending, deadline: NOW - 30 * SECOND })]), ["destroy 701"]],
    ["once more after one request that got no answer", unconfirmed(1), ["drain 1"]],
    ["twice: no job can be on it", unconfirmed(2), ["destroy 701"]],
    ["however often, as it ran", unconfirmed(9, { runningAt: NOW }), ["drain 1"]],
    ["however often, as it may run unseen", unconfirmed(9, { isSilent: true }), ["drain 1"]],
    ["however often, as GitHub said once that a job is on it", unconfirmed(9, { refusedDrains: 1 }), ["drain 1"]],
    ["twice: no job can be on it", unconfirmed(2, absent), ["destroy 701"]],
    ["again, as its create made nothing that could have gone", unmade({ ending: anEnding("over") }), ["drain 1"]],
    ["even at the deadline of what was never made", unmade({ ending, deadline: NOW - MINUTE }), ["drain 1"]],
    ["not before GitHub's refusal is old enough", unmade({ drainAgainAt: NOW + SECOND }), []],
  ]);

  test("the runners that wait for their turn are taken away first, then the one that is online", () => {
    const machine = withNext(withNext(ready(1, unanswered)));
    expect(decideNow(aFleet([machine])).commands).toEqual([{ kind: "drain", machineNo: 1, runnerIds: [121, 221, 21] }]);
  });

  const over = anEnding("over", { since: NOW - 60_000 });
  const removed = (kind: Parameters<typeof anEnding>[0]) =>
    withSlot(ready(1, { ending: anEnding(kind) }), { spentAt: 0, isRemoved: true });

  test.each<[string, StoredMachine, boolean]>([
    ["that is not needed", removed("unneeded"), false],
    ["that was over without a job", withSlot(ready(1, { ending: over }), { spentAt: 0 }), true],
    ["that was over after its job", spent(1, { ending: over }), false],
  ])("what a machine %s printed last is shown: %#", (_which, machine, showLogs) => {
    const { commands: all } = decideNow(aFleet([machine]), {}, NOW + MINUTE);
    expect(all.find(({ kind }) => kind === "destroy")).toMatchObject({ showLogs });
  });

  test.each<[string, MachineGiven, string]>([
    ["two lists deny it", { absentSince: NOW - LOOK }, "destroy 701"],
    ["two lists show it as stopped", { brokenSince: NOW - LOOK }, "destroy 701"],
    ["one list does", { brokenSince: NOW - SECOND }, "drain 1"],
    ["it only has no heartbeat", { brokenSince: NOW - LOOK, isSilent: true }, "drain 1"],
  ])("GitHub refused to remove its runner, or gave no answer, and %s", (_what, given, expected) => {
    const ends = (more: MachineGiven, isStuck?: true, job?: SlotJob) => {
      const slot = { runner: "busy", isStuck, job } as const;
      const machine = withSlot(ready(1, { ending: anEnding("over"), ...given, ...more }), slot);
      return commands(aFleet([withNext(machine, { spentAt: NOW, isRemoved: true })]));
    };
    const all = [{ refusedDrains: 1 }, { unconfirmedDrains: 1 }, {}].map((more) => ends(more, true));
    expect(all).toEqual([[expected], [expected], ["drain 1"]]);
    // Also before five minutes of lists of jobs show that it is stuck.
    expect(ends({ refusedDrains: 1 }).includes("destroy 701")).toBe(expected === "destroy 701");
    expect(ends({ refusedDrains: 1 }, undefined, aSlotJob(1))).not.toContain("destroy 701");
  });

  test("kept for a look: the runners that no job may come to go at once, the machine when its look is over", () => {
    const keep = { keepFailed: 15 * MINUTE };
    const failed = withNext(spent(1, { job: { conclusion: "failure", isBad: true } }));
    const fleet = aFleet([failed], { jobs: gpuJobs({ over: 1, waiting: 1 }) });
    expect(commands(fleet, keep)).toEqual(["drain 1", "create 51"]);
    decided(fleet, keep);
    reduce(fleet, { kind: "RunnerRemoved", askedAt: NOW, at: NOW, machineNo: 1, removed: [121] });
    expect(commands(fleet, keep, NOW + 15 * MINUTE + 49 * SECOND)).not.toContain("destroy 701");
    expect(commands(fleet, keep, NOW + 15 * MINUTE + 50 * SECOND)).toContain("destroy 701");
  });
});

describe("two instances that one create made share its runner", () => {
  const both = (machine: StoredMachine, given: Partial<StoredInstance> = {}): StoredMachine => ({
    ...machine,
    instances: [...machine.instances, { id: 801, createdAt: NOW, foundAt: NOW, ...given }],
  });
  const waits = (...given: Parameters<typeof both>) => aFleet([both(...given)], WAITS);
  const running = (...given: Parameters<typeof both>) => aFleet([both(...given)], RUNS);
  const EXITED = { kind: "failed", status: "exited", why: "it is exited", blame: "machine" } as const;
  const broken = { verdict: EXITED, brokenSince: NOW };
  const gone = (ms = 14 * SECOND) => ({ verdict: LOADED, absentSince: NOW - ms });

  decides("they", [
    ["boot: the younger is destroyed by its id, and no runner is taken away", waits(booting(1)), ["destroy 801"]],
    ["boot: the one that is not well is destroyed", waits(booting(1, broken)), ["destroy 701"]],
    ["are two, and the service says twice that it knows no second", running(busy(1), gone()), ["destroy 801"]],
    ["are two, and it says so once", running(busy(1), gone(14 * SECOND - 1)), []],
    ["are both missing: nobody knows which one has the job", running(busy(1, gone()), gone()), []],
  ]);

  test.each([
    ["the second runs", waits(booting(1), { runningAt: NOW, verdict: LOADED })],
    ["a job runs on one of them", running(busy(1))],
    ["GitHub would not remove the runner, and a list shows it as offline", waits(booting(1, { refusedDrains: 1 }))],
  ])("%s: both stay, as nobody knows whose runner has the job", (_what, fleet) => {
    expect(commands(fleet).filter((command) => !command.startsWith("read-machine-log"))).toEqual([]);
    expect(decideNow(fleet)).toMatchObject({ endings: [], lacking: 0 });
  });

  test("of two the machine is judged by the one that is well", () => {
    const fleet = waits(busy(1, { absentSince: 0 }), { verdict: LOADED, runningAt: NOW });
    expect(commands(later(fleet, LOOK), {}, NOW + LOOK)).toEqual([]);
  });

  test("both count in max-cost", () => {
    const terms = { ...someRules().rental, money: { maxCost: 5 } };
    const left = (machine: StoredMachine) => budgetLeft(terms, recordsOf(aFleet([machine])), NOW)?.left ?? Number.NaN;
    expect(5 - left(both(busy(1), { runningAt: NOW }))).toBeCloseTo(2 * (5 - left(busy(1))), 10);
    expect(left(both(busy(1), { goneAt: NOW }))).toBeGreaterThan(left(both(busy(1))));
  });
});

describe("since when a job is unserved", () => {
  const two = (first: number) => {
    return { jobs: gpuJobs({ waiting: 2 }), unservedSince: 5, waitingSince: { 101: first, 102: 10 } };
  };
  const unread = (ms: number) => ({ runnersUnreadSince: NOW - ms, unservedSince: 5 });
  const FAULT = { jobsFault: { since: NOW - 1000, why: "" }, unservedSince: 5 };
  const SINCE = { unservedSince: 5 };
  const MINUTE_AGO = { since: NOW - MINUTE, why: "" };

  test.each<[string, number | undefined, StoredMachine[], Partial<FleetState>]>([
    ["one is ready", undefined, [ready(1)], SINCE],
    ["none is wanted", undefined, [booting(1)], { ...SINCE, jobs: gpuJobs({}) }],
    ["for the job that has waited longest of those that wait now", 10, [booting(1)], two(20)],
    ["not for one that is gone", 5, [booting(1)], two(3)],
    ["a list of jobs that can't be read starts it anew for nobody", 5, [], FAULT],
    ["for a minute: nobody knows that one waited", undefined, [booting(1)], { ...FAULT, jobsFault: MINUTE_AGO }],
    ["the runners can't be read for less than a minute", 5, [starting(1)], unread(MINUTE - 1)],
    ["for a minute: a machine that runs may be ready", NOW, [starting(1)], unread(MINUTE)],
  ])("%s: %j", (_what, since, machines, given) => {
    expect(decideNow(aFleet(machines, { ...WAITS, ...given })).unservedSince).toBe(since);
  });
});

test("the most that was wanted at a time is remembered: more than before", () => {
  const fleet = aFleet([ready(1), ready(2)], { jobs: gpuJobs({ waiting: 3 }), mostWanted: 2 });
  expect(decided(fleet).mostWanted).toBe(3);
});

describe("the end", () => {
  const failed = gpuJob(101, "over", { conclusion: "failure" });
  const endsAt = (fleet: FleetState, ms: number) => decideNow(later(fleet, ms), {}, NOW + MINUTE).end !== undefined;

  test("of a list that can't be read needs no second look", () => {
    const fleet = aFleet([], { jobsFault: { since: NOW - 10 * MINUTE, why: "no" } });
    expect(decideNow(fleet).end?.kind).toBe("list-unreadable");
  });

  test.each<[string, Partial<GpuJobs>, number, number]>([
    ["3 s apart where all are over, and none badly", { ours: [gpuJob(101, "over")] }, 2999, 3000],
    ["15 s apart where one is over badly", { ours: [failed, gpuJob(102, "over")] }, 13_999, 14_000],
  ])("needs two looks at the jobs, %s", (_what, jobs, tooSoon, enough) => {
    const fleet = () => aFleet([], { jobs: gpuJobs({}, jobs) });
    expect(decideNow(fleet()).end).toBeUndefined();
    expect([endsAt(fleet(), tooSoon), endsAt(fleet(), enough)]).toEqual([false, true]);
  });

  test("a list that took so long says only what was when it was asked for", () => {
    const fleet = later(aFleet([], { jobs: gpuJobs({ over: 1 }) }), 4000);
    expect(decideNow({ ...fleet, jobsTookMs: 1001 }, {}, NOW + MINUTE).end).toBeUndefined();
  });

  test("waits for a job's log that is being read as long as any end waits", () => {
    const reading = (log: { at?: number }) => aFleet([withSlot(spent(1), { log })], { jobs: gpuJobs({ over: 1 }) });
    expect([endsAt(reading({}), 13_999), endsAt(reading({}), 14_000)]).toEqual([false, true]);
    expect(endsAt(reading({ at: NOW }), 3000)).toBe(true);
  });
});

test("the same fleet is decided on in the same way, and is not changed", () => {
  const fleet = aFleet([ready(1), busy(2), booting(3)], { jobs: gpuJobs({ waiting: 3, running: 1 }) });
  const before = structuredClone(fleet);
  expect(decideNow(fleet)).toEqual(decideNow(before));
  expect(fleet).toEqual(before);
});
