import { describe, expect, test } from "vitest";
import type { MachineRecord } from "../../../src/create/machine-record.ts";
import { noteJobs, noteRunners, noteTime } from "../../../src/fleet/observe/note-github.ts";
import { stageOf } from "../../../src/fleet/stage.ts";
import type { Machine } from "../../../src/fleet/state/machine.ts";
import type { Fleet } from "../../../src/fleet/state.ts";
import type { GpuJob } from "../../../src/github/jobs.ts";
import type { RunnerState } from "../../../src/github/runners.ts";
import { aFleet, booting, busy, gpuJob, gpuJobs, NOW, nextUse, ready, spent, starting } from "../support/a-fleet.ts";

const SECOND = 1000;

function only(fleet: Fleet): Machine {
  const [machine] = fleet.machines;
  if (machine === undefined) throw new Error("No machine is left.");
  return machine;
}

function afterRunner(machine: Machine, state: RunnerState, at = NOW): Machine {
  const fleet = aFleet([machine]);
  noteRunners(fleet, new Map([[21, state]]), at);
  return only(fleet);
}

const withoutSpent = (machine: Machine): Machine => ({
  ...machine,
  uses: machine.uses.map((use) => ({ ...use, spentAt: undefined })),
});

function afterJobs(machine: Machine, ours: GpuJob[], given: Partial<Fleet> = {}): Fleet {
  const fleet = aFleet([machine], given);
  noteJobs(fleet, { ours, others: 1, othersOpen: [] }, NOW);
  return fleet;
}

describe("runners", () => {
  test("online: ready, and running whatever the service says", () => {
    const machine = afterRunner(starting(1, { runningAt: undefined }), "online");
    expect(stageOf(machine)).toBe("ready");
    expect(machine).toMatchObject({ readyAt: NOW, runningAt: NOW });
  });

  test("busy: a job is on it, although no list shows it yet", () => {
    const machine = afterRunner(ready(1), "busy");
    expect(stageOf(machine)).toBe("busy");
    expect(machine.uses[0]?.busySince).toBe(NOW);
    expect(afterRunner(machine, "cut-off", NOW + SECOND).uses[0]?.busySince).toBe(NOW);
    expect(afterRunner(machine, "online", NOW + SECOND).uses[0]?.busySince).toBeUndefined();
  });

  test("offline before it was online says nothing; after that it is away since then", () => {
    expect(afterRunner(starting(1), "offline").uses[0]?.offlineSince).toBeUndefined();
    const away = afterRunner(ready(1), "offline");
    expect(away.uses[0]?.offlineSince).toBe(NOW);
    expect(afterRunner(away, "offline", NOW + SECOND).uses[0]?.offlineSince).toBe(NOW);
    expect(afterRunner(away, "gone", NOW + SECOND).uses[0]?.offlineSince).toBe(NOW);
    expect(afterRunner(away, "online", NOW + SECOND).uses[0]?.offlineSince).toBeUndefined();
  });

  test.each([
    ["was online", ready],
    ["had a job that is over", (n: number) => withoutSpent(spent(n))],
    ["was never online", starting],
  ])("a 404 ends a use when a look 15 s later says it, too, and its runner %s", (_name, machine) => {
    const missing = () => afterRunner(machine(1), "gone");
    expect(missing().uses[0]?.spentAt).toBeUndefined();
    expect(afterRunner(missing(), "gone", NOW + 13 * SECOND).uses[0]?.spentAt).toBeUndefined();
    expect(afterRunner(missing(), "gone", NOW + 15 * SECOND).uses[0]?.spentAt).toBe(NOW + 15 * SECOND);
    const back = afterRunner(missing(), "offline", NOW + SECOND);
    expect(afterRunner(back, "gone", NOW + 15 * SECOND).uses[0]?.spentAt).toBeUndefined();
  });

  test("a 404 ends no use whose job runs, as the list of jobs says: that list ends it", () => {
    const missing = (jobs?: Fleet["jobs"]) => {
      const fleet = aFleet([busy(1)], { jobs });
      for (const at of [NOW, NOW + 15 * SECOND]) noteRunners(fleet, new Map([[21, "gone"]]), at);
      return fleet;
    };
    const fleet = missing(gpuJobs({ running: 1 }));
    expect(stageOf(only(fleet))).toBe("busy");
    noteJobs(fleet, gpuJobs({}, { ours: [gpuJob(101, "over", { runnerId: 21 })] }), NOW + 20 * SECOND);
    expect(only(fleet).uses[0]?.spentAt).toBe(NOW + 20 * SECOND);
    expect(stageOf(only(missing(gpuJobs({}))))).toBe("busy");
  });

  describe("a listener that ended without a job has burnt its configuration, which stays listed", () => {
    const two = (machine: Machine): Machine => ({ ...machine, uses: [...machine.uses, nextUse(1)] });
    const then = (machine: Machine, first: RunnerState, second: RunnerState) => {
      const fleet = aFleet([machine]);
      const both = new Map([
        [21, first],
        [nextUse(1).runnerId, second],
      ]);
      noteRunners(fleet, both, NOW);
      return only(fleet);
    };

    test("the next one is online: the machine is ready", () => {
      expect(stageOf(then(two(starting(1)), "offline", "online"))).toBe("ready");
    });

    test("the next one has a job: the machine is busy", () => {
      expect(stageOf(then(two(ready(1)), "offline", "busy"))).toBe("busy");
      const onNext = { runnerId: nextUse(1).runnerId, runnerName: nextUse(1).runnerName };
      expect(stageOf(only(afterJobs(two(ready(1)), [gpuJob(101, "running", onNext)])))).toBe("busy");
    });

    test("one that has a job has burnt nothing", () => {
      expect(then(two(busy(1)), "cut-off", "online").uses[0]?.spentAt).toBeUndefined();
    });

    test("one that is only offline has burnt nothing yet", () => {
      expect(then(two(ready(1)), "offline", "offline").uses[0]?.spentAt).toBeUndefined();
    });
  });

  test("those that were not asked for are not judged", () => {
    const fleet = aFleet([ready(1)]);
    noteRunners(fleet, new Map(), NOW);
    expect(only(fleet).uses[0]?.runner).toBe("online");
  });

  test("the numbers of those that became ready are told", () => {
    const fleet = aFleet([starting(1), ready(2)]);
    const both = new Map<number, RunnerState>([
      [21, "online"],
      [22, "online"],
    ]);
    expect(noteRunners(fleet, both, NOW)).toEqual([1]);
  });
});

