import { describe, expect, test } from "vitest";
import { recordsOf } from "../../../src/fleet/recording/records.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import { failuresOf } from "../../../src/fleet/renting/failures.ts";
import { machineFacts } from "../../../src/fleet/stage.ts";
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

function only(fleet: FleetState): StoredMachine {
  const [machine] = fleet.machines;
  if (machine === undefined) throw new Error("No machine is left.");
  return machine;
}

function slotOf(machine: StoredMachine): RunnerSlot {
  const [slot] = machine.slots;
  if (slot === undefined) throw new Error("It has no slot.");
  return slot;
}

function listRunners(fleet: FleetState, runners: Record<string, RunnerState>, at = NOW): FleetState {
  reduce(fleet, { kind: "RunnersListed", askedAt: at, at, runners });
  return fleet;
}

function listJobs(fleet: FleetState, jobs: GpuJobs, at = NOW): FleetState {
  reduce(fleet, { kind: "JobsListed", askedAt: at, at, jobs });
  return fleet;
}

const afterRunner = (machine: StoredMachine, state: RunnerState, at = NOW) =>
  only(listRunners(aFleet([machine]), { 21: state }, at));
const afterJobs = (machine: StoredMachine, ours: GpuJob[], given: Partial<FleetState> = {}) =>
  listJobs(aFleet([machine], given), gpuJobs({}, { ours }));

const onIt = { runnerId: 21, runnerName: "gpu-4711-1-abcdef-1" };
const elsewhere = { runnerId: 22, runnerName: "gpu-4711-1-abcdef-2" };

