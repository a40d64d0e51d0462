import { describe, expect, test } from "vitest";
import { recordsOf, recordsOfMachine, rowOf } from "../../../src/fleet/recording/records.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import { failuresOf } from "../../../src/fleet/renting/failures.ts";
import { pausedOf } from "../../../src/fleet/renting/standing.ts";
import { machineFacts, type Stage } from "../../../src/fleet/stage.ts";
import type {
  FleetState,
  ListedInstance,
  LostJob,
  RunnerSlot,
  StoredInstance,
  StoredMachine,
} from "../../../src/fleet/state.ts";
import type { GpuJob, GpuJobs } from "../../../src/github/jobs.ts";
import type { RunnerState } from "../../../src/github/runners.ts";
import type { InstanceVerdict } from "../../../src/machine/instance.ts";
import { aFleet, gpuJob, gpuJobs, MINUTE, NOW, SECOND } from "../support/a-fleet.ts";
import { decided } from "../support/decide-now.ts";
import { anEnding, nextSlot, UNCERTAIN, withNext, withSlot } from "../support/machine-parts.ts";
import { booting, busy, ready, starting, unmade } from "../support/machines.ts";

const ago = (seconds: number) => NOW - seconds * SECOND;
const ahead = (seconds: number) => NOW + seconds * SECOND;

const only = ({ machines }: FleetState) => machines[0] as StoredMachine;
const slotOf = ({ slots }: StoredMachine) => slots[0] as RunnerSlot;
const stageOf = (fleet: FleetState): Stage => machineFacts(only(fleet)).stage;

function listRunners(fleet: FleetState, runners: Record<string, RunnerState>, at = NOW): FleetState {
  reduce(fleet, { kind: "RunnersListed", askedAt: at, at, runners });
  return fleet;
}

function listJobs(fleet: FleetState, jobs: GpuJobs, at = NOW): FleetState {
  reduce(fleet, { kind: "JobsListed", askedAt: at, at, jobs });
  return fleet;
}

/** The machine's first slot once GitHub showed its runner so, time after time. */
function afterRunner(machine: StoredMachine, ...looks: [state: RunnerState, at?: number][]): RunnerSlot {
  const fleet = aFleet([machine]);
  for (const [state, at = NOW] of looks) listRunners(fleet, { 21: state }, at);
  return slotOf(only(fleet));
}

const afterJobs = (machine: StoredMachine, ours: GpuJob[], given: Partial<FleetState> = {}) =>
  listJobs(aFleet([machine], given), gpuJobs({}, { ours }));

const onIt = { runnerId: 21, runnerName: "gpu-4711-1-abcdef-1" };
const elsewhere = { runnerId: 22, runnerName: "gpu-4711-1-abcdef-2" };
const runsOnIt = gpuJob(101, "running", onIt);
const overOnIt = gpuJob(101, "over", { ...onIt, completedAt: ago(5), conclusion: "failure" });

test("a job of ours last ended at the list that first shows it as over", () => {
  const fleet = aFleet([busy(1)]);
  const [runs, over] = [runsOnIt, overOnIt].map((job) => gpuJobs({}, { ours: [job] })) as [GpuJobs, GpuJobs];
  const ends = [NOW, NOW + 1, NOW + 2].map((at, n) => listJobs(fleet, n === 0 ? runs : over, at).lastEndAt);
  expect(ends).toEqual([0, NOW + 1, NOW + 1]);
});

test.each([
  ["as one that had a runner ended", overOnIt, NOW],
  ["not as one that only waited was cancelled", gpuJob(101, "over", { conclusion: "cancelled" }), undefined],
])("GitHub may give a job's place to another since then: %s", (_what, job, expected) => {
  expect(afterJobs(busy(1), [job]).lastFreedAt).toBe(expected);
});

