import { describe, expect, test } from "vitest";
import { recordsOf } from "../../../src/fleet/recording/records.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import type { FleetState, StoredInstance, StoredMachine } from "../../../src/fleet/state.ts";
import type { GpuJobs } from "../../../src/github/jobs.ts";
import { budgetLeft } from "../../../src/money/max-cost.ts";
import {
  aFleet,
  anEmptyMarket,
  anEnding,
  asked,
  booting,
  busy,
  gpuJob,
  gpuJobs,
  type MachineGiven,
  NOW,
  ready,
  someRules,
  spent,
  starting,
  withNext,
  withSlot,
} from "../support/a-fleet.ts";
import { commands, decided, decideNow, later } from "../support/decide-now.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LOOK = 15 * SECOND;

/** The first instance of the n-th machine, as it is seen from now on. */
function seen(fleet: FleetState, n: number, given: Partial<StoredInstance>): void {
  Object.assign(fleet.machines[n - 1]?.instances[0] ?? {}, given);
}

describe("what costs a machine or a job needs two looks, 15 s apart", () => {
  const lost = () => aFleet([busy(1, { absentSince: NOW })], { jobs: gpuJobs({ running: 1 }) });

  test("seen once: nothing is done", () => {
    expect(commands(lost())).toEqual([]);
  });

  test("seen again 15 s later: done", () => {
    expect(commands(later(lost(), LOOK), {}, NOW + LOOK)).toEqual(["destroy 701"]);
  });

  test("it ends as of the first look, and was decided now", () => {
    const { endings } = decideNow(later(lost(), LOOK), {}, NOW + LOOK);
    expect(endings).toMatchObject([{ machineNo: 1, ending: { kind: "lost", since: NOW, decidedAt: NOW + LOOK } }]);
  });

  test("sooner: not yet", () => {
    expect(commands(later(lost(), 13 * SECOND), {}, NOW + MINUTE)).toEqual([]);
  });

  test("the list was not read again: not yet", () => {
    expect(commands({ ...later(lost(), LOOK), instancesAt: NOW }, {}, NOW + MINUTE)).toEqual([]);
  });

  test("the jobs are asked, too: a short one may have come and gone", () => {
    const gone = () => aFleet([starting(1, { absentSince: NOW })], { jobs: gpuJobs({ waiting: 1 }) });
    expect(decideNow({ ...later(gone(), LOOK), jobsAt: NOW }, {}, NOW + LOOK).endings).toEqual([]);
    expect(decideNow(later(gone(), LOOK), {}, NOW + LOOK).endings).toMatchObject([{ ending: { kind: "failed" } }]);
    const unread = { ...later(gone(), 10 * MINUTE), jobsAt: NOW };
    expect(decideNow(unread, {}, NOW + 10 * MINUTE).endings).toMatchObject([{ ending: { kind: "failed" } }]);
  });

  test("with `hold: false`, too, but a list that can't be read delays nothing", () => {
    const gone = () => aFleet([starting(1, { absentSince: NOW })], { jobs: undefined });
    const ends = (given: Partial<FleetState>) =>
      decideNow({ ...later(gone(), LOOK), ...given }, { hold: false }, NOW + LOOK).endings.map(
        ({ ending: { id } }) => id,
      );
    expect(ends({ jobsAt: NOW })).toEqual([]);
    expect(ends({})).toEqual(["went-preparing"]);
    expect(ends({ jobsAt: NOW, jobsFault: { since: NOW, why: "forbidden" } })).toEqual(["went-preparing"]);
  });

  test("it was seen well in between: forgotten", () => {
    const fleet = later(lost(), LOOK);
    seen(fleet, 1, { absentSince: undefined });
    decided(fleet, {}, NOW + 10 * SECOND);
    seen(fleet, 1, { absentSince: NOW + LOOK });
    expect(commands(fleet, {}, NOW + LOOK)).toEqual([]);
  });

  test("the service's own word about one that was never ready needs one", () => {
    const failed = { kind: "failed", status: "created", why: "no space left on device", blame: "machine" } as const;
    expect(commands(aFleet([booting(1, { verdict: failed })]))).toEqual(["drain 1"]);
  });

  test("its deadline needs none, once it had 30 s to end itself", () => {
    const at = (deadline: number) => commands(aFleet([busy(1, { deadline })], { jobs: gpuJobs({ running: 1 }) }));
    expect(at(NOW - 29 * SECOND)).toEqual([]);
    expect(at(NOW - 30 * SECOND)).toEqual(["destroy 701"]);
  });

  test("all jobs are over: what is still on its way is noted as not needed, for the bill", () => {
    const fleet = later(aFleet([spent(1), booting(2)], { jobs: gpuJobs({ over: 1 }) }), LOOK);
    // The first one went just now, by one list. This unconfirmed finding delays no report.
    Object.assign(fleet.machines[0] as StoredMachine, { ending: undefined });
    seen(fleet, 1, { absentSince: NOW + LOOK });
    const decision = decideNow(fleet, {}, NOW + LOOK);
    expect(decision.end?.kind).toBe("over");
    expect(decision.endings).toMatchObject([{ machineNo: 2, ending: { kind: "unneeded" } }]);
  });
});

