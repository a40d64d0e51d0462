import { describe, expect, test } from "vitest";
import { type Life, phaseAt, phases } from "../../simulator/service/rentals/lifecycle.ts";
import { underTest } from "./service-under-test.ts";

const steps = [
  { after: 0, actual_status: null },
  { after: 10, actual_status: "loading" },
  { after: 30, actual_status: "running" },
];

function life(...events: Life["events"]): Life {
  return { events, boot: steps, restart: [{ after: 2, actual_status: "running" }], stoppedStatus: "exited" };
}

describe("an instance's life", () => {
  const create = { at: 1_000_000, kind: "create", target: "running" } as const;

  test("is the same whenever and however often it is asked for", () => {
    const one = life(create);
    const at = (seconds: number) => phaseAt(one, 1_000_000 + seconds * 1000)?.actual_status;
    expect([-1, 0, 9.999, 10, 29.999, 30, 1e6].map(at)).toEqual([
      undefined,
      null,
      null,
      "loading",
      "loading",
      "running",
      "running",
    ]);
    expect(at(10)).toBe("loading");
  });

  test("leaves out the steps that an event cuts off", () => {
    const stopped = life(create, { at: 1_015_000, kind: "stop", by: "account" });
    expect(phases(stopped).map(({ actual_status, containerUp }) => [actual_status, containerUp])).toEqual([
      [null, false],
      ["loading", false],
      ["exited", false],
    ]);
  });

  test("ends with the destruction", () => {
    const destroyed = life(create, { at: 1_040_000, kind: "destroy", by: "account" });
    expect(phases(destroyed).at(-1)).toMatchObject({ actual_status: "running", to: 1_040_000 });
    expect(phaseAt(destroyed, 1_040_000)).toBeUndefined();
  });

  test("keeps the container up behind a lost heartbeat, not behind offline or exited", () => {
    const up = (actual_status: string) =>
      phaseAt(life(create, { at: 1_060_000, kind: "status", actual_status, status_msg: null }), 1_070_000)?.containerUp;
    expect(["running", "unknown", "frozen", "offline", "exited"].map(up)).toEqual([true, true, true, false, false]);
    const early = life(create, { at: 1_005_000, kind: "status", actual_status: "unknown", status_msg: null });
    expect(phaseAt(early, 1_070_000)).toMatchObject({ actual_status: "unknown", containerUp: false });
  });

  test("starts again, stopped in between", () => {
    const again = life(create, { at: 1_040_000, kind: "stop", by: "instance" }, { at: 1_050_000, kind: "start" });
    expect(phaseAt(again, 1_051_000)).toMatchObject({ actual_status: null, intended_status: "running" });
    expect(phaseAt(again, 1_052_000)).toMatchObject({ actual_status: "running", containerUp: true });
  });
});

const offers = [{ id: 1, dph_base: 3.6, storage_cost: 0.72, simulate: { statuses: steps } }];

describe("the books", () => {
  test("charge storage from the creation and GPUs while running, by the second, until the destruction", async () => {
    await using service = await underTest({ scenario: { offers } });
    const { id } = await service.create(1, { disk: 100, label: "a" });
    expect(service.sim.books.billingNow()).toEqual([
      { id, label: "a", actual_status: null, gpuPerHour: 0, storagePerHour: expect.closeTo(0.1) },
    ]);
    service.clock.advance(40);
    expect(service.sim.books.billingNow()).toMatchObject([{ actual_status: "running", gpuPerHour: 3.6 }]);
    service.clock.advance(50);
    await service.call("DELETE", `/api/v0/instances/${id}/`);
    service.clock.advance(3600);
    expect(service.sim.books.billingNow()).toEqual([]);
    const bill = service.sim.books.bill(id);
    expect(bill).toMatchObject({ gpuSeconds: 60, storageSeconds: 90 });
    expect(bill?.gpu).toBeCloseTo(0.06, 9);
    expect(bill?.storage).toBeCloseTo(0.1 / 40, 9);
    expect(service.sim.books.total()).toBeCloseTo(0.0625, 9);
  });

  test("charge bytes both ways at the host's prices, and the row shows them in KB", async () => {
    const traffic = { imageGb: 5, downGbPerHour: 36, upGbPerHour: 3.6 };
    const busy = { id: 1, inet_down_cost: 0.01, inet_up_cost: 0.02, simulate: { statuses: steps, traffic } };
    await using service = await underTest({ scenario: { offers: [busy] } });
    const { id } = await service.create(1);
    const shown = async () => (await service.call("GET", `/api/v0/instances/${id}/`)).body;
    expect(await shown()).toMatchObject({ instances: { inet_down_billed: 0, inet_up_billed: 0 } });
    service.clock.advance(130);
    expect(await shown()).toMatchObject({ instances: { inet_down_billed: 6_000_000, inet_up_billed: 100_000 } });
    expect(service.sim.books.bill(id)?.bytes).toBeCloseTo(0.06 + 0.002, 9);
    await service.call("DELETE", `/api/v0/instances/${id}/`);
    service.clock.advance(3600);
    expect(service.sim.books.bill(id)?.bytes).toBeCloseTo(0.062, 9);
  });

  test("charge a stopped instance's storage and no GPUs", async () => {
    await using service = await underTest({ scenario: { offers } });
    const { id } = await service.create(1);
    service.clock.advance(40);
    await service.call("PUT", `/api/v0/instances/${id}/`, { state: "stopped" });
    service.clock.advance(100);
    expect(service.sim.books.bill(id)).toMatchObject({ gpuSeconds: 10, storageSeconds: 140 });
    expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 0 }]);
  });

  test("charge nothing while the host is offline as observed, the disk by the seed, and list it in both", async () => {
    for (const [dialect, storageSeconds] of [
      ["observed", 40],
      ["seed", 140],
    ] as const) {
      await using service = await underTest({ dialect, scenario: { offers } });
      const { id } = await service.create(1);
      service.clock.advance(40);
      service.sim.update(id, { actual_status: "offline" });
      service.clock.advance(100);
      expect(service.sim.books.bill(id)).toMatchObject({ gpuSeconds: 10, storageSeconds });
      expect(service.sim.books.billingNow()).toMatchObject([{ id, actual_status: "offline", gpuPerHour: 0 }]);
    }
  });
});
