import { describe, expect, test } from "vitest";
import { recordsOf } from "../../../src/fleet/recording/records.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import { failuresOf } from "../../../src/fleet/renting/failures.ts";
import { machineFacts, type Stage } from "../../../src/fleet/stage.ts";
import type { FleetState, LostJob, RunnerSlot, StoredMachine } from "../../../src/fleet/state.ts";
import type { GpuJob, GpuJobs } from "../../../src/github/jobs.ts";
import type { RunnerState } from "../../../src/github/runners.ts";
import {
  aFleet,
  anEnding,
  booting,
  busy,
  gpuJob,
  gpuJobs,
  NOW,
  nextSlot,
  ready,
  spent,
  starting,
  withNext,
  withSlot,
} from "../support/a-fleet.ts";

const SECOND = 1000;
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

describe("runners", () => {
  test("the list was read; those that were not asked for are not judged", () => {
    const fleet = listRunners(aFleet([ready(1)], { runnersAt: 0 }), {});
    expect([fleet.runnersAt, slotOf(only(fleet)).runner]).toEqual([NOW, "online"]);
  });

  test.each([
    ["30 s and more: what holds by it counts from now", 30 * SECOND, NOW],
    ["less: a look or two that were lost change nothing", 30 * SECOND - 1, undefined],
  ])("the list can be read again, after %s", (_what, ms, runnersReadSince) => {
    const fleet = aFleet([ready(1)]);
    for (const at of [NOW - ms, ago(5)]) reduce(fleet, { kind: "RunnersUnreadable", askedAt: at, at });
    expect(listRunners(fleet, {})).toMatchObject({ runnersUnreadSince: undefined });
    expect(fleet.runnersReadSince).toBe(runnersReadSince);
  });

  const sinceOf = ({ busySince, offlineSince, wasBusy }: RunnerSlot) => ({ busySince, offlineSince, wasBusy });
  const later = (state: RunnerState): [RunnerState, number] => [state, ahead(1)];

  test.each<[string, StoredMachine, [RunnerState, number?][], Partial<RunnerSlot>]>([
    ["busy: a job is on it, although no list shows it yet", ready(1), [["busy"]], { busySince: NOW }],
    ["cut off with it", ready(1), [["busy"], later("cut-off")], { busySince: NOW }],
    ["free again", ready(1), [["busy"], later("online")], { busySince: undefined }],
    ["offline before it was online: that says nothing", starting(1), [["offline"]], { offlineSince: undefined }],
    ["offline after that: it is away", ready(1), [["offline"]], { offlineSince: NOW }],
    ["still away", ready(1), [["offline"], later("offline")], { offlineSince: NOW }],
    ["dropped while it was away", ready(1), [["offline"], later("gone")], { offlineSince: NOW }],
    ["back", ready(1), [["offline"], later("online")], { offlineSince: undefined, wasBusy: undefined }],
    ["away, and busy before", ready(1), [["busy"], later("offline")], { offlineSince: ahead(1), wasBusy: true }],
  ])("%s", (_what, machine, looks, expected) => {
    expect(sinceOf(afterRunner(machine, ...looks))).toMatchObject(expected);
  });

  test.each<[string, () => StoredMachine]>([
    ["was online", () => ready(1)],
    ["had a job that is over", () => withSlot(spent(1), { spentAt: undefined })],
    ["was never online", () => starting(1)],
  ])("a 404 ends a slot when a look 15 s later says it, too, and its runner %s", (_name, machine) => {
    const spentAfter = (...looks: [RunnerState, number?][]) => afterRunner(machine(), ["gone"], ...looks).spentAt;
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
    ["online", ago(30)],
    ["busy", ago(30)],
    ["offline", undefined],
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
    ["a sign of life", busy(1, { aliveAt: ago(400) }), ago(5)],
    ["noted after the service lacks it, too", busy(1, { absentSince: NOW }), ago(5)],
    ["no sign after its runner went", withSlot(busy(1), { offlineSince: ago(9) }), ago(9)],
    ["no sign where the service lacked it before", busy(1, { absentSince: ago(6) }), undefined],
    ["no later one than is known", busy(1, { aliveAt: ago(1) }), ago(1)],
  ])("its job's end is %s", (_what, machine, aliveAt) => {
    expect(only(afterJobs(machine, [overOnIt])).instances[0]?.aliveAt).toBe(aliveAt);
  });

  test.each<[string, StoredMachine, GpuJob, Partial<RunnerSlot>]>([
    ["it was away before", withSlot(ready(1), { offlineSince: ago(60) }), runsOnIt, { offlineSince: undefined }],
    ["its runner is away under it", withSlot(busy(1), { offlineSince: ago(60) }), runsOnIt, { offlineSince: ago(60) }],
    ["GitHub took it back", busy(1), gpuJob(101, "waiting"), { job: undefined, busySince: NOW }],
    ["it runs on another machine by now", busy(1), gpuJob(101, "running", elsewhere), { job: undefined }],
    ["a list that names no runner says nothing of that", busy(1), gpuJob(101, "running"), { job: slotOf(busy(1)).job }],
  ])("one of its slot: %s", (_what, machine, job, { job: ran, ...expected }) => {
    const slot = slotOf(only(afterJobs(machine, [job])));
    expect(slot).toMatchObject(expected);
    if (job !== runsOnIt) expect(slot.job?.id).toBe(ran?.id);
  });

  test.each<[string, FleetState, Stage]>([
    ["one by a runner that seemed removed", afterJobs(withSlot(ready(1), { spentAt: ago(60) }), [runsOnIt]), "busy"],
    ["one that GitHub took back", listRunners(afterJobs(busy(1), [gpuJob(101, "waiting")]), { 21: "online" }), "ready"],
    ["one that is over, and another slot is left", afterJobs(withNext(busy(1)), [overOnIt]), "starting"],
  ])("%s: its machine is %s", (_what, fleet, stage) => {
    expect(stageOf(fleet)).toBe(stage);
  });

  test.each([
    ["just before its job began", ago(30), ago(30)],
    ["when its job was seen, where GitHub does not say when it began", undefined, NOW],
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
    ["with a job that begins", [], starting(1), runsOnIt, waited],
    ["not with one that was cancelled before it had a machine", [7, 8], starting(1), gpuJob(101, "over"), waited],
    ["not with the end of one that was seen to run", [7, 8], busy(1), ended, gpuJobs({ running: 1 })],
    ["with one that began and ended between two looks", [], ready(1), ended, waited],
  ])("%s: %j are left", (_what, expected, machine, job, jobs) => {
    const fleet = aFleet([machine, failed(7), failed(8)], { jobs });
    listJobs(fleet, gpuJobs({}, { ours: [job] }));
    expect(failuresOf(fleet).map(({ machineNo }) => machineNo)).toEqual(expected);
  });

  test("one that failed after that counts", () => {
    const fleet = listJobs(aFleet([failed(7), failed(8, NOW + 1)]), gpuJobs({ running: 1 }));
    expect(failuresOf(fleet).map(({ machineNo }) => machineNo)).toEqual([8]);
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
    ["ours are over", { ours: [of("over")] }, {}, { noOtherJobSince: NOW, heldSince: undefined }],
    ["one waits", { ours: [of("waiting")] }, {}, { noOtherJobSince: undefined }],
    ["one runs", { ours: [of("running")] }, {}, { noOtherJobSince: undefined }],
    ["another one is open", { ours: [], ...others }, {}, { noOtherJobSince: undefined }],
    ["one can have no runner of ours", { ours: [more] }, {}, { noOtherJobSince: NOW }],
    ["one went with its machine", { ours: [of("running")] }, { lost }, { noOtherJobSince: NOW }],
    ["one is held", { ours: [of("held")] }, {}, { heldSince: NOW }],
    ["one is held, and another runs", { ours: [of("held"), of("running", 2)] }, {}, { heldSince: undefined }],
    ["a label is one step from ours", { ours: [of("over")], mistyped }, {}, { mistypedSince: NOW }],
    ["still", { ours: [], mistyped }, { mistypedSince: 5 }, { mistypedSince: 5 }],
    ["no more", { ours: [] }, { mistypedSince: 5 }, { mistypedSince: undefined }],
    ["one of ours waits", { ours: [of("waiting")], mistyped }, { mistypedSince: 5 }, { mistypedSince: undefined }],
    ["one of ours runs", { ours: [of("running")], mistyped }, { mistypedSince: 5 }, { mistypedSince: undefined }],
    ["one of ours is held", { ours: [of("held")], mistyped }, { mistypedSince: 5 }, { mistypedSince: undefined }],
  ])("%s", (_what, jobs, given, expected) => {
    const { heldSince, mistypedSince, noOtherJobSince } = listJobs(aFleet([], given), gpuJobs({}, jobs));
    expect({ heldSince, mistypedSince, noOtherJobSince }).toMatchObject(expected);
  });
});