test("while jobs can't be read no wait begins or ends, but with `hold: false`, which needs none", () => {
  const unread = { jobs: undefined, jobsFault: { since: NOW - 5 * MINUTE, why: "forbidden" }, market: anEmptyMarket() };
  const decides = (hold: boolean, unservedSince?: number) =>
    decideNow(aFleet([], { ...unread, unservedSince }), { hold });
  expect(decides(true, NOW - MINUTE)).toMatchObject({ unservedSince: undefined, noOfferSince: undefined });
  expect(decides(false, NOW - MINUTE)).toMatchObject({ unservedSince: NOW - MINUTE, noOfferSince: NOW });
});

describe("free and not wanted", () => {
  const over = (machines: StoredMachine[]) => aFleet(machines, { jobs: gpuJobs({ over: 1, held: 1 }) });

  test("drained, after a second look: its runner first", () => {
    expect(commands(over([ready(1)]))).toEqual([]);
    expect(commands(later(over([ready(1)]), LOOK), {}, NOW + LOOK)).toEqual(["drain 1"]);
  });

  test.each([
    ["not while the end of another free one is unconfirmed, even once", ready(2), []],
    ["whatever is unconfirmed of a busy one: its job waits for none of them", busy(2), ["drain 1"]],
  ])("%s", (_words, other, expected) => {
    const fleet = later(over([ready(1), other]), LOOK);
    seen(fleet, 2, { absentSince: NOW + LOOK });
    expect(commands(fleet, {}, NOW + LOOK)).toEqual(expected);
  });

  test("a create that has not answered can't be drained yet", () => {
    expect(commands(later(over([asked(1)]), LOOK), {}, NOW + LOOK)).toEqual([]);
  });
});

