import { beforeEach, describe, expect, test } from "vitest";
import { runFleet } from "../../../src/fleet/loop.ts";
import { someOptions } from "../support/a-fleet.ts";
import { completedJob, runningJob, waitingJob } from "../support/a-job.ts";
import { anOfferAt, RentingWorld } from "../support/renting-world.ts";

let world: RentingWorld;

beforeEach(() => {
  world = new RentingWorld();
});

/** Seconds since the start at which the service was called so. */
const calls = (operation: Parameters<RentingWorld["service"]["of"]>[0]) =>
  world.service.of(operation).map(({ at }) => at);

/** It never had a runner. */
const cancelledJob = (id = 2) => waitingJob({ id, status: "completed", conclusion: "cancelled" });

/** A job waits, gets the first machine at `ready` seconds, and is over at `over`. */
function oneJob(ready = 60, over = 300): void {
  world.jobs = [waitingJob()];
  world.becomesReady(701, ready, 21);
  world.at(ready + 5, () => {
    world.jobs = [runningJob()];
    world.runners.states.set(21, "busy");
  });
  world.at(over, () => {
    world.jobs = [completedJob("success")];
    world.runners.states.set(21, "gone");
    world.service.instances.delete(701);
  });
}

test("the story: a job waits, a machine is rented, it runs there, the machine gives itself back, and it ends", async () => {
  oneJob();
  expect((await world.run()).kind).toBe("over");
  expect(world.service.of("create")).toHaveLength(1);
  expect(world.written.slice(0, 3)).toEqual([
    "runner_1=21",
    expect.stringMatching(/^pending_1=ghr1\.1\.4711-1\.abcdef\.1\.\d+$/),
    "created_1=701",
  ]);
  expect(world.runners.removals).toEqual([]);
});

test.each([300, 301.5, 303, 304.5])(
  "main ends within 10 s of the last job's end, at %d s, though GitHub lists that 3 s late",
  async (over) => {
    oneJob(60, over);
    world.at(over, () => {
      world.jobs = [runningJob()];
    });
    world.at(over + 3, () => {
      world.jobs = [completedJob("success")];
    });
    await world.run();
    expect(world.clock.elapsed / 1000 - over).toBeLessThanOrEqual(10);
  },
);

test("each machine's record is written down when it changes, and not else", async () => {
  oneJob();
  await world.run();
  const reports = world.written.filter((line) => line.startsWith("report_1"));
  expect(reports.length).toBeLessThan(12);
  expect([reports[0], reports.at(-1)]).toEqual(["report_1=701: created", "report_1=701: gave itself back"]);
});

test("fewer `jobs` than wait: all are served, and it is said before anything is rented", async () => {
  world.jobs = [waitingJob(), waitingJob({ id: 3, name: "test 2" })];
  let warnings: string[] = [];
  world.service.next("create", () => {
    warnings = [...world.log.warnings];
    return world.service.rent();
  });
  world.at(30, () => world.cancel.abort(new Error("cancelled")));
  await expect(world.run({ machines: 2, jobs: 1 })).rejects.toThrow("cancelled");
  expect(warnings).toEqual([expect.stringMatching(/^jobs: 1 is less than the 2 GPU jobs/)]);
  expect(world.service.of("create")).toHaveLength(2);
});

test("ten runs begin at once, and each sees room: by a second list the youngest machines go, and as many stay as may", async () => {
  const { clock, service } = world;
  service.offers = Array.from({ length: 30 }, (_, index) => anOfferAt(index + 1, 0.1 + index / 100));
  // A list is older than its answer: none shows what the other runs rent meanwhile.
  service.always("list", async () => {
    const before = [...service.instances.values()];
    await clock.sleep(2000);
    return before;
  });
  const stop = new AbortController();
  const options = someOptions({ machines: 2, hedge: false, machinesPerRepository: 8 });
  const runs = Array.from({ length: 10 }, async (_, n) => {
    const run = new RentingWorld();
    run.jobs = [waitingJob(), waitingJob({ id: 3, name: "test 2" })];
    const deps = { ...run.deps, clock, service, signal: stop.signal };
    await runFleet(deps, run.request({ prefix: `ghr1.1.${n}-1.abcdef` }), options, run.fleet).catch(() => {});
  });
  const alive: number[] = [];
  for (const seconds of [5, 90, 120]) clock.at(seconds * 1000, () => void alive.push(service.instances.size));
  clock.at(121_000, () => stop.abort(new Error("cancelled")));
  await clock.run(Promise.all(runs));
  expect(alive[0]).toBeGreaterThan(8);
  expect(alive.slice(1)).toEqual([8, 8]);
  // The oldest: every run comes to the same order.
  expect([...service.instances.keys()]).toEqual([701, 702, 703, 704, 705, 706, 707, 708]);
});

describe("effects run between the looks", () => {
  test("a create that takes long blocks no look", async () => {
    oneJob();
    world.service.next("create", async () => {
      await world.clock.sleep(40_000);
      return world.service.rent();
    });
    await world.run();
    // The list is read every 15 s while it is under way.
    expect(calls("list").filter((at) => at > 0 && at < 40).length).toBeGreaterThanOrEqual(2);
  });

  test("one create is in flight at a time, and the next leaves as soon as it is over", async () => {
    world.jobs = [waitingJob(), waitingJob({ id: 3, name: "test 2" })];
    let inFlight = 0;
    let most = 0;
    const slow = async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await world.clock.sleep(4000);
      inFlight -= 1;
      return world.service.rent();
    };
    world.service.next("create", slow, slow);
    world.at(100, () => world.cancel.abort(new Error("cancelled")));
    await expect(world.run({ machines: 2 })).rejects.toThrow("cancelled");
    expect(most).toBe(1);
    expect(calls("create")).toEqual([0, 4]);
  });

  test("two machines are given back side by side", async () => {
    world.jobs = [waitingJob(), waitingJob({ id: 3, name: "test 2" })];
    world.at(60, () => {
      world.jobs = [cancelledJob(), cancelledJob(3), waitingJob({ id: 4, status: "waiting" })];
    });
    const slow = async () => {
      await world.clock.sleep(20_000);
      return "asked" as const;
    };
    world.service.next("destroy", slow, slow);
    world.at(200, () => world.cancel.abort(new Error("cancelled")));
    await expect(world.run({ machines: 2 })).rejects.toThrow("cancelled");
    const [first = 0, second = 0] = calls("destroy");
    expect(second - first).toBeLessThan(20);
  });
});