describe("jobs", () => {
  const onIt = { runnerId: 21, runnerName: "gpu-4711-1-abcdef-1" };

  test("one that runs on a runner of ours makes its machine busy, and known to have been online", () => {
    const fleet = afterJobs(starting(1), [gpuJob(101, "running", onIt)]);
    expect(stageOf(only(fleet))).toBe("busy");
    expect(only(fleet).readyAt).toBe(NOW);
  });

  test("it is known by its runner's name, too", () => {
    const fleet = afterJobs(starting(1), [gpuJob(101, "running", { runnerName: onIt.runnerName })]);
    expect(stageOf(only(fleet))).toBe("busy");
  });

  test("over: the use is spent since its end", () => {
    const fleet = afterJobs(busy(1), [gpuJob(101, "over", { ...onIt, completedAt: NOW - 5 * SECOND })]);
    expect(only(fleet).uses[0]?.spentAt).toBe(NOW - 5 * SECOND);
    expect(stageOf(only(fleet))).toBe("over");
  });

  test("one that GitHub took back waits again: it is no longer on its machine", () => {
    const fleet = afterJobs(busy(1), [gpuJob(101, "waiting")]);
    expect(only(fleet).uses[0]?.job).toBeUndefined();
    expect(only(fleet).uses[0]?.spentAt).toBeUndefined();
    expect(only(fleet).uses[0]?.busySince).toBe(NOW);
    noteRunners(fleet, new Map([[21, "online"]]), NOW + SECOND);
    expect(stageOf(only(fleet))).toBe("ready");
  });

  test("one that GitHub took back is no longer among those that its machine ran", () => {
    const report = { at: { asked: 0 }, jobs: [{ name: "test" }], last: "ready" } as unknown as MachineRecord;
    const [waiting, elsewhere] = [
      gpuJob(101, "waiting"),
      gpuJob(101, "running", { runnerId: 22, runnerName: "gpu-4711-1-abcdef-2" }),
    ];
    for (const job of [waiting, elsewhere]) {
      const fleet = aFleet([busy(1, { report: structuredClone(report) })]);
      expect(noteJobs(fleet, { ours: [job], others: 1, othersOpen: [] }, NOW)).toEqual([1]);
      expect(only(fleet).report?.jobs).toBeUndefined();
    }
  });

  test("one that runs on another machine by now is no longer on the one that it had", () => {
    const elsewhere = { runnerId: 22, runnerName: "gpu-4711-1-abcdef-2" };
    expect(only(afterJobs(busy(1), [gpuJob(101, "running", elsewhere)])).uses[0]?.job).toBeUndefined();
    // A list that names no runner says nothing of it.
    expect(only(afterJobs(busy(1), [gpuJob(101, "running")])).uses[0]?.job?.id).toBe(101);
  });

  test.each([
    ["did well after all", gpuJob(101, "over"), 0],
    ["ended badly", gpuJob(101, "over", { conclusion: "failure" }), 1],
    ["still seems to run there", gpuJob(101, "running", onIt), 1],
    ["waits for another machine", gpuJob(101, "waiting"), 0],
    ["runs on another machine", gpuJob(101, "running", { runnerId: 22, runnerName: "gpu-4711-1-abcdef-2" }), 0],
  ])("one that counted as lost and %s: %j, %i lost", (_, job, count) => {
    const went = { instanceId: 701, went: "vanished", cutBy: undefined } as const;
    const fleet = aFleet([busy(1)], { lost: [{ id: 101, name: "test 1", url: undefined, n: 1, ...went }] });
    noteJobs(fleet, { ours: [job], others: 0, othersOpen: [] }, NOW);
    expect(fleet.lost).toHaveLength(count);
  });

  test("between two uses its machine is starting again", () => {
    const two = busy(1, { uses: [...busy(1).uses, nextUse(1)] });
    expect(stageOf(only(afterJobs(two, [gpuJob(101, "over", onIt)])))).toBe("starting");
  });

  test.each([
    ["just before its job began", NOW - 30 * SECOND, NOW - 30 * SECOND],
    ["when its job was seen, where GitHub does not say when it began", undefined, NOW],
    ["not before it was created, whatever GitHub's clock says", NOW - 3_600_000, NOW - 60 * SECOND],
  ])("for the bill a machine that nobody saw online began to run %s", (_when, startedAt, running) => {
    const machine = booting(1);
    const at = { asked: NOW - 61 * SECOND, created: NOW - 60 * SECOND };
    const report = { ...machine.terms, instanceId: 701, at, last: "created" };
    const fleet = afterJobs({ ...machine, report }, [gpuJob(101, "running", { ...onIt, startedAt })]);
    expect(only(fleet).report?.at.running).toBe(running);
  });

  test("whether it did well is kept with its use", () => {
    const fleet = afterJobs(busy(1), [gpuJob(101, "over", { ...onIt, conclusion: "failure" })]);
    expect(only(fleet).uses[0]?.job?.isBad).toBe(true);
  });

  test("a job that begins starts the count of failures anew, and the time beside ready machines", () => {
    const before = { jobs: gpuJobs({ waiting: 1 }), failedSinceJob: [7, 8], besideReady: { sumMs: 9000, at: NOW } };
    const fleet = afterJobs(starting(1), [gpuJob(101, "running", onIt)], before);
    expect(fleet).toMatchObject({ failedSinceJob: [], besideReady: { sumMs: 0 } });
  });

  test("a job that was cancelled before it had a machine says nothing of machines", () => {
    const before = { jobs: gpuJobs({ waiting: 1 }), failedSinceJob: [7, 8] };
    expect(afterJobs(starting(1), [gpuJob(101, "over")], before).failedSinceJob).toEqual([7, 8]);
  });

  test("nor does the end of one that was seen to run: its begin did", () => {
    const ended = [gpuJob(101, "over", onIt)];
    const running = { jobs: gpuJobs({ running: 1 }), failedSinceJob: [7, 8] };
    expect(afterJobs(busy(1), ended, running).failedSinceJob).toEqual([7, 8]);
    // It began and ended between two looks.
    const waiting = { ...running, jobs: gpuJobs({ waiting: 1 }), failedSinceJob: [7, 8] };
    expect(afterJobs(ready(1), ended, waiting).failedSinceJob).toEqual([]);
  });

  test("each job of ours that ends frees one that was held back", () => {
    const fleet = afterJobs(busy(1), [gpuJob(101, "over", onIt)], { jobs: gpuJobs({ running: 1 }), heldBack: 2 });
    expect(fleet).toMatchObject({ heldBack: 1, lastEndAt: NOW });
  });

  test("a list that can be read again ends the fault", () => {
    expect(afterJobs(ready(1), [], { jobsFault: { since: 0, why: "" } }).jobsFault).toBeUndefined();
  });
});

