import { beforeEach, describe, expect, test } from "vitest";
import { completedJob, runningJob, waitingJob } from "../support/a-job.ts";
import { RentingWorld } from "../support/renting-world.ts";

let world: RentingWorld;

beforeEach(() => {
  world = new RentingWorld();
  world.jobs = [waitingJob()];
});

/** Seconds since the start at which the service was called so. */
const calls = (operation: Parameters<RentingWorld["service"]["of"]>[0]) =>
  world.service.of(operation).map(({ at }) => at);

/** The job gets the first machine after a minute, and is over at `over` seconds. */
function oneJob(over = 300): void {
  world.becomesReady(701, 60, 21);
  world.at(65, () => {
    world.jobs = [runningJob()];
    world.runners.states.set(21, "busy");
  });
  world.at(over, () => {
    world.jobs = [completedJob("success")];
    world.runners.states.set(21, "gone");
    world.service.instances.delete(701);
  });
}

/** Its answer comes after so long, and carries the create out. */
const slowly = (milliseconds: number) => async () => {
  await world.clock.sleep(milliseconds);
  return world.service.rent();
};

test("the story: a job waits, a machine is rented, it runs there, the machine gives itself back, and it ends", async () => {
  oneJob();
  expect((await world.run()).kind).toBe("over");
  expect(world.service.of("create")).toHaveLength(1);
  const pending = expect.stringMatching(/^pending_1=ghr1\.1\.4711-1\.abcdef\.1\.\d+$/);
  expect(world.written.slice(0, 3)).toEqual(["runner_1=21", pending, "created_1=701"]);
  expect(world.runners.removals).toEqual([]);
  // Its record is written down when it changes, and not else.
  const reports = world.written.filter((line) => line.startsWith("report_1"));
  expect(reports.length).toBeLessThan(12);
  expect([reports[0], reports.at(-1)]).toEqual(["report_1=701: created", "report_1=701: gave itself back"]);
});

test.each([300, 301.5, 303, 304.5])("main ends within 10 s of the last end, at %d s, listed 3 s late", async (over) => {
  oneJob(over);
  world.at(over, () => {
    world.jobs = [runningJob()];
  });
  world.at(over + 3, () => {
    world.jobs = [completedJob("success")];
  });
  await world.run();
  expect(world.clock.elapsed / 1000 - over).toBeLessThanOrEqual(10);
});

describe("effects run between the looks", () => {
  test("a create that takes long blocks no look: the list is read every 15 s", async () => {
    oneJob();
    world.service.next("create", slowly(40_000));
    await world.run();
    expect(calls("list").filter((at) => at > 0 && at < 40).length).toBeGreaterThanOrEqual(2);
  });

  test("the next create leaves as soon as the one before is over", async () => {
    world.jobs = [waitingJob(), waitingJob({ id: 3, name: "test 2" })];
    world.service.next("create", slowly(4000), slowly(4000));
    await world.runUntil(100, { machines: 2 });
    expect(calls("create")).toEqual([0, 4]);
  });
});

describe("the end", () => {
  test("a cancel lets a create that is under way answer, and writes down what came of it", async () => {
    world.service.next("create", slowly(3000));
    await world.runUntil(1);
    expect(world.written).toContain("created_1=701");
  });

  test("a cancel in the middle of a look: what that look had shown by then is written down", async () => {
    world.becomesReady(701, 30, 21);
    const { listJobs } = world.deps;
    world.deps.listJobs = async (signal) => {
      if (world.clock.elapsed >= 30_000) await world.clock.sleep(60_000, signal);
      return await listJobs(signal);
    };
    await world.runUntil(50);
    expect(world.written.at(-1)).toBe("report_1=701: ready");
  });

  test("a fault that no act may survive ends the loop with it", async () => {
    world.service.next("create", new TypeError("a bug of ours"));
    await expect(world.run()).rejects.toThrow("a bug of ours");
  });

  test.each([
    ["something else: logged", () => new TypeError("a bug of ours"), [expect.stringContaining("a bug of ours")]],
    ["the end itself: no news", () => world.cancel.signal.reason, []],
  ])("an effect that fails once the loop has ended, by %s", async (_what, fault, warnings) => {
    world.service.next("search", async () => {
      await world.clock.sleep(60_000);
      throw fault();
    });
    await world.runUntil(30);
    expect(world.log.warnings).toEqual(warnings);
  });
});

test.each([
  ["four times a minute, as it may have asked us to come later", undefined, 4],
  ["once a minute where it refuses the token: more would lock its owner out", 1, 1],
])("GitHub does not say whether a runner is online: it is asked %s", async (_how, refusedSince, most) => {
  world.at(20, () => {
    world.service.shows(701, { state: "running" });
    Object.assign(world.runners, { answers: false, refusedSince });
  });
  let before = 0;
  world.at(40, () => {
    before = world.runners.looks;
  });
  await world.runUntil(100);
  expect(world.runners.looks - before).toBeLessThanOrEqual(most);
});
