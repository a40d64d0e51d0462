import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type UnderTest, underTest } from "./service-under-test.ts";

const Found = z.object({ offers: z.array(z.record(z.string(), z.unknown())) });

async function search(service: UnderTest, query: Record<string, unknown>) {
  const { body } = await service.call("POST", "/api/v0/bundles/", query);
  return Found.parse(body).offers;
}

async function ids(service: UnderTest, query: Record<string, unknown>) {
  return (await search(service, query)).map(({ id }) => id);
}

async function refusal(service: UnderTest, query: unknown) {
  const { status, body } = await service.call("POST", "/api/v0/bundles/", query);
  return [status, body];
}

describe("observed", () => {
  test("takes numbers and booleans as strings, as the official client sends them", async () => {
    await using service = await underTest();
    expect(await ids(service, { num_gpus: { eq: "2" }, rentable: { eq: "true" }, limit: "5" })).toEqual([20]);
    expect(await refusal(service, { num_gpus: { eq: "two" } })).toEqual([
      400,
      { success: false, error: "invalid_request", msg: "num_gpus takes a number" },
    ]);
  });

  test.each([
    ["eq", "RTX 3090", [18]],
    ["neq", "RTX 4090", [18, 19]],
    ["in", ["RTX 3090", "H100 SXM"], [18, 19]],
    ["notin", ["RTX 4090", "H100 SXM"], [18]],
  ])("filters text by %s", async (operator, value, expected) => {
    await using service = await underTest();
    const found = await ids(service, { gpu_name: { [operator]: value }, order: [["id", "asc"]] });
    expect(found).toEqual(expected);
  });

  test.each([
    ["gt", 0.42, [20, 15, 19]],
    ["gte", 0.42, [14, 20, 15, 19]],
    ["lt", 0.31, [18]],
    ["lte", 0.31, [18, 11]],
  ])("filters numbers by %s", async (operator, value, expected) => {
    await using service = await underTest();
    const query = { dph_base: { [operator]: value }, reliability: { gte: 0.9 }, order: [["dph_base", "asc"]] };
    expect(await ids(service, query)).toEqual(expected);
  });

  test("knows the filters that are no column of the answer", async () => {
    await using service = await underTest();
    expect(await ids(service, { verified: { eq: false } })).toEqual([16]);
    expect(await ids(service, { datacenter: { eq: true }, order: [["id", "asc"]] })).toEqual([14, 15, 19]);
    expect(await ids(service, { geolocation: { in: ["CA", "US"] }, order: [["id", "asc"]] })).toEqual([12, 14]);
    expect(await ids(service, { driver_version: { gte: 571_000_000 } })).toEqual([]);
    expect((await ids(service, { driver_version: { gte: 570_086_015 } })).length).toBeGreaterThan(0);
    const [row] = await search(service, {});
    expect(row).not.toHaveProperty("verified");
    expect(row).toMatchObject({ verification: "verified" });
  });

  test("lets the offers' duration shrink as time goes by", async () => {
    await using service = await underTest({ scenario: { offers: [{ id: 1, duration: 7200 }] } });
    expect(await ids(service, { duration: { gte: 7000 } })).toEqual([1]);
    service.clock.advance(600);
    expect(await ids(service, { duration: { gte: 7000 } })).toEqual([]);
    expect((await search(service, {}))[0]).toMatchObject({ duration: 6600 });
  });

  test("applies the service's defaults only where the search says nothing", async () => {
    await using service = await underTest({
      scenario: { offers: [{ id: 1 }, { id: 2, rentable: false }, { id: 3, verification: "deverified" }] },
    });
    expect(await ids(service, {})).toEqual([1]);
    expect(await ids(service, { rentable: { eq: false } })).toEqual([2]);
    expect(await ids(service, { verified: { in: [true, false] }, order: [["id", "asc"]] })).toEqual([1, 3]);
  });

  test("shows a rented offer no more, unless rented ones are asked for, and again when it is given back", async () => {
    await using service = await underTest({ scenario: { offers: [{ id: 1 }] } });
    const { id } = await service.create(1);
    expect(await ids(service, {})).toEqual([]);
    expect(await search(service, { rented: { eq: true }, rentable: { in: [true, false] } })).toMatchObject([
      { id: 1, rented: true, rentable: false },
    ]);
    await service.call("DELETE", `/api/v0/instances/${id}/`);
    expect(await ids(service, {})).toEqual([1]);
  });

  test("gives at most 64 rows and orders by score on its own", async () => {
    const offers = Array.from({ length: 80 }, (_, index) => ({ id: index + 1, score: index }));
    await using service = await underTest({ scenario: { offers } });
    const found = await ids(service, { limit: 500 });
    expect(found).toHaveLength(64);
    expect(found.slice(0, 2)).toEqual([80, 79]);
    expect(await ids(service, { limit: 3, order: [["id", "asc"]] })).toEqual([1, 2, 3]);
  });

  test("prices interruptible offers at the lowest bid", async () => {
    await using service = await underTest({ scenario: { offers: [{ id: 1, min_bid: 0.1, storage_cost: 0 }] } });
    expect((await search(service, { type: "bid" }))[0]).toMatchObject({ is_bid: true, dph_total: 0.1 });
    for (const type of ["ondemand", "on-demand"])
      expect((await search(service, { type }))[0]).toMatchObject({ is_bid: false, dph_total: 0.4 });
  });

  test.each([
    [{ gpu: { eq: "RTX 4090" } }, "gpu is not a valid search key"],
    [{ constructor: { eq: 1 } }, "constructor is not a valid search key"],
    [{ num_gpus: { is: 1 } }, "is is not a valid search op"],
    [{ num_gpus: null }, "query values can't be None"],
    [{ num_gpus: { eq: null } }, "query values can't be None"],
    [{ num_gpus: 1 }, "num_gpus must be an object of operators"],
    [{ gpu_name: { in: "RTX 4090" } }, "in takes an array"],
    [{ type: "spot" }, "type must be on-demand or bid"],
    [{ limit: "many" }, "limit must be a number"],
    [{ order: [["dph_total", "up"]] }, "up is not a valid order"],
    [{ order: [["price", "asc"]] }, "price is not a valid search key"],
    [{ order: "dph_total" }, "order must be an array of pairs"],
  ])("refuses %j", async (query, msg) => {
    await using service = await underTest();
    expect(await refusal(service, query)).toEqual([400, { success: false, error: "invalid_request", msg }]);
  });

  test("marks what it does not imitate", async () => {
    await using service = await underTest();
    expect((await refusal(service, { type: "reserved" }))[0]).toBe(501);
    expect(service.sim.journal.strays()).toHaveLength(1);
  });
});

