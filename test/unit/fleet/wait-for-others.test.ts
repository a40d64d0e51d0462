import { beforeEach, describe, expect, test } from "vitest";
import { waitForOthers } from "../../../src/fleet/wait-for-others.ts";
import { KnownError } from "../../../src/known-error.ts";
import { aJob, completedJob, waitingJob } from "../support/a-job.ts";
import { HoldingWorld } from "../support/holding-world.ts";

let world: HoldingWorld;
let given: { rented: boolean; back: boolean; times: number; machine: boolean | undefined };

beforeEach(() => {
  world = new HoldingWorld();
  given = { rented: true, back: true, times: 0, machine: false };
});

function waiting(cancelRun: "auto" | "true" = "auto") {
  const giveBack = async () => {
    given.times += 1;
    given.rented = !given.back;
    return given.back;
  };
  const isRented = () => given.rented;
  const attemptHasMachine = async () => given.machine;
  const begunAt = world.clock.start - 60_000;
  return world.clock.run(waitForOthers(world, { cancelRun, begunAt, isRented, giveBack, attemptHasMachine }));
}

test("nothing else is open: the run is to be cancelled after a second look, and what is rented goes first", async () => {
  world.jobs = [waitingJob()];
  expect(await waiting()).toBe("cancel");
  expect(world.asked.jobs).toEqual([0, 15]);
  expect(given.times).toBe(1);
  expect(world.log.warnings).toEqual([
    "The GPU job waits for a machine that can't be had (https://job/2). Nothing is rented. The run will be cancelled.",
  ]);
});

test("other jobs are waited for; it is told once, and at once", async () => {
  world.jobs = [waitingJob(), aJob()];
  world.at(100, () => {
    world.jobs = [waitingJob(), aJob({ status: "completed", conclusion: "success" })];
  });
  expect(await waiting()).toBe("cancel");
  expect(world.clock.elapsed).toBe(120_000);
  expect(given.times).toBe(1);
  expect(world.log.warnings).toEqual([
    expect.stringContaining("when its 1 other open jobs are over, in 30m at the latest"),
  ]);
});

test("other jobs that don't end are waited for half an hour and no longer", async () => {
  world.jobs = [waitingJob(), aJob()];
  expect(await waiting()).toBe("cancel");
  expect(world.clock.elapsed).toBe(1_815_000);
});

test("true does not wait for them", async () => {
  world.jobs = [waitingJob(), aJob()];
  expect(await waiting("true")).toBe("cancel");
  expect(world.clock.elapsed).toBe(15_000);
});

test("a job that comes between the two looks keeps the run", async () => {
  world.jobs = [waitingJob()];
  world.at(10, () => {
    world.jobs = [waitingJob(), aJob()];
  });
  world.at(70, () => {
    world.jobs = [completedJob("cancelled"), aJob()];
  });
  expect(await waiting()).toBe("leave");
});

test("a GPU job whose needs are not met yet is waited for, too", async () => {
  world.jobs = [aJob()];
  world.at(50, () => {
    world.jobs = [waitingJob()];
  });
  expect(await waiting()).toBe("cancel");
  expect(world.clock.elapsed).toBe(75_000);
});

test("what can't be given back is post's: there is no time to wait", async () => {
  world.jobs = [waitingJob(), aJob()];
  given.back = false;
  expect(await waiting()).toBe("leave");
  expect(world.clock.elapsed).toBe(0);
  expect(world.log.warnings).toEqual([]);
});

test("what is rented goes before anything is waited for, even if no job of ours is seen yet", async () => {
  world.jobs = [aJob()];
  world.at(10, () => {
    world.jobs = [];
  });
  expect(await waiting()).toBe("leave");
  expect(given.times).toBe(1);
});

test("a machine that may have a job, for all that is known, is post's", async () => {
  world.jobs = undefined;
  expect(await waiting()).toBe("leave");
  expect(given.times).toBe(0);
  expect(world.clock.elapsed).toBe(0);
});

describe("another use of the same attempt waits, too", () => {
  const rivalsJobs = [
    aJob({ id: 60, name: "rent2" }),
    waitingJob({ id: 61, name: "test2", labels: ["gpu-4711-1-two"] }),
  ];

  test("and no machine lives for two minutes: nobody waits for nobody", async () => {
    world.jobs = [waitingJob(), ...rivalsJobs];
    expect(await waiting()).toBe("cancel");
    expect(world.clock.elapsed).toBe(135_000);
  });

  test.each([true, undefined])("but its machine may be there (%s): waits for it", async (machine) => {
    given.machine = machine;
    world.jobs = [waitingJob(), ...rivalsJobs];
    expect(await waiting()).toBe("cancel");
    expect(world.clock.elapsed).toBe(1_815_000);
  });
});

test("a list that can't be read decides nothing", async () => {
  given.rented = false;
  world.jobs = undefined;
  world.at(100, () => {
    world.jobs = [waitingJob()];
  });
  expect(await waiting()).toBe("cancel");
  expect(world.clock.elapsed).toBe(120_000);
});

test("a token that may not read it ends the wait", async () => {
  world.jobs = new KnownError("job-token may not read the jobs of this run.");
  await expect(waiting()).rejects.toThrow(KnownError);
});