describe("quiet", () => {
  const quiet = (ours: GpuJob[], othersOpen: { name: string; status: string; labels: string[] }[] = [], given = {}) => {
    const fleet = aFleet([], given);
    noteJobs(fleet, { ours, others: 1, othersOpen }, NOW);
    return { alone: fleet.aloneSince === NOW, held: fleet.heldSince === NOW };
  };

  test("nothing but ours is open, and none of ours waits or runs", () => {
    expect(quiet([gpuJob(101, "over")])).toEqual({ alone: true, held: false });
    expect(quiet([gpuJob(101, "waiting")]).alone).toBe(false);
    expect(quiet([gpuJob(101, "running")]).alone).toBe(false);
    expect(quiet([], [{ name: "lint", status: "queued", labels: [] }]).alone).toBe(false);
  });

  test("one that can have no runner of ours, or went with its machine, keeps nobody", () => {
    expect(quiet([gpuJob(101, "waiting", { otherLabels: ["self-hosted"] })]).alone).toBe(true);
    const lost = [{ id: 101, name: "", url: undefined, n: 1, instanceId: 7, went: "vanished", cutBy: undefined }];
    expect(quiet([gpuJob(101, "running")], [], { lost }).alone).toBe(true);
  });

  test("one is held, and none waits or runs", () => {
    expect(quiet([gpuJob(101, "held")]).held).toBe(true);
    expect(quiet([gpuJob(101, "held"), gpuJob(102, "running")]).held).toBe(false);
  });
});

