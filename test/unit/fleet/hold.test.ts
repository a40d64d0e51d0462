import { beforeEach, describe, expect, test } from "vitest";
import { type HoldOptions, hold } from "../../../src/fleet/hold.ts";
import { HoldError } from "../../../src/fleet/holding-errors.ts";
import { KnownError } from "../../../src/known-error.ts";
import { aJob, completedJob, runningJob, waitingJob } from "../support/a-job.ts";
import { HoldingWorld, mostPerHour } from "../support/holding-world.ts";

let world: HoldingWorld;

beforeEach(() => {
  world = new HoldingWorld();
});

function holding(options: Partial<HoldOptions> = {}) {
  return world.clock.run(hold(world, world, { hold: "auto", idleTimeoutMs: 300_000, ...options }));
}

describe("the GPU job comes, runs and ends", () => {
  test.each([
    ["success", []],
    ["failure", ["failure"]],
    ["cancelled", ["cancelled"]],
  ])("with %s", async (conclusion, bad) => {
    world.jobs = [waitingJob()];
    world.at(20, () => {
      world.jobs = [runningJob()];
    });
    world.at(200, () => {
      world.jobs = [completedJob(conclusion)];
      world.machine = "gone";
    });
    expect(await holding()).toMatchObject({ kind: "over", bad });
    expect(world.log.warnings).toEqual([]);
    expect(world.asked.removal).toEqual([]);
  });

  test("its end is seen at once when the machine gives itself back, not at the pace of a running job", async () => {
    world.jobs = [runningJob()];
    world.at(61, () => {
      world.jobs = [completedJob("success")];
      world.machine = "gone";
    });
    await holding();
    expect(world.asked.jobs).toEqual([0, 60, 75]);
  });
});

describe("how often it asks", () => {
  test("while a job runs, at most 60 times an hour of GitHub, and every 15 s of the service", async () => {
    world.jobs = [runningJob()];
    world.lifetimeMs = 10 * 3_600_000;
    world.at(3 * 3600, () => {
      world.jobs = [completedJob("success")];
    });
    await holding();
    expect(world.asked.runner).toEqual([]);
    expect(mostPerHour(world.asked.jobs)).toBe(60);
    expect(world.asked.machine.slice(0, 4)).toEqual([0, 15, 30, 45]);
  });

  test("while a job runs and the service can't be asked, not more often", async () => {
    world.jobs = [runningJob()];
    world.at(1, () => {
      world.machine = "unknown";
    });
    world.at(3600, () => {
      world.jobs = [completedJob("success")];
    });
    await holding();
    expect(mostPerHour(world.asked.jobs)).toBe(60);
  });

  test("while a job waits, every 15 s", async () => {
    world.jobs = [waitingJob()];
    world.at(50, () => {
      world.jobs = [completedJob("success")];
    });
    await holding();
    expect(world.asked.jobs).toEqual([0, 15, 30, 45, 60]);
    expect(world.asked.runner).toEqual([0, 15, 30, 45]);
  });
});

test("an outage of GitHub is asked about no more often than a running job: refused requests may count, too", async () => {
  world.jobs = [runningJob()];
  world.at(130, () => {
    world.jobs = undefined;
  });
  world.at(400, () => {
    world.jobs = [completedJob("success")];
  });
  await holding();
  expect(world.asked.jobs).toEqual([0, 60, 120, 180, 240, 300, 360, 420]);
});