describe("runners", () => {
  test("the list was read", () => {
    expect(listRunners(aFleet([], { runnersAt: 0 }), {}).runnersAt).toBe(NOW);
  });

  test.each([
    ["30 s and more: what holds by it counts from now", 30 * SECOND, NOW],
    ["less: a look or two that were lost change nothing", 30 * SECOND - 1, undefined],
  ])("the list can be read again, after %s", (_what, ago, readSince) => {
    const fleet = aFleet([ready(1)]);
    for (const at of [NOW - ago, NOW - 5 * SECOND]) reduce(fleet, { kind: "RunnersUnreadable", askedAt: at, at });
    const { runnersReadSince, runnersUnreadSince } = listRunners(fleet, {});
    expect({ runnersReadSince, runnersUnreadSince }).toEqual({
      runnersReadSince: readSince,
      runnersUnreadSince: undefined,
    });
  });

  test("busy: a job is on it, although no list shows it yet", () => {
    const machine = afterRunner(ready(1), "busy");
    expect(machineFacts(machine).stage).toBe("busy");
    expect(slotOf(machine).busySince).toBe(NOW);
    expect(slotOf(afterRunner(machine, "cut-off", NOW + SECOND)).busySince).toBe(NOW);
    expect(slotOf(afterRunner(machine, "online", NOW + SECOND)).busySince).toBeUndefined();
  });

  test("offline before it was online says nothing; after that it is away since then", () => {
    expect(slotOf(afterRunner(starting(1), "offline")).offlineSince).toBeUndefined();
    const away = afterRunner(ready(1), "offline");
    expect(slotOf(away).offlineSince).toBe(NOW);
    expect(slotOf(afterRunner(away, "offline", NOW + SECOND)).offlineSince).toBe(NOW);
    expect(slotOf(afterRunner(away, "gone", NOW + SECOND)).offlineSince).toBe(NOW);
    expect(slotOf(afterRunner(away, "online", NOW + SECOND)).offlineSince).toBeUndefined();
  });

  test.each<[string, () => StoredMachine]>([
    ["was online", () => ready(1)],
    ["had a job that is over", () => withSlot(spent(1), { spentAt: undefined })],
    ["was never online", () => starting(1)],
  ])("a 404 ends a slot when a look 15 s later says it, too, and its runner %s", (_name, machine) => {
    const missing = () => afterRunner(machine(), "gone");
    expect(slotOf(missing()).spentAt).toBeUndefined();
    expect(slotOf(afterRunner(missing(), "gone", NOW + 13 * SECOND)).spentAt).toBeUndefined();
    expect(slotOf(afterRunner(missing(), "gone", NOW + 15 * SECOND)).spentAt).toBe(NOW + 15 * SECOND);
    const back = afterRunner(missing(), "offline", NOW + SECOND);
    expect(slotOf(afterRunner(back, "gone", NOW + 15 * SECOND)).spentAt).toBeUndefined();
  });

  test("a 404 ends no slot whose job runs, as the list of jobs says: that list ends it", () => {
    const missing = (jobs: GpuJobs) => {
      const fleet = aFleet([busy(1)], { jobs });
      for (const at of [NOW, NOW + 15 * SECOND]) listRunners(fleet, { 21: "gone" }, at);
      return fleet;
    };
    const fleet = missing(gpuJobs({ running: 1 }));
    expect(machineFacts(only(fleet)).stage).toBe("busy");
    listJobs(fleet, gpuJobs({}, { ours: [gpuJob(101, "over", { runnerId: 21 })] }), NOW + 20 * SECOND);
    expect(slotOf(only(fleet)).spentAt).toBe(NOW + 20 * SECOND);
    expect(machineFacts(only(missing(gpuJobs({})))).stage).toBe("busy");
  });

  describe("a listener that ended without a job has burnt its configuration, which stays listed", () => {
    const next = nextSlot(1);
    const then = (machine: StoredMachine, first: RunnerState, second: RunnerState) =>
      only(listRunners(aFleet([withNext(machine)]), { 21: first, [next.runnerId]: second }));

    test("the next one is online: the machine is ready", () => {
      expect(machineFacts(then(starting(1), "offline", "online")).stage).toBe("ready");
    });

    test("the next one has a job: the machine is busy", () => {
      expect(machineFacts(then(ready(1), "offline", "busy")).stage).toBe("busy");
      const onNext = { runnerId: next.runnerId, runnerName: next.runnerName };
      expect(machineFacts(only(afterJobs(withNext(ready(1)), [gpuJob(101, "running", onNext)]))).stage).toBe("busy");
    });
  });

  test.each<[RunnerState, number | undefined]>([
    ["online", NOW - 30 * SECOND],
    ["busy", NOW - 30 * SECOND],
    ["offline", undefined],
    ["gone", undefined],
  ])("%s: a sign of life, which GitHub may show for 30 s after its end", (runner, aliveAt) => {
    expect(afterRunner(ready(1), runner).instances[0]?.aliveAt).toBe(aliveAt);
  });

  test("those that were not asked for are not judged", () => {
    expect(slotOf(only(listRunners(aFleet([ready(1)]), {}))).runner).toBe("online");
  });
});

