import { describe, expect, test } from "vitest";
import { type UnderTest, underTest } from "./service-under-test.ts";

const scenario = {
  offers: [
    { id: 11, machine_id: 501 },
    { id: 12, machine_id: 502 },
  ],
  volumeOffers: [{ id: 71, machine_id: 501, disk_space: 100, storage_cost: 0.72 }],
  volumes: [{ id: 81, machine_id: 502, disk_space: 20, storage_cost: 0.72 }],
};
const NEW = { create_new: true, volume_id: 71, size: 30, mount_path: "/data" };
const LINKED = { create_new: false, volume_id: 81, mount_path: "/data" };

function refused(service: UnderTest, offer: number, volume_info: unknown) {
  return service.call("PUT", `/api/v0/asks/${offer}/`, { image: "a:1", volume_info });
}

describe.each([{ dialect: "observed" }, { dialect: "seed" }] as const)("in dialect $dialect", ({ dialect }) => {
  test("a new volume is made with the instance, and outlives it", async () => {
    await using service = await underTest({ dialect, scenario });
    const { id } = await service.create(11, { volume_info: NEW });
    expect(service.sim.instances()[0]?.volume).toMatchObject({ machine_id: 501, disk_space: 30 });
    await service.call("DELETE", `/api/v0/instances/${id}/`);
    expect(service.sim.books.billingNow()).toEqual([]);
    // 30 GB at 0.72 USD per GB and month of 720 hours; and the one that was there.
    expect(service.sim.books.volumesNow().map((each) => each.storagePerHour)).toEqual([
      expect.closeTo(0.02),
      expect.closeTo(0.03),
    ]);
    const before = service.sim.books.total();
    service.clock.advance(3600);
    expect(service.sim.books.total() - before).toBeCloseTo(0.05, 9);
  });

  test("a volume is linked on its own machine only", async () => {
    await using service = await underTest({ dialect, scenario });
    expect((await refused(service, 11, LINKED)).status).toBe(400);
    expect((await refused(service, 12, { ...LINKED, volume_id: 99 })).status).toBe(404);
    expect((await refused(service, 12, NEW)).status).toBe(400);
    expect(service.sim.instances()).toEqual([]);
    // Seed: a size counts for a new one only.
    await service.create(12, { volume_info: { ...LINKED, size: 5 } });
    expect(service.sim.instances()[0]?.volume).toMatchObject({ id: 81, disk_space: 20 });
  });
});

describe("observed", () => {
  test("every machine of a market has room for volumes unless the scenario says otherwise", async () => {
    await using service = await underTest();
    const { body } = await service.call("POST", "/api/v0/volumes/search/", { machine_id: { eq: 40_211 } });
    expect(body).toMatchObject({ offers: [{ machine_id: 40_211 }] });
  });
});

test.each([
  ["POST", "/api/v0/volumes/search/"],
  ["GET", "/api/v0/volumes/"],
  ["PUT", "/api/v0/volumes/"],
  ["DELETE", "/api/v0/volumes/"],
  ["GET", "/api/v0/ssh/"],
  ["PUT", "/api/v0/instances/reboot/7/"],
  ["PUT", "/api/v0/instances/bid_price/7/"],
])("the letter of the seed has no %s %s", async (method, path) => {
  await using service = await underTest({ dialect: "seed" });
  expect((await service.call(method, path)).status).toBe(404);
});