describe("runners", () => {
  test.each([
    ["30 s and more: what holds by it counts from now", 30 * SECOND, NOW],
    ["less: a look or two that were lost change nothing", 30 * SECOND - 1, undefined],
  ])("the list can be read again, after %s", (_what, ms, runnersReadSince) => {
    const fleet = aFleet([ready(1)], { runnersAt: 0 });
    for (const at of [NOW - ms, ago(5)]) reduce(fleet, { kind: "RunnersUnreadable", askedAt: at, at });
    expect(listRunners(fleet, {})).toMatchObject({ runnersAt: NOW, runnersUnreadSince: undefined });
    expect(fleet.runnersReadSince).toBe(runnersReadSince);
    // Those that were not asked for are not judged.
    expect(slotOf(only(fleet)).runner).toBe("online");
  });

  const sinceOf = ({ busySince, offlineSince, wasBusy }: RunnerSlot) => ({ busySince, offlineSince, wasBusy });
  const later = (state: RunnerState): [RunnerState, number] => [state, ahead(1)];

  test.each<[string, StoredMachine, [RunnerState, number?][], Partial<RunnerSlot>]>([
    ["cut off with it", ready(1), [["busy"], later("cut-off")], { busySince: NOW }],
    ["offline before it was online: that says nothing", starting(1), [["offline"]], { offlineSince: undefined }],
    ["dropped while it was away", ready(1), [["offline"], later("gone")], { offlineSince: NOW }],
    ["away, and busy before", ready(1), [["busy"], later("offline")], { offlineSince: ahead(1), wasBusy: true }],
  ])("%s", (_what, machine, looks, expected) => {
    expect(sinceOf(afterRunner(machine, ...looks))).toMatchObject(expected);
  });

  test("a 404 ends a slot when a look 15 s later says it, too", () => {
    const spentAfter = (...looks: [RunnerState, number?][]) => afterRunner(ready(1), ["gone"], ...looks).spentAt;
    expect(spentAfter()).toBeUndefined();
    expect(spentAfter(["gone", ahead(13)])).toBeUndefined();
    expect(spentAfter(["gone", ahead(15)])).toBe(ahead(15));
    expect(spentAfter(["offline", ahead(1)], ["gone", ahead(15)])).toBeUndefined();
  });

  test.each([
    ["as the list of jobs says", gpuJobs({ running: 1 })],
    ["though no list of jobs has it", gpuJobs({})],
  ])("a 404 ends no slot whose job runs, %s: the end of that job does", (_what, jobs) => {
    const fleet = aFleet([busy(1)], { jobs });
    for (const at of [NOW, ahead(15)]) listRunners(fleet, { 21: "gone" }, at);
    expect(stageOf(fleet)).toBe("busy");
    listJobs(fleet, gpuJobs({}, { ours: [gpuJob(101, "over", { runnerId: 21 })] }), ahead(20));
    expect(slotOf(only(fleet)).spentAt).toBe(ahead(20));
  });

  test("a listener that ended without a job has burnt its configuration, which stays listed: the next one counts", () => {
    const next = nextSlot(1);
    const then = (machine: StoredMachine, first: RunnerState, second: RunnerState) =>
      stageOf(listRunners(aFleet([withNext(machine)]), { 21: first, [next.runnerId]: second }));
    expect(then(starting(1), "offline", "online")).toBe("ready");
    expect(then(ready(1), "offline", "busy")).toBe("busy");
    const onNext = { runnerId: next.runnerId, runnerName: next.runnerName };
    expect(stageOf(afterJobs(withNext(ready(1)), [gpuJob(101, "running", onNext)]))).toBe("busy");
  });

  test.each<[RunnerState, number | undefined]>([
    ["busy", ago(30)],
    ["gone", undefined],
  ])("%s: a sign of life, which GitHub may show for 30 s after its end", (runner, aliveAt) => {
    expect(only(listRunners(aFleet([ready(1)]), { 21: runner })).instances[0]?.aliveAt).toBe(aliveAt);
  });
});