describe("machines that end", () => {
  const ending = anEnding("failed");

  test("no answer: asked again when it is time, not before", () => {
    expect(commands(aFleet([ready(1, { ending, unconfirmedDrains: 1, askAgainAt: NOW + 1 })]))).toEqual([]);
    expect(commands(aFleet([ready(1, { ending, unconfirmedDrains: 1, askAgainAt: NOW })]))).toEqual(["drain 1"]);
  });

  test("one thing at a time is asked about a machine", () => {
    expect(commands(aFleet([ready(1, { ending, isDraining: true })]))).toEqual([]);
    const drained = withSlot(ready(1, { ending, isDestroying: true, isAsking: true }), { spentAt: NOW });
    expect(commands(aFleet([drained]))).toEqual([]);
  });

  test("at its deadline it is destroyed by force, whatever was tried before", () => {
    expect(commands(aFleet([ready(1, { ending, deadline: NOW - 30 * SECOND })]))).toEqual(["destroy 701"]);
  });

  test("the runners that wait for their turn are taken away first, then the one that is online", () => {
    const machine = withNext(withNext(ready(1, { ending, unconfirmedDrains: 1 })));
    const { commands: given } = decideNow(aFleet([machine]));
    expect(given).toEqual([{ kind: "drain", machineNo: 1, runnerIds: [121, 221, 21] }]);
  });

  test("what one that failed, or was over without a job, printed last is shown; of one that is not needed nothing is", () => {
    const shown = (kind: Parameters<typeof anEnding>[0]) =>
      decideNow(aFleet([withSlot(ready(1, { ending: anEnding(kind) }), { spentAt: 0, isRemoved: true })])).commands;
    for (const kind of ["failed", "dropped"] as const) expect(shown(kind)).toMatchObject([{ showLogs: true }]);
    expect(shown("unneeded")).toMatchObject([{ kind: "destroy", showLogs: false }]);
    const over = anEnding("over", { since: NOW - 60_000 });
    const isShown = (machine: StoredMachine) =>
      decideNow(aFleet([machine]), {}, NOW + MINUTE).commands.find(({ kind }) => kind === "destroy");
    expect(isShown(withSlot(ready(1, { ending: over }), { spentAt: 0 }))).toMatchObject({ showLogs: true });
    expect(isShown(spent(1, { ending: over }))).toMatchObject({ showLogs: false });
  });

  test("GitHub gives no answer, twice, for one that never ran: no job can be on it, and it is destroyed", () => {
    const unconfirmed = (unconfirmedDrains: number, given: MachineGiven = {}) =>
      commands(aFleet([booting(1, { ending, unconfirmedDrains, ...given })]));
    expect(unconfirmed(1)).toEqual(["drain 1"]);
    expect(unconfirmed(2)).toEqual(["destroy 701"]);
    expect(unconfirmed(9, { runningAt: NOW })).toEqual(["drain 1"]);
    expect(unconfirmed(9, { isSilent: true })).toEqual(["drain 1"]);
  });

  test("GitHub gives no answer, twice, for one that the service does not know any more: no job can be on it", () => {
    const absent = (unconfirmedDrains: number) =>
      commands(aFleet([booting(1, { ending, unconfirmedDrains, runningAt: NOW - MINUTE, absentSince: NOW })]));
    expect(absent(1)).toEqual(["drain 1"]);
    expect(absent(2)).toEqual(["destroy 701"]);
  });

  test.each<[string, MachineGiven, string]>([
    ["two lists deny it", { absentSince: NOW - LOOK }, "destroy 701"],
    ["two lists show it as stopped", { brokenSince: NOW - LOOK }, "destroy 701"],
    ["one list does", { brokenSince: NOW - SECOND }, "drain 1"],
    ["it only has no heartbeat", { brokenSince: NOW - LOOK, isSilent: true }, "drain 1"],
  ])("GitHub refused to remove its runner, or gave no answer, and %s", (_what, given, expected) => {
    const stuck = (more: MachineGiven) =>
      aFleet([withSlot(ready(1, { ending: anEnding("over"), ...given, ...more }), { runner: "busy", isStuck: true })]);
    expect(commands(stuck({ refusedDrains: 1 }))).toEqual([expected]);
    expect(commands(stuck({ unconfirmedDrains: 1 }))).toEqual([expected]);
    expect(commands(stuck({}))).toEqual(["drain 1"]);
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

  test("one that is over has 60 s to give itself back", () => {
    const fleet = aFleet([spent(1)], { jobs: gpuJobs({ running: 1 }) });
    expect(commands(fleet)).toEqual([]);
    decided(fleet);
    expect(commands(fleet, {}, NOW + 49 * SECOND)).toEqual([]);
    expect(commands(fleet, {}, NOW + 50 * SECOND)).toEqual(["destroy 701"]);
  });

  test("its one job failed on it, and keep-failed says so: it is kept for so much longer", () => {
    const failed = spent(1, { job: { conclusion: "failure", isBad: true } });
    const fleet = decided(aFleet([failed], { jobs: gpuJobs({ running: 1 }) }), { keepFailed: MINUTE });
    expect(commands(fleet, { keepFailed: MINUTE }, NOW + 109 * SECOND)).toEqual([]);
    expect(commands(fleet, { keepFailed: MINUTE }, NOW + 110 * SECOND)).toEqual(["destroy 701"]);
  });

  test("a job came to one that was being drained: its end is taken back", () => {
    const fleet = aFleet([busy(1, { ending: anEnding("unneeded") })], { jobs: gpuJobs({ running: 1 }) });
    expect(decideNow(fleet)).toMatchObject({ takenBack: [1], commands: [] });
    expect(decided(fleet).machines[0]?.ending).toBeUndefined();
  });
});

describe("two instances that one create made share its runner", () => {
  const twin = { id: 801, createdAt: NOW, foundAt: NOW };
  const both = (machine: StoredMachine, given: Partial<StoredInstance> = {}): StoredMachine => ({
    ...machine,
    instances: [...machine.instances, { ...twin, ...given }],
  });
  const waits = (machine: StoredMachine) => aFleet([machine], { jobs: gpuJobs({ waiting: 1 }) });
  const running = (machine: StoredMachine) => aFleet([machine], { jobs: gpuJobs({ running: 1 }) });
  const runs = { kind: "running", status: "running" } as const;

  test("before either runs the younger is destroyed by its id, and no runner is taken away", () => {
    expect(commands(waits(both(booting(1))))).toEqual(["destroy 801"]);
  });

  test("before either runs the one that is not well is destroyed, and the other one goes on", () => {
    const exited = { kind: "failed", status: "exited", why: "it is exited", blame: "machine" } as const;
    const broken = { verdict: exited, brokenSince: NOW };
    expect(commands(waits(both(booting(1, broken))))).toEqual(["destroy 701"]);
    expect(commands(waits(both(booting(1), broken)))).toEqual(["destroy 801"]);
  });

  test.each([
    ["the first runs", waits(both(starting(1)))],
    ["the second runs", waits(both(booting(1), { runningAt: NOW, verdict: runs }))],
    ["a runner is online", waits(both(ready(1)))],
    ["a job runs on one of them", running(both(busy(1)))],
  ])("%s: both stay, as nobody knows whose runner has the job", (_what, fleet) => {
    expect(commands(fleet).filter((command) => !command.startsWith("read-machine-log"))).toEqual([]);
    expect(decideNow(fleet)).toMatchObject({ endings: [], lacking: 0 });
  });

  test("one that the service twice says it does not know is taken off the count, where the other one is there", () => {
    const gone = { verdict: runs, absentSince: NOW - 14 * SECOND } as const;
    expect(commands(running(both(busy(1), gone)))).toEqual(["destroy 801"]);
    expect(commands(running(both(busy(1), { ...gone, absentSince: NOW - 14 * SECOND + 1 })))).toEqual([]);
    expect(commands(running(both(busy(1, { absentSince: NOW }), gone)))).toEqual(["destroy 801"]);
    expect(commands(running(both(busy(1, gone), gone)))).toEqual([]);
  });

  test("both are destroyed when the machine ends", () => {
    expect(commands(aFleet([both(busy(1, { deadline: 0 }))]))).toEqual(["destroy 701", "destroy 801"]);
  });

  test("both count in max-cost", () => {
    const { rental } = someRules();
    const terms = { ...rental, money: { maxCost: 5 } };
    const left = (machine: StoredMachine) => budgetLeft(terms, recordsOf(aFleet([machine])), NOW)?.left ?? Number.NaN;
    expect(5 - left(both(busy(1)))).toBeCloseTo(2 * (5 - left(busy(1))), 10);
    expect(left(both(busy(1), { goneAt: NOW }))).toBeGreaterThan(left(both(busy(1))));
  });

  test("of two the machine is judged by the one that is well", () => {
    const gone = both(busy(1, { absentSince: 0 }), { verdict: runs, runningAt: NOW });
    expect(commands(later(waits(gone), LOOK), {}, NOW + LOOK)).toEqual([]);
  });
});

describe("ready-timeout", () => {
  const since = (machines: StoredMachine[], given: Partial<FleetState> = {}) =>
    decideNow(aFleet(machines, { jobs: gpuJobs({ waiting: 1 }), ...given })).unservedSince;

  test("counts for a job that waits since nothing is ready or busy", () => {
    expect(since([booting(1)])).toBe(NOW);
    expect(since([booting(1)], { unservedSince: 5 })).toBe(5);
    expect(since([ready(1)], { unservedSince: 5 })).toBeUndefined();
    expect(since([], { unservedSince: 5, jobs: gpuJobs({ running: 1 }) })).toBeUndefined();
  });

  test("counts for the job that has waited longest of those that wait now, not for one that is gone", () => {
    const two = { unservedSince: 5, jobs: gpuJobs({ waiting: 2 }) };
    const [first = 0, second = 0] = two.jobs.ours.map(({ id }) => id);
    expect(since([booting(1)], { ...two, waitingSince: { [first]: 20, [second]: 10 } })).toBe(10);
    expect(since([booting(1)], { ...two, waitingSince: { [first]: 3, [second]: 10 } })).toBe(5);
  });

  test("one that is over serves nobody", () => {
    expect(since([spent(1)], { unservedSince: 5 })).toBe(5);
    expect(since([busy(1)], { unservedSince: 5 })).toBeUndefined();
  });

  test("a list that can't be read starts it anew for nobody", () => {
    const given = { jobsFault: { since: NOW - 1000, why: "" }, unservedSince: 5, noOfferSince: 5 };
    expect(decided(aFleet([], given))).toMatchObject({ unservedSince: 5, noOfferSince: 5 });
  });

  test("a machine that is ready while the list can't be read ends it, also for when it can be read again", () => {
    const given = { jobsFault: { since: 0, why: "" }, unservedSince: 5 };
    expect(decided(aFleet([ready(1)], given)).unservedSince).toBeUndefined();
  });

  test("starts anew when the runners can't be read for a minute: a machine that runs may be ready", () => {
    const unread = (ms: number) => ({ runnersUnreadSince: NOW - ms, unservedSince: 5 });
    expect(since([starting(1)], unread(MINUTE - 1))).toBe(5);
    expect(since([starting(1)], unread(MINUTE))).toBe(NOW);
    expect(since([booting(1)], unread(MINUTE))).toBe(5);
    expect(since([starting(1, { ending: anEnding("failed") })], unread(MINUTE))).toBe(5);
  });
});

describe("the most that was wanted at a time", () => {
  const most = (waiting: number, given: Partial<FleetState>) =>
    decided(aFleet([], { jobs: gpuJobs({ waiting }), ...given })).mostWanted;

  test("is remembered", () => {
    expect(most(3, { mostWanted: 2 })).toBe(3);
    expect(most(3, { mostWanted: 4 })).toBe(4);
  });

  test("not while the jobs can't be read: all that is free counts as wanted then", () => {
    const fleet = aFleet([ready(1), ready(2)], { mostWanted: 1, jobsFault: { since: NOW, why: "403" } });
    expect(decided(fleet).mostWanted).toBe(1);
  });
});

describe("the end", () => {
  const failed = gpuJob(101, "over", { conclusion: "failure" });
  test.each<[string, Partial<GpuJobs>, number, number]>([
    ["3 s apart where all are over, and none badly", { ours: [gpuJob(101, "over")] }, 2999, 3000],
    ["15 s apart where one is over badly", { ours: [failed, gpuJob(102, "over")] }, 13_999, 14_000],
    ["15 s apart where none came", { ours: [], others: 0 }, 13_999, 14_000],
  ])("needs two looks at the jobs, %s", (_what, jobs, tooSoon, enough) => {
    const fleet = () => aFleet([], { jobs: gpuJobs({}, jobs) });
    expect(decideNow(fleet()).end).toBeUndefined();
    expect(decideNow(later(fleet(), tooSoon), {}, NOW + MINUTE).end).toBeUndefined();
    expect(decideNow(later(fleet(), enough), {}, NOW + MINUTE).end).toBeDefined();
  });

  test("a list that took so long says only what was when it was asked for", () => {
    const fleet = later(aFleet([], { jobs: gpuJobs({ over: 1 }) }), 4000);
    expect(decideNow({ ...fleet, jobsTookMs: 1001 }, {}, NOW + MINUTE).end).toBeUndefined();
  });

  test("waits for a job's log that is being read as long as any end waits", () => {
    const reading = () => aFleet([withSlot(spent(1), { log: {} })], { jobs: gpuJobs({ over: 1 }) });
    const ends = (fleet: FleetState, ms: number) => decideNow(later(fleet, ms), {}, NOW + ms).end !== undefined;
    expect([ends(reading(), 13_999), ends(reading(), 14_000)]).toEqual([false, true]);
    expect(ends(aFleet([withSlot(spent(1), { log: { at: NOW } })], { jobs: gpuJobs({ over: 1 }) }), 3000)).toBe(true);
  });

  test("two looks that say the same of each job, of those that ask for more labels, too", () => {
    const asksForMore = gpuJob(102, "waiting", { otherLabels: ["self-hosted"] });
    const both = gpuJobs({}, { ours: [gpuJob(101, "over"), asksForMore] });
    const fleet = later(aFleet([], { jobs: both }), LOOK);
    expect(decideNow(fleet, {}, NOW + LOOK).end?.kind).toBe("over");
    fleet.jobs = gpuJobs({ over: 1 });
    expect(decideNow(fleet, {}, NOW + LOOK).end).toBeUndefined();
  });

  test("of a list that can't be read needs none", () => {
    const fleet = aFleet([], { jobsFault: { since: NOW - 10 * MINUTE, why: "no" } });
    expect(decideNow(fleet).end?.kind).toBe("list-unreadable");
  });
});

test("the same fleet is decided on in the same way, and is not changed", () => {
  const fleet = aFleet([ready(1), busy(2), booting(3)], { jobs: gpuJobs({ waiting: 3, running: 1 }) });
  const before = structuredClone(fleet);
  expect(decideNow(fleet)).toEqual(decideNow(before));
  expect(fleet).toEqual(before);
});