describe("time beside ready machines", () => {
  const beside = (machines: Machine[], given: Partial<Fleet>) => {
    const fleet = aFleet(machines, { besideReady: { sumMs: 5000, at: NOW - 2000 }, ...given });
    noteTime(fleet, NOW);
    return fleet.besideReady.sumMs;
  };

  test("grows while a job waits beside a machine that is ready", () => {
    expect(beside([ready(1)], { jobs: gpuJobs({ waiting: 1 }) })).toBe(7000);
  });

  test("stands still otherwise", () => {
    expect(beside([starting(1)], { jobs: gpuJobs({ waiting: 1 }) })).toBe(5000);
    expect(beside([ready(1)], { jobs: gpuJobs({ running: 1 }) })).toBe(5000);
    expect(beside([ready(1)], { jobs: gpuJobs({ waiting: 1 }), jobsFault: { since: 0, why: "" } })).toBe(5000);
    const other = gpuJob(101, "waiting", { otherLabels: ["self-hosted"] });
    expect(beside([ready(1)], { jobs: gpuJobs({}, { ours: [other] }) })).toBe(5000);
  });

  test("stands still when all that wait are held back already", () => {
    expect(beside([ready(1)], { jobs: gpuJobs({ waiting: 2, running: 1 }), heldBack: 2 })).toBe(5000);
    expect(beside([ready(1)], { jobs: gpuJobs({ waiting: 2, running: 1 }), heldBack: 1 })).toBe(7000);
  });

  test("ready-timeout stands still while a machine is ready or busy", () => {
    for (const machine of [ready(1), busy(1)]) {
      const fleet = aFleet([machine], { unservedSince: 0 });
      noteTime(fleet, NOW);
      expect(fleet.unservedSince).toBeUndefined();
    }
    const fleet = aFleet([spent(1)], { unservedSince: 0 });
    noteTime(fleet, NOW);
    expect(fleet.unservedSince).toBe(0);
  });
});
