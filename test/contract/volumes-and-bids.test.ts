import { describe, expect, test } from "vitest";
import { judgeInstance } from "../../src/machine/instance.ts";
import { NotFoundError, RequestRejectedError } from "../../src/marketplace/errors.ts";
import { judgeCreate } from "../../src/marketplace/vast/refusals.ts";
import { instanceOf, seedQuery, wireQuery } from "../../src/marketplace/vast/translate.ts";
import { offerQuery } from "../../src/offers/search.ts";
import { aConfig } from "../unit/support/an-instance-config.ts";
import { DIALECTS, REQUIREMENTS, rent, startContract } from "./support/service-under-contract.ts";

const scenario = {
  offers: [
    { id: 11, machine_id: 501, min_bid: 0.2, dph_base: 0.5 },
    { id: 12, machine_id: 502, min_bid: 0.25, dph_base: 0.5 },
  ],
  volumeOffers: [{ id: 71, machine_id: 501, disk_space: 100 }],
  volumes: [{ id: 81, machine_id: 502 }],
};
const NEW = { create_new: true, volume_id: 71, size: 30, mount_path: "/data" } as const;
const LINKED = { create_new: false, volume_id: 81, mount_path: "/data" } as const;

describe.each(DIALECTS)("dialect %s", (dialect) => {
  test("a bid: interruptible offers show the lowest, the instance bills what was bid, and one that is outbid is known as that", async () => {
    await using service = await startContract(dialect, { scenario });
    const search = seedQuery(wireQuery(offerQuery({ ...REQUIREMENTS, bid: { price: undefined } })));
    const [offer] = await service.client.searchOffers({ ...search, order: [] });
    expect(offer?.dph_total).toBeLessThan(0.3);
    const id = await rent(service, 11, aConfig({ price: 0.3 }));
    service.clock.advance(60);
    expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 0.3 }]);
    service.sim.update(id, "outbid");
    const seen = await service.client.getInstance(id);
    expect(seen && judgeInstance(instanceOf(seen), true)).toMatchObject({ kind: "failed", outbid: true });
    expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 0, storagePerHour: expect.any(Number) }]);
  });

  test("a bid below the floor leaves nothing that is not known: an id to destroy, or the next offer", async () => {
    await using service = await startContract(dialect, { scenario });
    const verdict = judgeCreate(await service.client.createInstance(11, aConfig({ price: 0.1 })));
    const gone = { kind: "refused", refusal: { code: "offer-gone" } };
    expect(verdict).toMatchObject(dialect === "seed" ? gone : { kind: "unwanted" });
    if (verdict.kind === "unwanted") expect(await service.client.destroyInstance(verdict.instanceId)).toBe("asked");
    expect(service.sim.books.billingNow()).toEqual([]);
  });

  test("a volume is linked on its machine, and refused on another: no other offer would do", async () => {
    await using service = await startContract(dialect, { scenario });
    for (const [offer, volume_id] of [
      [11, 81],
      [12, 9],
    ] as const) {
      const answer = await service.client.createInstance(offer, aConfig({ volume_info: { ...LINKED, volume_id } }));
      expect(judgeCreate(answer).kind).toBe("refused");
    }
    await rent(service, 12, aConfig({ volume_info: LINKED }));
    expect(service.sim.instances().map(({ volume }) => volume?.id)).toEqual([81]);
  });

  test("a new volume is made with the instance, and outlives it", async () => {
    const volumeOffers = [{ id: 71, machine_id: 501, disk_space: 100, storage_cost: 0.72 }];
    await using service = await startContract(dialect, { scenario: { ...scenario, volumeOffers } });
    const { books } = service.sim;
    const id = await rent(service, 11, aConfig({ volume_info: NEW }));
    expect(service.sim.instances()[0]?.volume).toMatchObject({ machine_id: 501, disk_space: 30 });
    await service.client.destroyInstance(id);
    expect(books.billingNow()).toEqual([]);
    // 30 GB at 0.72 USD per GB and month of 720 hours; and the one that was there.
    const perHour = books.volumesNow().map(({ storagePerHour }) => storagePerHour);
    expect(perHour.at(-1)).toBeCloseTo(0.03);
    const before = books.total();
    service.clock.advance(3600);
    expect(books.total() - before).toBeCloseTo(Number(perHour[0]) + Number(perHour[1]), 9);
  });
});

test("search, make, list and delete volumes", async () => {
  await using service = await startContract("observed", { scenario });
  const { volumes } = service.client;
  expect(await volumes.search({ id: { eq: 71 } })).toMatchObject([{ id: 71, machine_id: 501, disk_space: 100 }]);
  const id = Number(await volumes.create({ id: 71, size: 40, name: "cache" }));
  expect(await volumes.list()).toMatchObject([
    { id: 81, machine_id: 502, instances: [] },
    { id, machine_id: 501, disk_space: 40, label: "cache" },
  ]);
  expect([await volumes.delete(id), await volumes.delete(id)]).toEqual(["deleted", "absent"]);
  // One that is in use stays, and shows by whom it is used.
  const instance = await rent(service, 12, aConfig({ volume_info: LINKED }));
  expect(await volumes.list()).toMatchObject([{ id: 81, instances: [instance] }]);
  await expect(volumes.delete(81)).rejects.toThrow(RequestRejectedError);
  expect(service.sim.journal.strays()).toEqual([]);
});

test("the letter of the seed has no volumes to read: told as not found", async () => {
  await using service = await startContract("seed", { scenario });
  await expect(service.client.volumes.list()).rejects.toThrow(NotFoundError);
  await expect(service.client.volumes.search({})).rejects.toThrow(NotFoundError);
});