describe("the end", () => {
  test("a cancel lets a create that is under way answer, and writes down what came of it", async () => {
    world.jobs = [waitingJob()];
    world.service.next("create", async () => {
      await world.clock.sleep(3000);
      return world.service.rent();
    });
    world.at(1, () => world.cancel.abort(new Error("cancelled")));
    await expect(world.run()).rejects.toThrow("cancelled");
    expect(world.written).toContain("created_1=701");
  });

  test("a cancel in the middle of a look: what that look had shown by then is written down", async () => {
    world.jobs = [waitingJob()];
    world.becomesReady(701, 30, 21);
    const { listJobs } = world.deps;
    world.deps.listJobs = async (signal) => {
      if (world.clock.elapsed >= 30_000) await world.clock.sleep(60_000, signal);
      return await listJobs(signal);
    };
    world.at(50, () => world.cancel.abort(new Error("cancelled")));
    await expect(world.run()).rejects.toThrow("cancelled");
    expect(world.written.at(-1)).toBe("report_1=701: ready");
  });

  test("a fault that no act may survive ends the loop with it", async () => {
    world.jobs = [waitingJob()];
    world.service.next("create", new TypeError("a bug of ours"));
    await expect(world.run()).rejects.toThrow("a bug of ours");
  });

  test.each([
    ["something else: logged", () => new TypeError("a bug of ours"), 1],
    ["the end itself: no news", () => world.cancel.signal.reason, 0],
  ])("an effect that fails once the loop has ended, by %s", async (_what, fault, warned) => {
    world.jobs = [waitingJob()];
    world.service.next("search", async () => {
      await world.clock.sleep(60_000);
      throw fault();
    });
    world.at(30, () => world.cancel.abort(new Error("cancelled")));
    await expect(world.run()).rejects.toThrow("cancelled");
    expect(world.log.warnings.filter((line) => line.includes("a bug of ours"))).toHaveLength(warned);
    expect(world.log.warnings).toHaveLength(warned);
  });
});

test("a machine that goes under its job was lost: the log does not say that it gave itself back", async () => {
  oneJob(60, 300);
  world.at(100, () => void world.service.instances.delete(701));
  await world.run();
  expect(world.log.lines).toContain("machine 1: gone. Instance 701 was gone already.");
});

describe("while a machine starts, and GitHub does not say whether its runner is online", () => {
  /** So often it is asked in that minute. */
  async function looksInAMinute(refusedSince?: number): Promise<number> {
    world.jobs = [waitingJob()];
    world.at(20, () => {
      world.service.shows(701, { state: "running" });
      Object.assign(world.runners, { answers: false, refusedSince });
    });
    let before = 0;
    world.at(40, () => {
      before = world.runners.looks;
    });
    world.at(100, () => world.cancel.abort(new Error("cancelled")));
    await expect(world.run()).rejects.toThrow("cancelled");
    return world.runners.looks - before;
  }

  test("it is asked four times a minute: it may have asked us to come later", async () => {
    expect(await looksInAMinute()).toBeLessThanOrEqual(4);
  });

  test("one that refuses the token is asked once a minute: more would lock its owner out", async () => {
    expect(await looksInAMinute(1)).toBeLessThanOrEqual(1);
  });
});

describe("max-cost", () => {
  /** Two offers at 0.10 USD per hour, whose shortest rental costs 0.018. */
  const twoJobs = (maxCost: number, until: number) => {
    world.service.offers = [1, 2].map((id) => anOfferAt(id, 0.1));
    world.jobs = [waitingJob(), waitingJob({ id: 3, name: "test 2" })];
    world.at(until, () => world.cancel.abort(new Error("cancelled")));
    const options = someOptions({ machines: 2, hedge: false });
    return world.clock.run(runFleet(world.deps, world.request({ money: { maxCost } }), options, world.fleet));
  };

  test("that pays one machine rents one, although offers are still known from the search for it", async () => {
    await expect(twoJobs(0.03, 50)).rejects.toThrow("cancelled");
    expect(world.service.of("create").map(({ id }) => id)).toEqual([1]);
    expect(world.fleet.machines.map(({ machineNo }) => machineNo)).toEqual([1]);
  });
});

test("a create that made two instances: the younger one is given back and written down; their runner stays", async () => {
  world.jobs = [waitingJob()];
  world.service.next("create", () => {
    const answer = world.service.rent();
    world.service.rent();
    return answer;
  });
  world.at(60, () => world.cancel.abort(new Error("cancelled")));
  await expect(world.run()).rejects.toThrow("cancelled");
  expect([...new Set(world.service.of("destroy").map(({ id }) => id))]).toEqual([702]);
  expect([...world.service.instances.keys()]).toEqual([701]);
  expect(world.runners.removals).toEqual([]);
  expect(world.written).toContainEqual(expect.stringMatching(/^report_1001=702: /));
});