describe("jobs", () => {
  test("over: the slot is spent since its end, and keeps how it ended", () => {
    const fleet = afterJobs(busy(1), [overOnIt]);
    const job = { isOver: true, isBad: true, conclusion: "failure" };
    expect(slotOf(only(fleet))).toMatchObject({ spentAt: ago(5), job });
    expect(stageOf(fleet)).toBe("over");
  });

  test.each<[string, StoredMachine, number | undefined]>([
    ["no sign after its runner went", withSlot(busy(1), { offlineSince: ago(9) }), ago(9)],
    ["no later one than is known", busy(1, { aliveAt: ago(1) }), ago(1)],
  ])("its job's end is %s", (_what, machine, aliveAt) => {
    expect(only(afterJobs(machine, [overOnIt])).instances[0]?.aliveAt).toBe(aliveAt);
  });

  const away = (seconds: number) => ({ offlineSince: ago(seconds) });

  test.each<[string, StoredMachine, GpuJob, { id: number | undefined } & Partial<RunnerSlot>]>([
    ["its runner is away under it", withSlot(busy(1), away(60)), runsOnIt, { id: 101, ...away(60) }],
    ["it runs on another machine by now", busy(1), gpuJob(101, "running", elsewhere), { id: undefined }],
    ["a list that names no runner says nothing of that", busy(1), gpuJob(101, "running"), { id: 101 }],
  ])("one of its slot: %s", (_what, machine, job, { id, ...expected }) => {
    const slot = slotOf(only(afterJobs(machine, [job])));
    expect(slot).toMatchObject(expected);
    expect(slot.job?.id).toBe(id);
  });

  test.each<[string, FleetState, Stage]>([
    ["one by a runner that seemed removed", afterJobs(withSlot(ready(1), { spentAt: ago(60) }), [runsOnIt]), "busy"],
    ["one that GitHub took back", listRunners(afterJobs(busy(1), [gpuJob(101, "waiting")]), { 21: "online" }), "ready"],
  ])("%s: its machine is %s", (_what, fleet, stage) => {
    expect(stageOf(fleet)).toBe(stage);
  });

  test.each([
    ["just before its job began", ago(30), ago(30)],
    ["not before it was created, whatever GitHub's clock says", NOW - 3_600_000, ago(60)],
  ])("for the bill a machine that nobody saw online began to run %s", (_when, startedAt, running) => {
    const fleet = afterJobs(booting(1), [gpuJob(101, "running", { ...onIt, startedAt })]);
    expect(recordsOf(fleet)[0]?.at.running).toBe(running);
  });

  test("a list that can't be read is a fault since the first time; one that can be read ends it", () => {
    const fleet = aFleet([ready(1)]);
    for (const at of [NOW, ahead(1)]) reduce(fleet, { kind: "JobsUnreadable", askedAt: at, at, why: "403" });
    expect(fleet.jobsFault).toEqual({ since: NOW, why: "403" });
    expect(listJobs(fleet, gpuJobs({}), ahead(2)).jobsFault).toBeUndefined();
  });
});

describe("the count of failures begins anew", () => {
  const failed = (n: number, since = ago(60)) => booting(n, { ending: anEnding("failed", { since }), goneAt: NOW });
  const waited = gpuJobs({ waiting: 1 });
  const ended = gpuJob(101, "over", onIt);

  test.each<[string, number[], StoredMachine, GpuJob, GpuJobs]>([
    ["not with one that was cancelled before it had a machine", [7, 8], starting(1), gpuJob(101, "over"), waited],
    ["not with the end of one that was seen to run", [7, 8], busy(1), ended, gpuJobs({ running: 1 })],
    ["with one that began and ended between two looks", [], ready(1), ended, waited],
  ])("%s: %j are left", (_what, expected, machine, job, jobs) => {
    const fleet = aFleet([machine, failed(7), failed(8)], { jobs });
    listJobs(fleet, gpuJobs({}, { ours: [job] }));
    expect(failuresOf(fleet).map(({ machineNo }) => machineNo)).toEqual(expected);
  });
});

describe("quiet", () => {
  const mistyped = [{ ...gpuJob(102, "waiting"), label: "gpu-4711" }];
  const others = { othersOpen: [{ name: "lint", status: "queued", labels: [] }] };
  const more = gpuJob(101, "waiting", { otherLabels: ["self-hosted"] });
  const went = { machineNo: 1, instanceId: 7, went: "vanished", cutBy: undefined } as const;
  const lost: LostJob[] = [{ id: 101, name: "", url: undefined, ...went }];
  const of = (state: GpuJob["state"], n = 1) => gpuJob(100 + n, state);

  test.each<[string, Partial<GpuJobs>, Partial<FleetState>, Partial<FleetState>]>([
    ["another one is open", { ours: [], ...others }, {}, { noOtherJobSince: undefined }],
    ["one can have no runner of ours", { ours: [more] }, {}, { noOtherJobSince: NOW }],
    ["one went with its machine", { ours: [of("running")] }, { lost }, { noOtherJobSince: NOW }],
    ["one is held", { ours: [of("held")] }, {}, { heldSince: NOW }],
    ["a label is one step from ours", { ours: [of("over")], mistyped }, {}, { mistypedSince: NOW }],
    ["still", { ours: [], mistyped }, { mistypedSince: 5 }, { mistypedSince: 5, heldSince: undefined }],
    ["no more", { ours: [] }, { mistypedSince: 5 }, { mistypedSince: undefined }],
    ["one of ours waits", { ours: [of("waiting")], mistyped }, { mistypedSince: 5 }, { mistypedSince: undefined }],
  ])("%s", (_what, jobs, given, expected) => {
    const { heldSince, mistypedSince, noOtherJobSince } = listJobs(aFleet([], given), gpuJobs({}, jobs));
    expect({ heldSince, mistypedSince, noOtherJobSince }).toMatchObject(expected);
  });
});

