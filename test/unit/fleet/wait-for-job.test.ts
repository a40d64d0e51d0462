import { beforeEach, describe, expect, test } from "vitest";
import { HoldError } from "../../../src/fleet/holding-errors.ts";
import { type WaitForJobOptions, waitForJob } from "../../../src/fleet/wait-for-job.ts";
import { KnownError } from "../../../src/known-error.ts";
import { aJob, completedJob, runningJob, waitingJob } from "../support/a-job.ts";
import { HoldingWorld } from "../support/holding-world.ts";

let world: HoldingWorld;

beforeEach(() => {
  world = new HoldingWorld();
});

function waiting(options: Partial<WaitForJobOptions> = {}) {
  return world.clock.run(waitForJob(world, { hold: "auto", waitForJobMs: 1_800_000, ...options }));
}

test("a job waits: to be rented for, at once", async () => {
  world.jobs = [waitingJob()];
  expect(await waiting()).toEqual({ kind: "rent" });
  expect(world.clock.elapsed).toBe(0);
  expect(world.log.lines).toEqual([]);
});

test("a job comes while others are open: asks every 15 s, and says once that nothing is rented", async () => {
  world.jobs = [aJob()];
  world.at(50, () => {
    world.jobs = [aJob(), waitingJob()];
  });
  expect(await waiting()).toEqual({ kind: "rent" });
  expect(world.asked.jobs).toEqual([0, 15, 30, 45, 60]);
  expect(world.log.lines).toHaveLength(1);
  expect(world.log.lines[0]).toContain("nothing is rented");
});

test("a job that waits for an approval or a concurrency group is not rented for until it asks for a runner", async () => {
  world.jobs = [waitingJob({ status: "waiting" })];
  world.at(100, () => {
    world.jobs = [waitingJob({ status: "pending" })];
  });
  world.at(200, () => {
    world.jobs = [waitingJob()];
  });
  await waiting();
  expect(world.clock.elapsed).toBe(210_000);
});

test("nobody asks within wait-for-job: fails, and says what to do", async () => {
  world.jobs = [aJob()];
  await expect(waiting({ waitForJobMs: 100_000 })).rejects.toThrow(HoldError);
  expect(world.clock.elapsed).toBe(105_000);
});

test("the other jobs are over: ends after two looks", async () => {
  world.jobs = [aJob({ status: "completed", conclusion: "success" })];
  expect(await waiting()).toMatchObject({ kind: "end", warning: expect.stringContaining("nothing is rented") });
  expect(world.clock.elapsed).toBe(15_000);
});

test("the GPU job is already over: ends after two looks", async () => {
  world.jobs = [completedJob("cancelled")];
  expect(await waiting()).toMatchObject({ kind: "end", warning: expect.stringContaining("already over") });
  expect(world.clock.elapsed).toBe(15_000);
});

test("the list lags: a job that only the second look shows is rented for", async () => {
  world.jobs = [aJob({ status: "completed", conclusion: "success" })];
  world.at(5, () => {
    world.jobs = [aJob({ status: "completed", conclusion: "success" }), waitingJob()];
  });
  expect(await waiting()).toEqual({ kind: "rent" });
});

test("two jobs ask: fails after two looks, before anything is rented", async () => {
  world.jobs = [waitingJob(), waitingJob({ id: 3 })];
  await expect(waiting()).rejects.toThrow("2 jobs ask for 1 runner.");
  expect(world.clock.elapsed).toBe(15_000);
});

test("a job runs on a runner of ours that was lost: waits for its end", async () => {
  world.jobs = [runningJob()];
  world.at(300, () => {
    world.jobs = [completedJob("failure")];
  });
  expect(await waiting()).toMatchObject({ kind: "end" });
});

describe("wait-for-job 0s", () => {
  test("rents at once while others are open", async () => {
    world.jobs = [aJob()];
    expect(await waiting({ waitForJobMs: 0 })).toEqual({ kind: "rent" });
    expect(world.clock.elapsed).toBe(0);
  });

  test("one doubt does not fail it", async () => {
    world.jobs = undefined;
    world.at(20, () => {
      world.jobs = [aJob()];
    });
    expect(await waiting({ waitForJobMs: 0 })).toEqual({ kind: "rent" });
  });
});

describe("GitHub can't be asked", () => {
  beforeEach(() => {
    world.jobs = undefined;
  });

  test("rents nothing, and goes on when it can be asked again", async () => {
    world.at(1000, () => {
      world.jobs = [waitingJob()];
    });
    expect(await waiting()).toEqual({ kind: "rent" });
    expect(world.log.lines[0]).toContain("can't be read");
  });

  test("fails when wait-for-job is over", async () => {
    await expect(waiting({ waitForJobMs: 600_000 })).rejects.toThrow("could not be read");
    expect(world.clock.elapsed).toBe(600_000);
  });

  test("a token that may not read the jobs fails at once, before anything is rented", async () => {
    world.jobs = new KnownError("job-token may not read the jobs of this run.");
    await expect(waiting()).rejects.toThrow("job-token may not");
    expect(world.clock.elapsed).toBe(0);
  });
});

test("a cancel stops it at once", async () => {
  const reason = new Error("cancelled");
  world.jobs = [aJob()];
  world.at(7, () => world.cancel.abort(reason));
  await expect(waiting()).rejects.toBe(reason);
  expect(world.clock.elapsed).toBe(7000);
});