describe("jobs", () => {
  test("over: the slot is spent since its end", () => {
    const fleet = afterJobs(busy(1), [gpuJob(101, "over", { ...onIt, completedAt: NOW - 5 * SECOND })]);
    expect(slotOf(only(fleet)).spentAt).toBe(NOW - 5 * SECOND);
    expect(machineFacts(only(fleet)).stage).toBe("over");
  });

  test.each<[string, StoredMachine, number | undefined]>([
    ["a sign of life", busy(1, { aliveAt: NOW - 400 * SECOND }), NOW - 5 * SECOND],
    ["noted after the service lacks it, too", busy(1, { absentSince: NOW }), NOW - 5 * SECOND],
    ["no sign after its runner went", withSlot(busy(1), { offlineSince: NOW - 9 * SECOND }), NOW - 9 * SECOND],
    ["no sign where the service lacked it before", busy(1, { absentSince: NOW - 6 * SECOND }), undefined],
    ["no later one than is known", busy(1, { aliveAt: NOW - SECOND }), NOW - SECOND],
  ])("its job's end is %s", (_what, machine, aliveAt) => {
    const fleet = afterJobs(machine, [gpuJob(101, "over", { ...onIt, completedAt: NOW - 5 * SECOND })]);
    expect(only(fleet).instances[0]?.aliveAt).toBe(aliveAt);
  });

  test("that it was away before its job came is no sign of what became of that job", () => {
    const away = withSlot(ready(1), { offlineSince: NOW - 60 * SECOND });
    expect(slotOf(only(afterJobs(away, [gpuJob(101, "running", onIt)]))).offlineSince).toBeUndefined();
    const cut = withSlot(busy(1), { offlineSince: NOW - 60 * SECOND });
    expect(slotOf(only(afterJobs(cut, [gpuJob(101, "running", onIt)]))).offlineSince).toBe(NOW - 60 * SECOND);
  });

  test("one that runs by a runner that seemed to be removed: its machine is busy", () => {
    const removed = withSlot(ready(1), { spentAt: NOW - 60 * SECOND });
    expect(machineFacts(only(afterJobs(removed, [gpuJob(101, "running", onIt)]))).stage).toBe("busy");
  });

  test("one that GitHub took back waits again: it is no longer on its machine", () => {
    const fleet = afterJobs(busy(1), [gpuJob(101, "waiting")]);
    expect(slotOf(only(fleet))).toMatchObject({ job: undefined, busySince: NOW });
    expect(slotOf(only(fleet)).spentAt).toBeUndefined();
    listRunners(fleet, { 21: "online" }, NOW + SECOND);
    expect(machineFacts(only(fleet)).stage).toBe("ready");
  });

  test("one that GitHub took back is no longer among those that its machine ran", () => {
    const jobs = (job: GpuJob) => recordsOf(afterJobs(busy(1), [job]))[0]?.jobs;
    expect(jobs(gpuJob(101, "running", onIt))).toMatchObject([{ name: "test 1" }]);
    expect(jobs(gpuJob(101, "waiting"))).toBeUndefined();
    expect(jobs(gpuJob(101, "running", elsewhere))).toBeUndefined();
  });

  test("one that runs on another machine by now is no longer on the one that it had", () => {
    expect(slotOf(only(afterJobs(busy(1), [gpuJob(101, "running", elsewhere)]))).job).toBeUndefined();
    // A list that names no runner says nothing of it.
    expect(slotOf(only(afterJobs(busy(1), [gpuJob(101, "running")]))).job?.id).toBe(101);
  });

  test("between two slots its machine is starting again", () => {
    expect(machineFacts(only(afterJobs(withNext(busy(1)), [gpuJob(101, "over", onIt)]))).stage).toBe("starting");
  });

  test.each([
    ["just before its job began", NOW - 30 * SECOND, NOW - 30 * SECOND],
    ["when its job was seen, where GitHub does not say when it began", undefined, NOW],
    ["not before it was created, whatever GitHub's clock says", NOW - 3_600_000, NOW - 60 * SECOND],
  ])("for the bill a machine that nobody saw online began to run %s", (_when, startedAt, running) => {
    const fleet = afterJobs(booting(1), [gpuJob(101, "running", { ...onIt, startedAt })]);
    expect(recordsOf(fleet)[0]?.at.running).toBe(running);
  });

  test("how it ended is kept with its slot", () => {
    const fleet = afterJobs(busy(1), [gpuJob(101, "over", { ...onIt, conclusion: "failure" })]);
    expect(slotOf(only(fleet)).job).toMatchObject({ isOver: true, isBad: true, conclusion: "failure" });
  });

  test("a list that can't be read is a fault since the first time; one that can be read ends it", () => {
    const fleet = aFleet([ready(1)]);
    for (const at of [NOW, NOW + SECOND]) reduce(fleet, { kind: "JobsUnreadable", askedAt: at, at, why: "403" });
    expect(fleet.jobsFault).toEqual({ since: NOW, why: "403" });
    expect(listJobs(fleet, gpuJobs({}), NOW + 2 * SECOND).jobsFault).toBeUndefined();
  });
});