const LOOK = 15 * SECOND;
const LOADING = { kind: "pending", status: "loading" } as const;
const RUNS = { kind: "running", status: "running" } as const;
const EXITED = { kind: "failed", status: "exited", why: "it is exited", blame: "machine" } as const;

type Row = Partial<ListedInstance>;

/** The list shows these, and the service says of these ids that there is none. Without more it is the first machine's. */
function listed(fleet: FleetState, rows: Row[], { gone = [], at = NOW }: { gone?: number[]; at?: number } = {}) {
  const instances = rows.map((given): ListedInstance => {
    return { id: 701, machineNo: 1, verdict: LOADING, isSilent: false, address: {}, ...given };
  });
  const repositoryAlive = rows.length;
  reduce(fleet, { kind: "InstancesListed", askedAt: at, at, instances, gone, repositoryAlive, aheadMs: -3000 });
  return fleet;
}

/** The first machine's instance once the list showed it so, or said that there is none. */
function seen(machine: StoredMachine, given: Row | "gone", fleet: Partial<FleetState> = {}): StoredInstance {
  const before = aFleet([machine], fleet);
  const after = given === "gone" ? listed(before, [], { gone: [701] }) : listed(before, [given]);
  return only(after).instances[0] as StoredInstance;
}

test("the list is counted, with how many machines it shows; one of ours that is fresh counts though it lacks that", () => {
  const shown = listed(aFleet([booting(1)], { instancesAt: 0 }), [{}]);
  expect(shown).toMatchObject({ instancesAt: NOW, repositoryAlive: 1, aheadMs: -3000 });
  const fresh = aFleet([booting(1, { verdict: undefined, foundAt: ago(1) })]);
  expect(listed(fresh, [{ id: 5, machineNo: 9 }]).repositoryAlive).toBe(2);
});

const { askedAt } = booting(1);
const stopped = { how: "was stopped by the service", at: ago(300) } as const;
const SILENT = { brokenSince: 5, isSilent: true };
const destroying = starting(1, { lastRunningAt: ago(60), isDestroying: true });
const since5 = { runningAt: NOW, billedFrom: ago(5), lastRunningAt: NOW };

test.each<[string, StoredMachine, Row, Partial<StoredInstance>, Partial<FleetState>?]>([
  ["running: billed since the middle of two looks", booting(1), { verdict: RUNS }, since5, { instancesAt: ago(10) }],
  ["no proof that it runs while it is being destroyed", destroying, { verdict: RUNS }, { lastRunningAt: ago(60) }],
  ["exited, and silent before", booting(1, SILENT), { verdict: EXITED }, { brokenSince: NOW }],
  ["given back: its word of the end holds", busy(1, { stopped, isDestroying: true }), { verdict: RUNS }, { stopped }],
  ["stopped, and exited: the same", busy(1, { stopped }), { verdict: EXITED }, { stopped }],
  ["made between request and answer: it bills", booting(1), { startedAt: askedAt + 500 }, { createdAt: askedAt + 500 }],
  ["made before our request, as it says: not believed", booting(1), { startedAt: askedAt - 1 }, { createdAt: ago(60) }],
  ["turned up late: it bills since it was made", unmade(1, UNCERTAIN), { startedAt: ago(10) }, { createdAt: ago(10) }],
  ["the same, made before our request", unmade(1, UNCERTAIN), { startedAt: askedAt - SECOND }, { createdAt: askedAt }],
  ["the same, made after this list", unmade(1, UNCERTAIN), { startedAt: NOW + SECOND }, { createdAt: askedAt }],
])("a machine that is listed: %s", (_what, machine, row, expected, fleet) => {
  expect(seen(machine, row, fleet)).toMatchObject(expected);
});

test.each<[string, object, InstanceVerdict, number | undefined]>([
  ["exited, and unseen for more than 90 s: it may have run", {}, EXITED, ago(91)],
  ["the same, and seen before", { aliveAt: ago(90) }, EXITED, undefined],
  ["unseen for so long, and it still boots", {}, LOADING, undefined],
])("from when a machine is billed that a list shows as %s", (_what, given, verdict, billedFrom) => {
  expect(seen(booting(1, { createdAt: ago(91), ...given }), { verdict }).billedFrom).toBe(billedFrom);
});

test("the service's word that it outbid the machine holds until a list that is surely newer shows it running", () => {
  const outbid = { kind: "failed", status: "stopped", why: "outbid", blame: "machine", outbid: true } as const;
  const fleet = listed(aFleet([busy(1)]), [{ verdict: outbid }]);
  const runsAfter = (seconds: number) =>
    only(listed(fleet, [{ verdict: RUNS }], { at: ahead(seconds) })).instances[0]?.stopped;
  expect(runsAfter(90)).toEqual({ how: "was outbid", at: NOW });
  expect(runsAfter(91)).toBeUndefined();
});

