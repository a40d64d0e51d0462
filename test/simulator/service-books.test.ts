import { describe, expect, test } from "vitest";
import { type UnderTest, underTest } from "./support/service.ts";

const steps = [
  { after: 0, actual_status: null },
  { after: 10, actual_status: "loading" },
  { after: 30, actual_status: "running" },
];
const offers = [{ id: 1, dph_base: 3.6, storage_cost: 0.72, simulate: { statuses: steps } }];
const change = ({ call }: UnderTest, id: number, state: string) => call("PUT", `/api/v0/instances/${id}/`, { state });
const destroy = ({ call }: UnderTest, id: number) => call("DELETE", `/api/v0/instances/${id}/`);

describe("the books", () => {
  test("charge storage from the creation and GPUs while running, by the second, until the destruction", async () => {
    await using service = await underTest({ scenario: { offers } });
    const { books } = service.sim;
    const { id } = await service.create(1, { disk: 100, label: "a" });
    const storagePerHour = expect.closeTo(0.1);
    expect(books.billingNow()).toEqual([{ id, label: "a", actual_status: null, gpuPerHour: 0, storagePerHour }]);
    service.clock.advance(29.999);
    expect(books.billingNow()).toMatchObject([{ actual_status: "loading", gpuPerHour: 0 }]);
    service.clock.advance(10.001);
    expect(books.billingNow()).toMatchObject([{ actual_status: "running", gpuPerHour: 3.6 }]);
    service.clock.advance(50);
    await destroy(service, id);
    service.clock.advance(3600);
    expect(books.billingNow()).toEqual([]);
    expect(books.bill(id)).toMatchObject({ gpuSeconds: 60, storageSeconds: 90 });
    expect(books.bill(id)?.gpu).toBeCloseTo(0.06, 9);
    expect(books.bill(id)?.storage).toBeCloseTo(0.1 / 40, 9);
    expect(books.total()).toBeCloseTo(0.0625, 9);
  });

  test("charge bytes both ways at the host's prices, and the row shows them in KB", async () => {
    const traffic = { imageGb: 5, downGbPerHour: 36, upGbPerHour: 3.6 };
    const busy = { id: 1, inet_down_cost: 0.01, inet_up_cost: 0.02, simulate: { statuses: steps, traffic } };
    await using service = await underTest({ scenario: { offers: [busy] } });
    const { id } = await service.create(1);
    expect(await service.instance(id)).toMatchObject({ inet_down_billed: 0, inet_up_billed: 0 });
    service.clock.advance(130);
    expect(await service.instance(id)).toMatchObject({ inet_down_billed: 6_000_000, inet_up_billed: 100_000 });
    await destroy(service, id);
    service.clock.advance(3600);
    const { gpu = 0, storage = 0, bytes } = service.sim.books.bill(id) ?? {};
    expect(bytes).toBeCloseTo(0.06 + 0.002, 9);
    expect(service.sim.books.total()).toBeCloseTo(gpu + storage + 0.062, 9);
  });

  test("charge a stopped instance's storage and no GPUs, until it runs again", async () => {
    await using service = await underTest({ scenario: { offers } });
    const { id } = await service.create(1);
    service.clock.advance(40);
    await change(service, id, "stopped");
    service.clock.advance(100);
    expect(service.sim.books.bill(id)).toMatchObject({ gpuSeconds: 10, storageSeconds: 140 });
    expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 0 }]);
    await change(service, id, "running");
    service.clock.advance(60);
    expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 3.6 }]);
  });

  test.each([
    ["observed", 40],
    ["seed", 140],
  ] as const)(
    "charge nothing while the host is offline as observed, the disk by the seed, and list it: %s",
    async (dialect, storageSeconds) => {
      await using service = await underTest({ dialect, scenario: { offers } });
      const { id } = await service.create(1);
      service.clock.advance(40);
      service.sim.update(id, { actual_status: "offline" });
      service.clock.advance(100);
      expect(service.sim.books.bill(id)).toMatchObject({ gpuSeconds: 10, storageSeconds });
      expect(service.sim.books.billingNow()).toMatchObject([{ id, actual_status: "offline", gpuPerHour: 0 }]);
    },
  );

  test("leave out the steps that a stop cuts off: it never runs, and its GPUs cost nothing", async () => {
    await using service = await underTest({ scenario: { offers } });
    const { id } = await service.create(1);
    service.clock.advance(15);
    await change(service, id, "stopped");
    service.clock.advance(3600);
    expect(service.sim.books.bill(id)).toMatchObject({ gpuSeconds: 0, storageSeconds: 3615 });
  });
});

test("credit at zero stops every instance, whose disk bills on, and rents no other", async () => {
  const statuses = [{ after: 0, actual_status: "running" }];
  const rows = [{ id: 11, dph_base: 0.6, storage_cost: 0 }, { id: 12, dph_base: 0.6, storage_cost: 0.72 }, { id: 13 }];
  await using service = await underTest({ scenario: { offers: rows, statuses, user: { credit: 0.6 } } });
  const ids = [(await service.create(11)).id, (await service.create(12)).id];
  const intended = () => Promise.all(ids.map(async (id) => (await service.instance(id))?.intended_status));
  service.clock.advance(1700);
  expect(await intended()).toEqual(["running", "running"]);
  service.clock.advance(200);
  expect(await intended()).toEqual(["stopped", "stopped"]);
  const bills = service.sim.books.billingNow().map((bill) => [bill.gpuPerHour, bill.storagePerHour > 0]);
  expect(bills.flat()).toEqual([0, false, 0, true]);
  expect(service.sim.books.total()).toBeCloseTo(0.6, 2);
  const refused = await service.call("PUT", "/api/v0/asks/13/", { image: "a:1" });
  expect(refused).toMatchObject({ status: 400, body: { error: "insufficient_credit" } });
});