describe("seed", () => {
  const seed = { dialect: "seed" } as const;

  test("knows eq, gte, in and desc, and applies no defaults", async () => {
    await using service = await underTest(seed);
    const query = { gpu_name: { in: ["RTX 4090"] }, reliability: { gte: 0.95 }, order: [["dph_total", "desc"]] };
    expect(await ids(service, { ...query, type: "on-demand" })).toEqual([15, 20, 14, 13, 12, 11, 16]);
    expect(await ids(service, { verified: { eq: false } })).toEqual([16]);
  });

  test("takes filters on offer fields that the seed does not show, though its answers lack them", async () => {
    await using service = await underTest(seed);
    const query = {
      rentable: { eq: true },
      rented: { eq: false },
      external: { eq: false },
      cpu_arch: { eq: "amd64" },
      disk_space: { gte: 32 },
      duration: { gte: 7200 },
      gpu_name: { eq: "RTX 3090" },
    };
    expect(await ids(service, query)).toEqual([18]);
    await service.create(18);
    expect(await ids(service, query)).toEqual([]);
    expect(await search(service, { gpu_name: { eq: "RTX 3090" } })).toMatchObject([{ id: 18, rentable: false }]);
  });

  test.each([
    [{ dph_total: { lte: 0.6 } }, "lte is not a valid search op"],
    [{ gpu_name: { notin: ["RTX 4090"] } }, "notin is not a valid search op"],
    [{ order: [["dph_total", "asc"]] }, "asc is not a valid order"],
    [{ allocated_storage: 32 }, "allocated_storage is not a valid search key"],
    [{ num_gpus: { eq: "1" } }, "num_gpus takes a number"],
    [{ disable_bundling: true }, "disable_bundling is not a valid search key"],
  ])("refuses %j", async (query, msg) => {
    await using service = await underTest(seed);
    expect(await refusal(service, query)).toEqual([400, { success: false, error: "invalid_request", msg }]);
  });
});