test.each<[string, StoredMachine, Row, object]>([
  ["its price has risen", booting(1), { usdPerHour: 0.9 }, { price: { total: 0.9 } }],
  ["its price fell: not believed", booting(1), { usdPerHour: 0.1 }, { price: { total: 0.4 } }],
  ["it turned up late: its most is set aside from max-cost", unmade(1, UNCERTAIN), {}, { estimate: { most: 0.9 } }],
])("its record: %s", (_what, machine, row, expected) => {
  expect(recordsOf(listed(aFleet([machine]), [row]))).toMatchObject([expected]);
});

test("its traffic only grows", () => {
  const fleet = aFleet([booting(1)]);
  const traffic = (downGb: number) => only(listed(fleet, [{ traffic: { downGb, upGb: 0.5 } }])).instances[0]?.traffic;
  expect([2, 1, 3].map(traffic).map((each) => each?.downGb)).toEqual([2, 2, 3]);
});

describe("absence is proof only when the service says so by its id", () => {
  test.each([
    ["a minute", booting, MINUTE, undefined],
    ["not longer", booting, MINUTE + 1, NOW],
    ["busy", busy, 36 * SECOND, undefined],
  ])("a fresh one that no list showed may be unknown for a minute: %s", (_what, make, ms, expected) => {
    expect(seen(make(1, { verdict: undefined, foundAt: NOW - ms }), "gone").absentSince).toBe(expected);
  });

  test("for the bill it went in the middle between its last sign of life and the look that lacks it", () => {
    const fleet = listed(aFleet([ready(1)]), [{ verdict: RUNS }], { at: ago(20) });
    for (const at of [NOW, NOW + LOOK]) listed(fleet, [], { gone: [701], at });
    expect(recordsOf(fleet)).toMatchObject([{ at: { gone: ago(10) } }]);
  });
});

test("a second instance under one label is one more instance of that machine, written down in a row of its own", () => {
  const [machine] = listed(aFleet([ready(1)]), [{ verdict: RUNS }, { id: 801 }]).machines as [StoredMachine];
  expect(machine.ending).toBeUndefined();
  // Its runner may be online there: that is noted of one of them.
  const records = recordsOfMachine(machine);
  const rows = records.map(({ at, instanceId }, index) => [rowOf(machine, index), instanceId, at.online]);
  expect(rows.flat()).toEqual([...[1, 701, ago(10)], ...[1001, 801, undefined]]);
});

describe("a machine that counted as gone and is listed", () => {
  const lost = anEnding("lost", { since: 0 });
  const gone = (goneAt: number) => busy(1, { goneAt, goneHow: "was-gone", ending: lost });

  test("90 s later is there, and bills; it is not believed before, as lists lag", () => {
    const fleet = listed(aFleet([gone(ago(90))]), [{ verdict: RUNS }]);
    expect(fleet.machines[0]?.instances[0]).toMatchObject({ goneAt: undefined, goneHow: undefined });
    expect(recordsOf(fleet)).toMatchObject([{ instanceId: 701, isGone: undefined }]);
    expect(seen(gone(ago(89)), { verdict: RUNS }).goneAt).toBe(ago(89));
  });

  test("its job that was noted as lost still runs there: neither is lost any more", () => {
    const went = { machineNo: 1, instanceId: 701, went: "vanished", cutBy: undefined } as const;
    const lost = [{ id: 101, name: "test", url: undefined, ...went }];
    const fleet = aFleet([withSlot(gone(ago(90)), { spentAt: 0 })], { lost });
    decided(listed(fleet, [{ verdict: RUNS }]));
    expect(fleet).toMatchObject({ lost: [], machines: [{ ending: undefined }] });
    expect(fleet.machines[0]?.slots[0]?.spentAt).toBeUndefined();
  });

  test("a spare that was drained keeps its ending, though listed as exited: no failure, no exclusion, no attempt used", () => {
    const drained = { runner: "gone", spentAt: ago(90), isRemoved: true } as const;
    const spare = withSlot(ready(1, { ending: anEnding("unneeded"), goneAt: ago(90) }), drained);
    const fleet = decided(listed(aFleet([spare]), [{ verdict: EXITED }]));
    expect(only(fleet)).toMatchObject({ ending: { kind: "unneeded" }, instances: [{ isDestroying: true }] });
    expect([failuresOf(fleet), pausedOf(fleet, NOW).offers]).toEqual([[], []]);
  });
});