describe("nobody comes", () => {
  beforeEach(() => {
    world.jobs = [aJob()];
  });

  test("after idle-timeout it deletes the runner and fails", async () => {
    await expect(holding()).rejects.toThrow("No job came to the machine within idle-timeout (5m).");
    expect(world.asked.removal).toEqual([300]);
  });

  test("422: the job came, and it holds on until that is over", async () => {
    world.removal = "busy";
    world.at(310, () => {
      world.jobs = [aJob(), runningJob()];
    });
    world.at(500, () => {
      world.jobs = [aJob(), completedJob("success")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: [] });
    expect(world.asked.removal).toEqual([300]);
  });

  test("GitHub can't be asked to delete it: a job may be on it, so it holds on, and asks again", async () => {
    world.removal = "unknown";
    world.at(340, () => {
      world.removal = "removed";
    });
    await expect(holding()).rejects.toBeInstanceOf(HoldError);
    expect(world.asked.removal).toEqual([300, 315, 330, 345]);
  });

  test("idle-timeout counts from the last time that one of ours was there", async () => {
    world.at(200, () => {
      world.jobs = [aJob(), waitingJob()];
    });
    world.at(250, () => {
      world.jobs = [aJob()];
    });
    await expect(holding()).rejects.toBeInstanceOf(HoldError);
    expect(world.asked.removal).toEqual([540]);
  });

  test("an unreadable list is no evidence that nobody came", async () => {
    world.jobs = undefined;
    world.at(1000, () => {
      world.jobs = [aJob(), runningJob()];
    });
    world.at(1100, () => {
      world.jobs = [aJob(), completedJob("success")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: [] });
    expect(world.asked.removal).toEqual([]);
  });
});

describe("no GPU job", () => {
  test("no other job at all, auto: goes on at once", async () => {
    expect(await holding()).toEqual({ kind: "return" });
    expect(world.clock.elapsed).toBe(0);
  });

  test("every other job completed: ends after two looks, 15 s apart", async () => {
    world.jobs = [aJob({ status: "completed", conclusion: "success" })];
    expect(await holding()).toMatchObject({ kind: "no-job", warning: expect.stringContaining("No job in this run") });
    expect(world.clock.elapsed).toBe(15_000);
  });

  test("the list lags: what one look misses and the next shows has no consequence", async () => {
    world.jobs = [aJob({ status: "completed", conclusion: "success" })];
    world.at(10, () => {
      world.jobs = [waitingJob()];
    });
    world.at(100, () => {
      world.jobs = [completedJob("success")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: [] });
  });
});

describe("more jobs than runners", () => {
  test("none in progress: fails after two looks, 15 s apart", async () => {
    world.jobs = [waitingJob(), waitingJob({ id: 3 })];
    await expect(holding()).rejects.toThrow("2 jobs ask for 1 runner.");
    expect(world.asked.jobs).toEqual([0, 15]);
  });

  test("a list that shows a job twice for a moment fails nobody", async () => {
    world.jobs = [waitingJob(), waitingJob({ id: 3 })];
    world.at(10, () => {
      world.jobs = [runningJob()];
    });
    world.at(100, () => {
      world.jobs = [completedJob("success")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: [] });
  });

  test("one in progress: warns once, and fails with that sentence when the running one is over", async () => {
    world.jobs = [runningJob(), waitingJob({ id: 3 })];
    world.at(600, () => {
      world.jobs = [completedJob("success"), waitingJob({ id: 3 })];
    });
    await expect(holding()).rejects.toThrow("2 jobs ask for 1 runner.");
    expect(world.clock.elapsed).toBeGreaterThanOrEqual(600_000);
    expect(world.log.warnings).toHaveLength(1);
    expect(world.log.warnings[0]).toContain("2 jobs ask for 1 runner.");
    expect(world.asked.removal).toEqual([]);
  });
});

describe("the machine is lost while the job runs on it", () => {
  beforeEach(() => {
    world.jobs = [runningJob()];
    world.at(95, () => {
      world.machine = "gone";
    });
  });

  test("in progress for 60 s more, on two looks: fails, lost", async () => {
    await expect(holding()).rejects.toThrow("The machine was lost while the GPU job ran on it");
    expect(world.clock.elapsed).toBe(180_000);
    expect(world.asked.jobs.filter((at) => at > 95)).toEqual([105, 165, 180]);
    expect(world.asked.removal).toEqual([]);
  });

  test("it completed in that time: the machine gave itself back", async () => {
    world.at(150, () => {
      world.jobs = [completedJob("success")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: [] });
  });

  test("a list that could not be read when it went is read anew before anything is called lost", async () => {
    world.at(100, () => {
      world.jobs = undefined;
    });
    world.at(110, () => {
      world.jobs = [runningJob()];
    });
    world.at(140, () => {
      world.jobs = [completedJob("success")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: [] });
  });

  test("it comes back within the minute: nothing was lost, and the minute begins anew the next time", async () => {
    world.at(140, () => {
      world.machine = "alive";
    });
    world.at(170, () => {
      world.machine = "gone";
    });
    world.at(220, () => {
      world.jobs = [completedJob("success")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: [] });
  });

  test("a service that can't be asked meanwhile does not bring it back", async () => {
    world.at(110, () => {
      world.machine = "unknown";
    });
    await expect(holding()).rejects.toThrow("The machine was lost");
    expect(world.clock.elapsed).toBe(180_000);
  });

  test("an unreadable list says nothing about the job: it holds on until it can be read", async () => {
    world.at(100, () => {
      world.jobs = undefined;
    });
    world.at(1000, () => {
      world.jobs = [completedJob("failure")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: ["failure"] });
  });
});

describe("the machine is lost while the job waits", () => {
  beforeEach(() => {
    world.jobs = [waitingJob()];
    world.machine = "gone";
  });

  test("two looks and a runner that nobody can use any more: another one is to be rented", async () => {
    expect(await holding()).toEqual({ kind: "lost", why: "the machine was lost" });
    expect(world.asked.removal).toEqual([15]);
  });

  test("422: the job is on it after all; it holds on", async () => {
    world.removal = "busy";
    world.at(20, () => {
      world.jobs = [completedJob("success")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: [] });
  });

  test("GitHub can't be asked to delete the runner: rents nothing until it can", async () => {
    world.removal = "unknown";
    world.at(70, () => {
      world.removal = "removed";
    });
    expect(await holding()).toMatchObject({ kind: "lost" });
    expect(world.asked.removal).toEqual([15, 30, 45, 60, 75]);
  });

  test("a service that can't be asked is no evidence that it is gone", async () => {
    world.machine = "unknown";
    world.at(600, () => {
      world.jobs = [completedJob("success")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: [] });
    expect(world.asked.removal).toEqual([]);
  });

  test("one look is not enough: it is back at the second", async () => {
    world.at(10, () => {
      world.machine = "alive";
    });
    world.at(100, () => {
      world.jobs = [completedJob("success")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: [] });
    expect(world.asked.removal).toEqual([]);
  });

  test("none of ours is there: begins as if nothing were rented", async () => {
    world.jobs = [aJob()];
    expect(await holding()).toMatchObject({ kind: "lost" });
  });
});

describe("the runner is dropped while the job waits", () => {
  beforeEach(() => {
    world.jobs = [waitingJob()];
  });

  test("GitHub does not know it any more: another one is to be rented", async () => {
    world.runnerStatus = "gone";
    expect(await holding()).toEqual({ kind: "lost", why: "GitHub dropped its runner" });
  });

  test("offline for two minutes: another one is to be rented", async () => {
    world.runnerStatus = "offline";
    expect(await holding()).toEqual({ kind: "lost", why: "GitHub dropped its runner" });
    expect(world.clock.elapsed).toBe(135_000);
  });

  test("offline for a minute, and back: holds on", async () => {
    world.runnerStatus = "offline";
    world.at(61, () => {
      world.runnerStatus = "online";
    });
    world.at(121, () => {
      world.runnerStatus = "offline";
    });
    world.at(200, () => {
      world.jobs = [completedJob("success")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: [] });
  });

  test("a runner that can't be asked for is not dropped", async () => {
    world.runnerStatus = "unknown";
    world.at(600, () => {
      world.jobs = [completedJob("success")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: [] });
  });

  test("it was dropped because it has the job: the list says so at the next look", async () => {
    world.runnerStatus = "gone";
    world.at(10, () => {
      world.jobs = [runningJob()];
    });
    world.at(600, () => {
      world.jobs = [completedJob("success")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: [] });
    expect(world.asked.removal).toEqual([]);
  });
});

describe("max-lifetime is over", () => {
  beforeEach(() => {
    world.lifetimeMs = 600_000;
  });

  test("while a job runs: fails", async () => {
    world.jobs = [runningJob()];
    await expect(holding()).rejects.toThrow("max-lifetime is over");
    expect(world.clock.elapsed).toBe(600_000);
  });

  test("while nothing can be read: fails, and does not wait for ever", async () => {
    world.jobs = undefined;
    world.machine = "unknown";
    await expect(holding()).rejects.toThrow("max-lifetime is over");
  });
});

describe("faults on the way", () => {
  test("a token that may not read the jobs any more takes no machine away, and is told once", async () => {
    world.jobs = [runningJob()];
    world.at(50, () => {
      world.jobs = new KnownError("job-token may not read the jobs of this run.");
    });
    world.at(900, () => {
      world.jobs = [completedJob("success")];
    });
    expect(await holding()).toMatchObject({ kind: "over", bad: [] });
    expect(world.log.warnings).toEqual(["job-token may not read the jobs of this run."]);
  });

  test("a bug is not swallowed", async () => {
    world.jobs = new TypeError("a bug");
    await expect(holding()).rejects.toThrow("a bug");
  });

  test("a cancel stops it at once", async () => {
    const reason = new Error("cancelled");
    world.jobs = [runningJob()];
    world.at(62, () => world.cancel.abort(reason));
    await expect(holding()).rejects.toBe(reason);
    expect(world.clock.elapsed).toBe(62_000);
  });
});

test("tells each change of state once", async () => {
  world.jobs = [waitingJob()];
  world.at(20, () => {
    world.jobs = [runningJob()];
  });
  world.at(3000, () => {
    world.jobs = [completedJob("success")];
  });
  await holding();
  expect(world.log.lines).toEqual([
    "GPU job: 1 waiting, 0 running, 0 over. Machine: alive. https://job/2",
    "GPU job: 0 waiting, 1 running, 0 over. Machine: alive. https://job/2",
    "GPU job: 0 waiting, 0 running, 1 over. Machine: alive. https://job/2",
  ]);
});