describe("the count of failures begins anew", () => {
  const failed = (n: number) => booting(n, { ending: anEnding("failed", { since: NOW - 60 * SECOND }), goneAt: NOW });
  const left = (machine: StoredMachine, ours: GpuJob[], before: GpuJobs) => {
    const fleet = aFleet([machine, failed(7), failed(8)], { jobs: before });
    return failuresOf(listJobs(fleet, gpuJobs({}, { ours }))).map(({ machineNo }) => machineNo);
  };
  const ended = [gpuJob(101, "over", onIt)];

  test.each<[string, number[], StoredMachine, GpuJob[], GpuJobs]>([
    ["with a job that begins", [], starting(1), [gpuJob(101, "running", onIt)], gpuJobs({ waiting: 1 })],
    [
      "not with one that was cancelled before it had a machine",
      [7, 8],
      starting(1),
      [gpuJob(101, "over")],
      gpuJobs({ waiting: 1 }),
    ],
    [
      "not with the end of one that was seen to run: its begin did that",
      [7, 8],
      busy(1),
      ended,
      gpuJobs({ running: 1 }),
    ],
    ["with one that began and ended between two looks", [], ready(1), ended, gpuJobs({ waiting: 1 })],
  ])("%s: %j are left", (_what, expected, machine, ours, before) => {
    expect(left(machine, ours, before)).toEqual(expected);
  });

  test("one that failed after that counts", () => {
    const fleet = aFleet([failed(7), booting(8, { ending: anEnding("failed", { since: NOW + 1 }), goneAt: NOW })]);
    listJobs(fleet, gpuJobs({}, { ours: [gpuJob(101, "running")] }));
    expect(failuresOf(fleet).map(({ machineNo }) => machineNo)).toEqual([8]);
  });
});

describe("quiet", () => {
  const quiet = (ours: GpuJob[], othersOpen: GpuJobs["othersOpen"] = [], given: Partial<FleetState> = {}) => {
    const fleet = listJobs(aFleet([], given), gpuJobs({}, { ours, othersOpen }));
    return { alone: fleet.noOtherJobSince === NOW, held: fleet.heldSince === NOW };
  };

  test("nothing but ours is open, and none of ours waits or runs", () => {
    expect(quiet([gpuJob(101, "over")])).toEqual({ alone: true, held: false });
    expect(quiet([gpuJob(101, "waiting")]).alone).toBe(false);
    expect(quiet([gpuJob(101, "running")]).alone).toBe(false);
    expect(quiet([], [{ name: "lint", status: "queued", labels: [] }]).alone).toBe(false);
  });

  test("one that can have no runner of ours, or went with its machine, keeps nobody", () => {
    expect(quiet([gpuJob(101, "waiting", { otherLabels: ["self-hosted"] })]).alone).toBe(true);
    const went = { machineNo: 1, instanceId: 7, went: "vanished", cutBy: undefined } as const;
    const lost: LostJob[] = [{ id: 101, name: "", url: undefined, ...went }];
    expect(quiet([gpuJob(101, "running")], [], { lost }).alone).toBe(true);
  });

  test("one is held, and none waits or runs", () => {
    expect(quiet([gpuJob(101, "held")]).held).toBe(true);
    expect(quiet([gpuJob(101, "held"), gpuJob(102, "running")]).held).toBe(false);
  });

  test("one asks for a label one step from ours, and none of ours is open", () => {
    const mistyped = [{ ...gpuJob(102, "waiting"), label: "gpu-4711" }];
    const since = (ours: GpuJob[], given: Partial<FleetState> = {}) =>
      listJobs(aFleet([], given), gpuJobs({}, { ours, mistyped })).mistypedSince;
    expect(since([gpuJob(101, "over")])).toBe(NOW);
    expect(since([], { mistypedSince: 5 })).toBe(5);
    for (const state of ["waiting", "running", "held"] as const)
      expect(since([gpuJob(101, state)], { mistypedSince: 5 })).toBeUndefined();
    expect(listJobs(aFleet([], { mistypedSince: 5 }), gpuJobs({})).mistypedSince).toBeUndefined();
  });
});
