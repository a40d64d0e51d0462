import { beforeEach, describe, expect, test } from "vitest";
import { runFleet } from "../../../src/fleet/loop.ts";
import { GithubTokenError } from "../../../src/github/github-errors.ts";
import { AuthenticationError, NoAnswerError } from "../../../src/marketplace/errors.ts";
import { someOptions } from "../support/a-fleet.ts";
import { completedJob, runningJob, waitingJob } from "../support/a-job.ts";
import { someRequirements } from "../support/an-offer.ts";
import { anOfferAt, RentingWorld } from "../support/renting-world.ts";
import { aRefusal } from "../support/service-faults.ts";

let world: RentingWorld;

beforeEach(() => {
  world = new RentingWorld();
});

/** Seconds since the start at which the service was called so. */
const calls = (operation: Parameters<RentingWorld["service"]["of"]>[0]) =>
  world.service.of(operation).map(({ at }) => at);

/** Somebody else has it. */
const OFFER_GONE = { kind: "refused", refusal: aRefusal(404, "no such ask", "offer-gone") } as const;

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

test("nothing is rented while no job waits", async () => {
  world.at(200, () => oneJob(260, 400));
  await world.run();
  expect(calls("create")[0]).toBeGreaterThanOrEqual(200);
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

describe("draining", () => {
  /** Cancels the job while its machine boots or is ready; another, held, keeps the loop going. */
  function cancelled(at: number): void {
    world.jobs = [waitingJob()];
    world.at(at, () => {
      world.jobs = [cancelledJob(), waitingJob({ id: 3, name: "later", status: "waiting" })];
    });
    world.at(at + 200, () => {
      world.jobs = [cancelledJob(), completedJob("success", { id: 3, runnerId: undefined, runnerName: undefined })];
    });
  }

  test("its runner goes first, then the machine", async () => {
    cancelled(60);
    await world.run();
    expect(world.runners.removals).toEqual([21]);
    expect(world.service.instances.size).toBe(0);
    expect(world.fleet.machines[0]?.ending?.kind).toBe("unneeded");
  });

  test("a job came (422): it is kept, and its job runs to its end", async () => {
    cancelled(60);
    world.becomesReady(701, 30, 21);
    // GitHub gives the job that is held to it right after the look.
    world.at(72, () => world.runners.states.set(21, "busy"));
    world.at(200, () => {
      expect(world.service.instances.size).toBe(1);
      world.runners.states.set(21, "gone");
    });
    await world.run();
    expect(world.log.lines.join("\n")).toContain("kept, as GitHub says that a job runs on it");
  });

  test("GitHub gives no answer: asked again, and destroyed then", async () => {
    cancelled(60);
    world.becomesReady(701, 30, 21);
    world.at(62, () => {
      world.runners.answers = false;
    });
    world.at(150, () => {
      expect(world.service.instances.size).toBe(1);
      world.runners.answers = true;
    });
    await world.run();
    expect(world.service.instances.size).toBe(0);
  });

  test("one that was not seen running twice can't have a job: destroyed without GitHub's answer", async () => {
    cancelled(60);
    world.runners.answers = false;
    world.at(140, () => expect(world.service.instances.size).toBe(0));
    await world.run();
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

  test("a token that may not read the jobs fails before anything is rented", async () => {
    const error = new GithubTokenError({ input: "job-token", task: "list the jobs", remedy: "Grant it." }, 403, "No.");
    const deps = { ...world.deps, listJobs: () => Promise.reject(error) };
    const running = runFleet(deps, world.request(), someOptions(), world.fleet);
    await expect(world.clock.run(running)).rejects.toThrow(error);
    expect(world.service.calls.map(({ method }) => method)).not.toContain("create");
  });

  test("a token that fails later takes no machine away", async () => {
    oneJob(60, 300);
    const error = new GithubTokenError({ input: "job-token", task: "list the jobs", remedy: "Grant it." }, 403, "No.");
    const { listJobs } = world.deps;
    const isBad = () => world.clock.elapsed > 100_000 && world.clock.elapsed < 250_000;
    world.deps.listJobs = (signal) => (isBad() ? Promise.reject(error) : listJobs(signal));
    expect((await world.run()).kind).toBe("over");
    expect(world.log.warnings).toEqual([error.message]);
  });
});

test("a machine that goes under its job was lost: the log does not say that it gave itself back", async () => {
  oneJob(60, 300);
  world.at(100, () => void world.service.instances.delete(701));
  await world.run();
  expect(world.log.lines).toContain("machine 1: gone. Instance 701 was gone already.");
});

test("a machine that is outbid under its job is given back, and its job is lost by that", async () => {
  world.jobs = [waitingJob()];
  world.becomesReady(701, 60, 21);
  world.at(65, () => {
    world.jobs = [runningJob()];
    world.runners.states.set(21, "busy");
  });
  world.at(100, () => world.service.shows(701, { isHalted: true }));
  world.at(160, () => {
    world.jobs = [completedJob("failure")];
    world.runners.states.set(21, "gone");
  });
  const request = world.request({ offer: someRequirements({ bid: { price: undefined } }) });
  const running = runFleet(world.deps, request, someOptions({ machines: 1, hedge: false }), world.fleet);
  expect(await world.clock.run(running)).toMatchObject({
    kind: "over",
    bad: [],
    lost: [{ id: 2, went: "was outbid" }],
  });
  expect(world.service.orders.map(({ bid }) => bid)).toEqual([expect.closeTo(0.22)]);
  expect(world.service.instances.size).toBe(0);
  expect(world.fleet.machines[0]?.ending).toMatchObject({ kind: "lost" });
});

describe("a job that counted as lost", () => {
  test("did well, as the next list says: no loss", async () => {
    world.jobs = [waitingJob()];
    world.becomesReady(701, 60, 21);
    world.at(65, () => {
      world.jobs = [runningJob()];
      world.runners.states.set(21, "busy");
    });
    world.at(300, () => {
      world.runners.states.set(21, "gone");
      world.service.instances.delete(701);
    });
    // The list lags until the job counts as lost, and main is about to end with that.
    const { listJobs } = world.deps;
    world.deps.listJobs = async (look) => {
      if (Object.keys(world.fleet.findings).some((finding) => finding.startsWith("end: over")))
        world.jobs = [completedJob("success")];
      return await listJobs(look);
    };
    expect(await world.run()).toMatchObject({ kind: "over", bad: [], lost: [] });
  });

  test("waits again: it has a machine of its own, and main waits for its end", async () => {
    world.jobs = [waitingJob(), waitingJob({ id: 3, name: "test 2" })];
    const other = { id: 3, name: "test 2", runnerId: 22, runnerName: "gpu-4711-1-abcdef-2" };
    world.becomesReady(701, 60, 21);
    world.becomesReady(702, 60, 22);
    world.at(65, () => {
      world.jobs = [runningJob(), runningJob(other)];
      world.runners.states.set(21, "busy").set(22, "busy");
    });
    world.at(100, () => {
      world.runners.states.set(21, "gone");
      world.service.instances.delete(701);
    });
    world.at(250, () => {
      world.jobs = [waitingJob(), runningJob(other)];
    });
    const again = { runnerId: 23, runnerName: "gpu-4711-1-abcdef-3" };
    world.becomesReady(703, 300, 23);
    world.at(305, () => {
      world.jobs = [runningJob(again), runningJob(other)];
      world.runners.states.set(23, "busy");
    });
    world.at(400, () => {
      world.jobs = [runningJob(again), completedJob("success", other)];
      world.runners.states.set(22, "gone");
      world.service.instances.delete(702);
    });
    world.at(600, () => {
      world.jobs = [completedJob("success", again), completedJob("success", other)];
      world.runners.states.set(23, "gone");
      world.service.instances.delete(703);
    });
    expect(await world.run({ machines: 2 })).toMatchObject({ kind: "over", bad: [], lost: [] });
    expect((world.clock.now() - world.clock.start) / 1000).toBeGreaterThan(600);
  });
});

describe("a search that the service refuses", () => {
  const refusal = () => new AuthenticationError(aRefusal(401, "no", "key"));

  /** Another job waits while the first one's machine works: a second machine is searched for. */
  function secondJob(at: number): void {
    oneJob();
    world.service.offers = [anOfferAt(1, 0.1)];
    world.at(at, () => {
      world.jobs = [runningJob(), waitingJob({ id: 3, name: "test 2" })];
    });
    world.at(300, () => {
      world.jobs = [completedJob("success"), cancelledJob(3)];
    });
  }

  test("once: searched again, and no machine that works is taken away", async () => {
    secondJob(90);
    world.at(80, () => world.service.next("search", refusal()));
    expect((await world.run({ machines: 2 })).kind).toBe("over");
    expect(world.service.of("destroy")).toEqual([]);
  });

  test("again 15 s later: renting stops with its reason", async () => {
    world.jobs = [waitingJob()];
    world.service.always("search", refusal());
    expect(await world.run()).toMatchObject({ kind: "stopped", stop: { id: "unsearchable" } });
    expect(calls("search")).toEqual([0, 15]);
  });
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

test("a new account may have one machine at a time: the second job's is rented when the first is gone", async () => {
  oneJob();
  const limited = { kind: "refused", refusal: aRefusal(400, "Slow down.", "spend-rate") } as const;
  const { service } = world;
  service.always("create", () => (service.instances.size > 0 ? limited : service.rent()));
  world.at(65, () => {
    world.jobs = [runningJob(), waitingJob({ id: 3, name: "test 2" })];
  });
  world.at(300, () => {
    world.jobs = [completedJob("success"), waitingJob({ id: 3, name: "test 2" })];
  });
  world.at(600, () => world.cancel.abort(new Error("cancelled")));
  await expect(world.run({ machines: 2 })).rejects.toThrow("cancelled");
  expect([...service.instances.keys()]).toEqual([702]);
  // It asks ever more seldom, and each time as another machine.
  expect(calls("create").length).toBeLessThan(10);
});

test("a machine for which the service asks more than max-price is given back before a job comes to it", async () => {
  world.jobs = [waitingJob()];
  world.at(10, () => world.service.shows(701, { usdPerHour: 2 }));
  world.at(100, () => world.cancel.abort(new Error("cancelled")));
  await expect(world.run({ maxPrice: 0.6 })).rejects.toThrow("cancelled");
  expect(world.service.of("destroy").map(({ id }) => id)).toEqual([701]);
  expect([...world.service.instances.keys()]).toEqual([702]);
  expect(world.log.warnings).toEqual([
    "machine 1: the service asks 2.00 USD per hour for it; its offer said 0.10 USD.",
  ]);
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

  test("that is set aside for a machine which goes early pays the next one", async () => {
    oneJob(60, 120);
    world.service.offers = [1, 2].map((id) => anOfferAt(id, 0.1));
    world.at(70, () => {
      world.jobs = [runningJob(), waitingJob({ id: 3, name: "test 2" })];
    });
    world.at(120, () => {
      world.jobs = [completedJob("success"), waitingJob({ id: 3, name: "test 2" })];
    });
    world.at(400, () => world.cancel.abort(new Error("cancelled")));
    const options = someOptions({ machines: 2, hedge: false });
    const running = runFleet(world.deps, world.request({ money: { maxCost: 0.03 } }), options, world.fleet);
    await expect(world.clock.run(running)).rejects.toThrow("cancelled");
    expect(world.service.of("create")).toHaveLength(2);
  });

  test("that can't pay a second machine at once pays a cheaper one that is offered later", async () => {
    oneJob(60, 1000);
    world.service.offers = [1, 2].map((id) => anOfferAt(id, 0.1));
    world.at(70, () => {
      world.jobs = [runningJob(), waitingJob({ id: 3, name: "test 2" })];
    });
    world.at(130, () => {
      world.service.offers = [anOfferAt(3, 0.02)];
    });
    world.at(400, () => world.cancel.abort(new Error("cancelled")));
    const options = someOptions({ machines: 2, hedge: false });
    const running = runFleet(world.deps, world.request({ money: { maxCost: 0.22 } }), options, world.fleet);
    await expect(world.clock.run(running)).rejects.toThrow("cancelled");
    expect(world.service.of("create").map(({ id }) => id)).toEqual([1, 3]);
  });

  test("that could not pay a second machine at once does so when the first one was ready early", async () => {
    oneJob(60, 1000);
    world.service.offers = [1, 2].map((id) => anOfferAt(id, 0.1));
    world.at(70, () => {
      world.jobs = [runningJob(), waitingJob({ id: 3, name: "test 2" })];
    });
    world.at(400, () => world.cancel.abort(new Error("cancelled")));
    const options = someOptions({ machines: 2, hedge: false });
    // Two hours and a quarter of the first, with a minute of its end, are 0.227. Two hours and a minute are 0.205.
    const running = runFleet(world.deps, world.request({ money: { maxCost: 0.24 } }), options, world.fleet);
    await expect(world.clock.run(running)).rejects.toThrow("cancelled");
    expect(world.service.of("create").map(({ id }) => id)).toEqual([1, 2]);
  });

  test("that pays two rents two", async () => {
    await expect(twoJobs(0.06, 50)).rejects.toThrow("cancelled");
    expect(world.service.of("create")).toHaveLength(2);
  });
});

test("a create without an answer is looked for, and no other one leaves before", async () => {
  world.jobs = [waitingJob()];
  world.service.next("create", new NoAnswerError("create instance", new Error("socket hang up")));
  world.at(100, () => world.cancel.abort(new Error("cancelled")));
  await expect(world.run()).rejects.toThrow("cancelled");
  const [first = 0, second = 0] = calls("create");
  expect(second - first).toBeGreaterThanOrEqual(40);
  // Its host stays excluded: it may be ours after all.
  expect(world.service.of("create").map(({ id }) => id)).toEqual([1, 2]);
});

test("what comes of a create without an answer minutes later is given back, and written down", async () => {
  world.jobs = [waitingJob()];
  world.service.next("create", new NoAnswerError("create instance", new Error("socket hang up")));
  world.at(20, () => {
    world.jobs = [cancelledJob(), waitingJob({ id: 3, name: "later", status: "waiting" })];
  });
  world.at(300, () => world.service.rent(world.service.orders[0]));
  world.at(500, () => world.cancel.abort(new Error("cancelled")));
  await expect(world.run()).rejects.toThrow("cancelled");
  expect(world.service.instances.size).toBe(0);
  expect(world.written).toContainEqual(expect.stringMatching(/^report_1=701: it turned up late/));
});

test("an offer that is gone: the next one at once", async () => {
  world.jobs = [waitingJob()];
  world.service.next("create", OFFER_GONE);
  world.at(20, () => world.cancel.abort(new Error("cancelled")));
  await expect(world.run()).rejects.toThrow("cancelled");
  expect(calls("create")).toEqual([0, 0]);
});

test("an offer that is always gone is asked for again, and makes search-timeout no longer", async () => {
  world.jobs = [waitingJob()];
  world.service.offers = [anOfferAt(1, 0.1)];
  world.service.always("create", OFFER_GONE);
  expect(await world.run()).toMatchObject({ kind: "stopped", stop: { id: "no-offer" } });
  expect(calls("create")).toHaveLength(2);
  expect(world.clock.elapsed / 1000).toBeLessThan(660);
});

test("a host that never boots has all of max-cost set aside: at its boot limit it goes, and that money pays another one", async () => {
  world.jobs = [waitingJob()];
  world.becomesReady(702, 480, 22);
  world.at(500, () => {
    world.jobs = [completedJob("success", { runnerId: 22, runnerName: "gpu-4711-1-abcdef-2" })];
    world.runners.states.set(22, "gone");
    world.service.instances.delete(702);
  });
  const { image } = world.request();
  const request = world.request({ image: { ...image, bytes: 2e8, decidesBoot: true }, money: { maxCost: 0.1 } });
  const options = someOptions({ machines: 1, hedge: false });
  const end = await world.clock.run(runFleet(world.deps, request, options, world.fleet));
  expect([end.kind, world.service.of("create").length]).toEqual(["over", 2]);
});
