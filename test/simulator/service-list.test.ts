import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type UnderTest, underTest } from "./service-under-test.ts";

const Page = z.object({
  instances_found: z.int(),
  total_instances: z.int(),
  next_token: z.string().nullable(),
  instances: z.array(z.record(z.string(), z.unknown())),
});

async function fleet(count: number, labels: (index: number) => string = (index) => `label-${index}`) {
  const offers = Array.from({ length: count }, (_, index) => ({ id: index + 1 }));
  const service = await underTest({ scenario: { offers } });
  for (const { id } of offers) await service.create(id, { label: labels(id) });
  return service;
}

async function page(service: UnderTest, query: Record<string, unknown> = {}) {
  const texts = Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
  return service.call("GET", `/api/v1/instances/?${new URLSearchParams(texts)}`);
}

async function read(service: UnderTest, query: Record<string, unknown> = {}) {
  return Page.parse((await page(service, query)).body);
}

describe.each([{ dialect: "observed" }, { dialect: "seed" }] as const)(
  "the list without pages, $dialect",
  (dialect) => {
    test("is an empty array when there are none", async () => {
      await using service = await underTest(dialect);
      expect((await service.call("GET", "/api/v0/instances/")).body).toEqual({ instances_found: 0, instances: [] });
    });

    test("holds every instance, with or without the slash at the end", async () => {
      await using service = await underTest(dialect);
      const { id } = await service.create(11, { label: "one" });
      await service.create(12, { label: "two" });
      const { body } = await service.call("GET", "/api/v0/instances");
      expect(body).toMatchObject({ instances_found: 2, instances: [{ id, label: "one" }, { label: "two" }] });
      await service.call("DELETE", `/api/v0/instances/${id}/`);
      expect((await service.call("GET", "/api/v0/instances/?owner=me")).body).toMatchObject({ instances_found: 1 });
    });
  },
);

test("has no list in pages in the seed's dialect, and that is no stray request", async () => {
  await using service = await underTest({ dialect: "seed" });
  expect((await page(service)).status).toBe(404);
  expect(service.sim.journal.strays()).toEqual([]);
});

describe("the list in pages", () => {
  test("skips nothing when an instance of an earlier page goes in between", async () => {
    await using service = await fleet(7);
    const first = await read(service, { limit: "3" });
    await service.call("DELETE", `/api/v0/instances/${first.instances[0]?.id}/`);
    const second = await read(service, { limit: "10", after_token: first.next_token });
    expect(second.instances.map(({ label }) => label)).toEqual(["label-4", "label-5", "label-6", "label-7"]);
  });

  test("takes a limit of 0 as 5, and none as 25", async () => {
    await using service = await fleet(26);
    expect((await read(service)).instances_found).toBe(25);
    expect((await read(service, { limit: "0" })).instances_found).toBe(5);
  });

  test("filters by status and by id", async () => {
    await using service = await fleet(2);
    service.clock.advance(60);
    const { id } = service.sim.instances()[1] ?? {};
    expect(await read(service, { select_filters: { actual_status: { eq: "running" }, id: { gt: id } } })).toMatchObject(
      {
        instances_found: 0,
      },
    );
    expect(await read(service, { select_filters: { actual_status: { eq: "running" }, id: { eq: id } } })).toMatchObject(
      {
        instances: [{ id }],
      },
    );
  });

  test("gives only the columns that were asked for, null for one that it does not know", async () => {
    await using service = await fleet(1);
    const { instances } = await read(service, { select_cols: ["id", "label", "shoe_size"] });
    expect(instances).toEqual([{ id: expect.any(Number), label: "label-1", shoe_size: null }]);
    const all = await read(service, { select_cols: ["*"] });
    expect(all.instances[0]).toHaveProperty("extra_env");
  });

  test("orders by columns, over the pages too", async () => {
    await using service = await fleet(6, (index) => (index % 2 ? "odd" : "even"));
    const order_by = [{ col: "label", dir: "desc" }];
    const first = await read(service, { order_by, limit: "4" });
    const second = await read(service, { order_by, limit: "4", after_token: first.next_token });
    expect([...first.instances, ...second.instances].map(({ label }) => label)).toEqual([
      "odd",
      "odd",
      "odd",
      "even",
      "even",
      "even",
    ]);
  });

  test.each([
    [{ select_filters: { dph_total: { lte: 1 } } }, "invalid_request", "dph_total is not a valid search key"],
    [{ select_filters: { num_gpus: { eq: 1 } } }, "invalid_request", "num_gpus is not a valid search key"],
    [{ select_filters: { label: { like: "x" } } }, "invalid_request", "like is not a valid search op"],
    [{ select_filters: "{label" }, "invalid_request", "select_filters can't be read"],
    [{ order_by: "label" }, "invalid_request", "order_by can't be read"],
    [{ limit: "few" }, "invalid_request", "limit must be an integer"],
    [{ after_token: "xyz" }, "invalid_token", "after_token can't be read"],
  ])("refuses %j", async (query, error, msg) => {
    await using service = await fleet(1);
    const { status, body } = await page(service, query);
    expect([status, body]).toEqual([400, { success: false, error, msg }]);
  });
});
