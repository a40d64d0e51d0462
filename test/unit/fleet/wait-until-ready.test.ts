import { beforeEach, describe, expect, test } from "vitest";
import { waitUntilReady } from "../../../src/fleet/wait-until-ready.ts";
import type { StageTimes } from "../../../src/machine/report.ts";
import { RentingWorld } from "../support/renting-world.ts";
import { FAULTS } from "../support/service-faults.ts";

let world: RentingWorld;
let at: StageTimes;

beforeEach(() => {
  world = new RentingWorld();
  at = { asked: world.clock.start, created: world.clock.start };
  world.service.put({ id: 7, actual_status: null });
});

async function waiting() {
  const { limits } = world.request();
  const readyBy = world.clock.start + limits.readyMs;
  const awaited = { instanceId: 7, runner: { id: 21, name: "gpu-2-1-abcdef-1" }, at, readyBy };
  const { readiness, instance } = await world.clock.run(waitUntilReady({ ...world.deps, limits }, awaited));
  return { ...readiness, instance };
}

test("ready when its runner is online; tells each change of state once", async () => {
  world.clock.at(12_000, () => world.shows(7, { actual_status: "loading" }));
  world.clock.at(61_000, () => world.shows(7, { actual_status: "running", ssh_host: "ssh1.example" }));
  world.clock.at(77_000, () => world.runners.statuses.set(21, "online"));
  expect(await waiting()).toMatchObject({ kind: "ready", instance: { ssh_host: "ssh1.example" } });
  expect(world.log.lines).toEqual([
    "Instance 7: null, runner offline.",
    "Instance 7: loading, runner offline.",
    "Instance 7: running, runner offline.",
    "Instance 7: running, runner online.",
  ]);
});

test("notes when it was seen online, and that it began to run between two looks: for the bill, in the middle", async () => {
  world.becomesReady(7, 61, 21);
  await waiting();
  expect(at.running).toBe(world.clock.start + 65_000);
  expect(at.online).toBe(world.clock.start + 70_000);
});

test("a look that brought no answer moves the middle", async () => {
  world.clock.at(31_000, () => world.service.always("getInstance", FAULTS.down));
  world.clock.at(65_000, () => world.service.always("getInstance", { id: 7, actual_status: "running" }));
  world.clock.at(68_000, () => world.runners.statuses.set(21, "online"));
  await waiting();
  // Seen not to run at 30 s, and to run at 70 s.
  expect(at.running).toBe(world.clock.start + 50_000);
});

test("asks both every 10 s, and GitHub every 2.5 s once the container runs", async () => {
  world.clock.at(25_000, () => world.shows(7, { actual_status: "running" }));
  world.clock.at(36_000, () => world.runners.statuses.set(21, "online"));
  await waiting();
  expect(world.service.of("getInstance").map((call) => call.at)).toEqual([0, 10, 20, 30]);
  // At 0, 10 and 20 s; then at 30, 32.5, 35 and 37.5.
  expect(world.runners.statusLooks).toHaveLength(7);
});

test("a runner that comes online while the service's state lags is seen all the same", async () => {
  world.clock.at(12_000, () => world.runners.statuses.set(21, "online"));
  expect((await waiting()).kind).toBe("ready");
  expect(world.clock.elapsed).toBe(20_000);
  // It ran by then, since the last look at the service at the earliest: that is what is billed.
  expect(at.running).toBe(world.clock.start + 20_000);
});

describe("a service that can't be asked is no evidence", () => {
  test.each([FAULTS.down, FAULTS.noAnswer, FAULTS.tooFast])("$name for two minutes", async (fault) => {
    world.service.always("getInstance", fault);
    world.clock.at(120_000, () => {
      world.service.always("getInstance", { id: 7, actual_status: "running" });
      world.runners.statuses.set(21, "online");
    });
    expect((await waiting()).kind).toBe("ready");
  });

  test("but a key that is refused stops the wait", async () => {
    world.service.always("getInstance", FAULTS.forbidden);
    await expect(waiting()).rejects.toBe(FAULTS.forbidden);
  });
});

describe("fails", () => {
  test("when it does not reach running within boot-timeout", async () => {
    world.shows(7, { actual_status: "loading" });
    expect(await waiting()).toMatchObject({ kind: "failed", late: "boot" });
    expect(world.clock.elapsed).toBe(600_000);
  });

  test("when its runner does not come online within online-timeout", async () => {
    world.clock.at(59_000, () => world.shows(7, { actual_status: "running" }));
    expect(await waiting()).toMatchObject({ kind: "failed", late: "online" });
    expect(world.clock.elapsed).toBe(360_000);
  });

  test("at once when the service says that it will never run", async () => {
    world.clock.at(15_000, () => world.shows(7, { actual_status: "exited" }));
    expect(await waiting()).toMatchObject({ kind: "failed", why: "it is exited" });
    expect(world.clock.elapsed).toBe(20_000);
  });

  test("at once when it is gone after it was seen: it gave itself back", async () => {
    world.clock.at(15_000, () => world.service.instances.clear());
    expect(await waiting()).toMatchObject({ kind: "failed", why: "the service does not know it any more" });
    expect(world.clock.elapsed).toBe(20_000);
  });

  test("only after a minute when it was never seen: a fresh instance may be listed late", async () => {
    world.service.instances.clear();
    world.clock.at(55_000, () => world.service.put({ id: 7, actual_status: "loading" }));
    world.becomesReady(7, 80, 21);
    expect((await waiting()).kind).toBe("ready");
  });
});

test("a cancel stops it at once, with its reason", async () => {
  world.clock.at(3000, () => world.cancel.abort(new Error("cancelled")));
  await expect(waiting()).rejects.toThrow("cancelled");
  expect(world.clock.elapsed).toBe(3000);
});
