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
  const label = world.service.creates.at(-1) as { label: string };
  const answer = world.service.rent(label);
  world.service.rent(label);
  return answer;
}

const destroyed = () => new Set(world.service.of("destroyInstance").map(({ id }) => id));

describe("two instances of one create", () => {
  test("the one that no answer told is given back while main holds, and is written down", async () => {
    world.jobs = [waitingJob()];
    world.service.next("createInstance", rentTwice);
    world.at(60, () => world.cancel.abort(new Error("cancelled")));
    await expect(world.run()).rejects.toThrow("cancelled");
    expect(destroyed()).toContain(702);
    expect(world.written).toContain("created_2=702");
  });

  test("of one that gave no answer and is not found at first: both are given back, each asked for once", async () => {
    world.jobs = [waitingJob()];
    world.service.next("createInstance", new NoAnswerError("create instance", new Error("socket hang up")));
    world.at(20, () => {
      world.jobs = [waitingJob({ id: 3, name: "later", status: "waiting" })];
    });
    world.at(300, rentTwice);
    world.at(500, () => world.cancel.abort(new Error("cancelled")));
    await expect(world.run()).rejects.toThrow("cancelled");
    expect(world.service.instances.size).toBe(0);
    expect(world.service.of("destroyInstance")).toHaveLength(2);
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
  const asked = world.service.of("destroyInstance").filter(({ id, at }) => id === 701 && at > 200);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.every(({ at }) => at >= 500)).toBe(true);
  expect(world.service.instances.has(701)).toBe(false);
});
