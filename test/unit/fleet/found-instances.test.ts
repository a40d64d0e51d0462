import { beforeEach, describe, expect, test } from "vitest";
import { NoAnswerError } from "../../../src/marketplace/errors.ts";
import { completedJob, runningJob, waitingJob } from "../support/a-job.ts";
import { RentingWorld } from "../support/renting-world.ts";

let world: RentingWorld;

beforeEach(() => {
  world = new RentingWorld();
});

/** The create that was sent last is carried out twice. */
function rentTwice() {
  const answer = world.service.rent();
  world.service.rent();
  return answer;
}

const destroyed = () => new Set(world.service.of("destroy").map(({ id }) => id));

describe("two instances of one create", () => {
  test("before either runs the younger one is given back, and is written down; their runner stays", async () => {
    world.jobs = [waitingJob()];
    world.service.next("create", rentTwice);
    world.at(60, () => world.cancel.abort(new Error("cancelled")));
    await expect(world.run()).rejects.toThrow("cancelled");
    expect([...destroyed()]).toEqual([702]);
    expect([...world.service.instances.keys()]).toEqual([701]);
    expect(world.runners.removals).toEqual([]);
    expect(world.written).toContainEqual(expect.stringMatching(/^report_1001=702: /));
  });

  test("seen once a job runs, both stay until it is over: nobody knows on which of them", async () => {
    world.jobs = [waitingJob()];
    world.becomesReady(701, 60, 21);
    world.at(65, () => {
      world.jobs = [runningJob()];
      world.runners.states.set(21, "busy");
    });
    world.at(100, () => void world.service.rent(world.service.orders[0]));
    world.at(290, () => expect([...world.service.instances.keys()]).toEqual([701, 702]));
    world.at(300, () => {
      world.jobs = [completedJob("success"), waitingJob({ id: 3, name: "later", status: "waiting" })];
      world.runners.states.set(21, "gone");
      world.service.instances.delete(701);
    });
    world.at(600, () => world.cancel.abort(new Error("cancelled")));
    await expect(world.run()).rejects.toThrow("cancelled");
    expect(world.service.instances.size).toBe(0);
    expect(world.service.of("create")).toHaveLength(1);
  });

  test("of one that gave no answer and is not found at first: both are given back, each asked for once", async () => {
    world.jobs = [waitingJob()];
    world.service.next("create", new NoAnswerError("create instance", new Error("socket hang up")));
    world.at(20, () => {
      world.jobs = [waitingJob({ id: 3, name: "later", status: "waiting" })];
    });
    world.at(300, rentTwice);
    world.at(500, () => world.cancel.abort(new Error("cancelled")));
    await expect(world.run()).rejects.toThrow("cancelled");
    expect(world.service.instances.size).toBe(0);
    expect(world.service.of("destroy")).toHaveLength(2);
  });
});

describe("the service shows less than there is", () => {
  /** A job runs from 65 s to 300 s, and the list is empty from 100 s on for so long. */
  async function hiddenFor(seconds: number, isKnownById: boolean) {
    world.jobs = [waitingJob()];
    world.becomesReady(701, 60, 21);
    world.at(65, () => {
      world.jobs = [runningJob()];
      world.runners.states.set(21, "busy");
    });
    world.at(100, () => {
      const instance = world.service.instances.get(701);
      world.service.always("list", () => []);
      if (!isKnownById) world.service.always("get", "gone");
      else if (instance !== undefined) world.service.always("get", instance);
    });
    world.at(100 + seconds, () => {
      world.service.always("list", () => [...world.service.instances.values()]);
      world.service.always("get", () => world.service.instances.get(701) ?? "gone");
    });
    world.at(300, () => {
      world.jobs = [completedJob("success")];
      world.runners.states.set(21, "gone");
      world.service.instances.delete(701);
    });
    return await world.run();
  }

  test("an empty list at many looks, and the instance is there by its id: nothing happens", async () => {
    expect(await hiddenFor(120, true)).toMatchObject({ kind: "over", bad: [], lost: [] });
    expect(world.service.of("destroy").filter(({ at }) => at < 300)).toEqual([]);
    expect(world.log.lines.join("\n")).not.toContain("lost");
  });

  test("one that is gone by its id, too, at two looks, is lost", async () => {
    await hiddenFor(120, false);
    expect(world.log.lines.join("\n")).toContain("machine 1: lost: the machine was lost.");
  });
});

test("what counted as gone and is listed again keeps its job, which runs to its end", async () => {
  const other = { id: 3, name: "test 2", runnerId: 22, runnerName: "gpu-4711-1-abcdef-2" };
  world.jobs = [waitingJob(), waitingJob({ id: 3, name: "test 2" })];
  world.becomesReady(701, 60, 21);
  world.becomesReady(702, 60, 22);
  world.at(65, () => {
    world.jobs = [runningJob(), runningJob(other)];
    world.runners.states.set(21, "busy").set(22, "busy");
  });
  // The service knows nothing of it for a while.
  let hidden: ReturnType<typeof world.service.instances.get>;
  world.at(100, () => {
    hidden = world.service.instances.get(701);
    world.service.instances.delete(701);
  });
  world.at(200, () => hidden && world.service.instances.set(701, hidden));
  world.at(500, () => {
    world.jobs = [completedJob("success"), runningJob(other)];
    world.runners.states.set(21, "gone");
  });
  world.at(700, () => {
    world.jobs = [completedJob("success"), completedJob("success", other)];
    world.runners.states.set(22, "gone");
    world.service.instances.delete(702);
  });
  expect(await world.run({ machines: 2 })).toMatchObject({ kind: "over", lost: [] });
  const asked = world.service.of("destroy").filter(({ id, at }) => id === 701 && at > 200);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.every(({ at }) => at >= 500)).toBe(true);
  expect(world.service.instances.has(701)).toBe(false);
});
