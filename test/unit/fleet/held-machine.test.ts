import { beforeEach, describe, expect, test } from "vitest";
import { heldMachine } from "../../../src/action/held-machine.ts";
import type { Report } from "../../../src/machine/report.ts";
import { anOffer } from "../support/an-offer.ts";
import { RentingWorld } from "../support/renting-world.ts";
import { FAULTS } from "../support/service-faults.ts";

const { signal } = new AbortController();

let world: RentingWorld;
let report: Report;

beforeEach(() => {
  world = new RentingWorld();
  const price = { total: 0.4, storage: 0.01 };
  report = { instanceId: 7, offer: anOffer(), price, at: { asked: world.clock.start }, last: "ready" };
  world.service.put({ id: 7, actual_status: "running" });
});

function held() {
  const { clock, deps } = world;
  const names = { prefix: "ghr1.1.2-1.abcdef", runnerNamePrefix: "gpu-2-1-abcdef" };
  const use = {
    ...deps,
    ...names,
    runnerIds: new Set([21]),
    rented: new Set([7]),
    reports: new Map(),
    isGivenBack: false,
  };
  const candidate = { offer: anOffer(), price: report.price };
  const machine = { n: 1, instanceId: 7, runner: { id: 21, name: "gpu-2-1-abcdef-1" }, candidate, report };
  const deadline = clock.start / 1000 + 8100;
  return heldMachine({ clock }, use, {
    ...machine,
    deadline,
    cutBy: "max-lifetime",
    instance: undefined,
    secondsToReady: 60,
    hideSecrets: String,
  });
}

describe("alive", () => {
  test.each(["running", "loading", null, "a status of next year"])("as long as the service says %j", async (status) => {
    world.shows(7, { actual_status: status });
    expect(await held().look(signal)).toBe("alive");
  });

  test.each(["unknown", "offline"])("without a heartbeat (%s), while its runner is online", async (status) => {
    world.shows(7, { actual_status: status });
    world.runners.statuses.set(21, "online");
    expect(await held().look(signal)).toBe("alive");
  });
});

describe("gone", () => {
  test("because somebody bid more: that is told apart from all else", async () => {
    const machine = held();
    expect(machine.isOutbid).toBe(false);
    world.shows(7, { actual_status: "exited", intended_status: "stopped", cur_state: "stopped", is_bid: true });
    expect(await machine.look(signal)).toBe("gone");
    expect(machine.isOutbid).toBe(true);
  });

  test("stopped on demand: nobody bid", async () => {
    const machine = held();
    world.shows(7, { actual_status: "exited", intended_status: "stopped", cur_state: "stopped", is_bid: false });
    expect(await machine.look(signal)).toBe("gone");
    expect(machine.isOutbid).toBe(false);
  });

  test("when the service knows it no more: writes down when that was first seen", async () => {
    world.service.instances.clear();
    expect(await held().look(signal)).toBe("gone");
    expect(report).toMatchObject({ last: "gave itself back", at: { gone: world.clock.start } });
    await world.clock.advance(60_000);
    await held().look(signal);
    expect(report.at.gone).toBe(world.clock.start);
    expect(world.written).toEqual(["report_1: gave itself back"]);
  });

  test("for the bill, between the last look that showed it and the first that did not", async () => {
    const machine = held();
    await world.clock.advance(60_000);
    expect(await machine.look(signal)).toBe("alive");
    world.service.instances.clear();
    await world.clock.advance(20_000);
    expect(await machine.look(signal)).toBe("gone");
    expect(report.at.gone).toBe(world.clock.start + 70_000);
  });

  test.each([
    ["exited", { actual_status: "exited" }],
    ["outbid", { actual_status: "running", intended_status: "stopped", cur_state: "stopped" }],
  ])("%s", async (_state, fields) => {
    world.shows(7, fields);
    world.runners.statuses.set(21, "online");
    expect(await held().look(signal)).toBe("gone");
    expect(report.at.gone).toBeUndefined();
  });

  test.each(["offline", "gone"] as const)("without a heartbeat, and its runner is %s", async (status) => {
    world.shows(7, { actual_status: "offline" });
    world.runners.statuses.set(21, status);
    expect(await held().look(signal)).toBe("gone");
  });

  test("is taken back when it is there after all", async () => {
    const before = world.service.instances.get(7);
    world.service.instances.clear();
    await held().look(signal);
    if (before) world.service.instances.set(7, before);
    expect(await held().look(signal)).toBe("alive");
    expect(report.at.gone).toBeUndefined();
    expect(report.last).toBe("ready");
  });
});

test("writes down the bytes that the service shows, when they have grown", async () => {
  const machine = held();
  world.shows(7, { inet_down_billed: 2_000_000, inet_up_billed: 0 });
  await machine.look(signal);
  await machine.look(signal);
  expect(report.traffic).toEqual({ downGb: 2, upGb: 0 });
  expect(world.written).toEqual(["report_1: ready"]);
});

describe("unknown: whatever the service says instead of an answer is no evidence", () => {
  test.each(Object.values(FAULTS))("$name", async (fault) => {
    world.service.always("getInstance", fault);
    expect(await held().look(signal)).toBe("unknown");
    expect(report.at.gone).toBeUndefined();
  });

  test("no heartbeat, while GitHub can't be asked for its runner", async () => {
    world.shows(7, { actual_status: "unknown" });
    world.runners.statuses.set(21, "unknown");
    expect(await held().look(signal)).toBe("unknown");
  });

  test("but a bug is a bug", async () => {
    world.service.always("getInstance", new TypeError("a bug"));
    await expect(held().look(signal)).rejects.toThrow("a bug");
  });

  test("and a cancel is a cancel", async () => {
    const reason = new Error("cancelled");
    world.service.always("getInstance", FAULTS.noAnswer);
    await expect(held().look(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

test("knows how long it may live, and asks for its own runner", async () => {
  await world.clock.advance(600_000);
  expect(held().lifetimeLeftMs()).toBe(7_500_000);
  await held().removeRunner(signal);
  await held().runner(signal);
  expect([world.runners.removals, world.runners.statusLooks]).toEqual([[21], [21]]);
});
