import { expect, test } from "vitest";
import type { Fault } from "../../simulator/scenario/fault.ts";
import { type UnderTest, underTest } from "./support/service.ts";
import { until } from "./support/until.ts";

async function withFaults(...faults: Fault[]) {
  return underTest({ scenario: { faults } });
}

function create(service: UnderTest, signal?: AbortSignal, offer = 11) {
  return service.call("PUT", `/api/v0/asks/${offer}/`, { image: "a:1" }, signal ? { signal } : {});
}

const listOf = async ({ call }: UnderTest, version = "v1") => (await call("GET", `/api/${version}/instances/`)).body;

function last({ sim }: UnderTest) {
  return sim.journal.entries.at(-1);
}

test.each([
  ["before", 0],
  ["after", 1],
] as const)("never-answer %s the effect: the connection stays open", async (when, instances) => {
  await using service = await withFaults({ operation: "createInstance", kind: "never-answer", when });
  const abort = new AbortController();
  let ended = false;
  const call = create(service, abort.signal).catch((fault: Error) => {
    ended = true;
    return fault;
  });
  await until(() => last(service)?.outcome === "never answered");
  service.clock.advance(3600);
  expect(ended).toBe(false);
  expect(service.sim.instances()).toHaveLength(instances);
  abort.abort();
  expect(await call).toMatchObject({ name: "AbortError" });
});

test.each([
  ["before", 0],
  ["after", 1],
] as const)("delay %s the effect: the answer waits for the simulated seconds", async (when, instances) => {
  await using service = await withFaults({ operation: "createInstance", kind: "delay", seconds: 30, when });
  const call = create(service);
  await until(() => service.sim.journal.entries.length === 1);
  expect(service.sim.instances()).toHaveLength(instances);
  service.clock.advance(29);
  expect(last(service)?.outcome).toBe("pending");
  service.clock.advance(1);
  expect((await call).status).toBe(200);
  expect(service.sim.instances()).toHaveLength(1);
});

test("late-create: the answer is lost, and the instance comes to exist later", async () => {
  await using service = await withFaults({ operation: "createInstance", kind: "late-create", seconds: 20 });
  await expect(create(service)).rejects.toThrow("fetch failed");
  service.clock.advance(19);
  expect(service.sim.instances()).toEqual([]);
  service.clock.advance(1);
  expect(service.sim.books.billingNow()).toHaveLength(1);
  const [record] = service.sim.instances();
  expect(record?.createdAt).toBe(service.clock.now());
});

test("twin: one create makes two instances on one offer, of which it names the first; both boot", async () => {
  await using service = await withFaults({ operation: "createInstance", kind: "twin", seconds: 20 });
  const { body } = await create(service);
  const [first, second] = service.sim.instances();
  expect(body).toMatchObject({ success: true, new_contract: first?.id });
  expect(second?.order).toBe(first?.order);
  service.clock.advance(19);
  expect(await listOf(service)).toMatchObject({ instances: [{ id: first?.id }] });
  service.clock.advance(600);
  const both = [first, second].map((each) => ({ id: each?.id, actual_status: "running" }));
  expect(await listOf(service)).toMatchObject({ instances: both });
});

test.each(["all", "shown"] as const)(
  "short-list: rows are left out, and the total counts those that are %s",
  async (total) => {
    const short = { operation: "listInstances", kind: "short-list", total } as const;
    await using service = await withFaults(
      { ...short, lacks: 0b10, nth: 1, times: 2 },
      { ...short, lacks: "all", nth: 3 },
    );
    for (const offer of [11, 12, 13]) await create(service, undefined, offer);
    const ids = service.sim.instances().map(({ id }) => id);
    const left = [{ id: ids[0] }, { id: ids[2] }];
    const found = (count: number) => (total === "all" ? 3 : count);
    expect(await listOf(service, "v0")).toMatchObject({ instances_found: found(2), instances: left });
    expect(await listOf(service)).toMatchObject({ instances_found: 2, total_instances: found(2), instances: left });
    expect(await listOf(service)).toMatchObject({ instances_found: 0, total_instances: found(0), instances: [] });
    expect(await listOf(service)).toMatchObject({ instances_found: 3, total_instances: 3 });
  },
);

test("hits the nth matching request, so many times, and only the offer or instance it names", async () => {
  await using service = await withFaults(
    { operation: "createInstance", kind: "status", status: 503, nth: 2, times: 2 },
    { operation: "createInstance", kind: "status", status: 418, offer: 14 },
  );
  const statuses: number[] = [];
  for (const offer of [11, 12, 12, 12, 14, 14]) statuses.push((await create(service, undefined, offer)).status);
  expect(statuses).toEqual([200, 503, 503, 200, 418, 418]);
});

test("hits only requests with the kind of key it names", async () => {
  await using service = await withFaults({
    operation: "destroyInstance",
    kind: "status",
    status: 500,
    caller: "instance",
  });
  const { id, key } = await service.create(11);
  expect((await service.call("DELETE", `/api/v0/instances/${id}/`, undefined, { key })).status).toBe(500);
  expect(service.sim.books.billingNow()).toHaveLength(1);
  expect((await service.call("DELETE", `/api/v0/instances/${id}/`)).status).toBe(200);
});

test("lets a fault of the answer and one of the operation meet in one request", async () => {
  await using service = await withFaults(
    { operation: "createInstance", kind: "lose-answer" },
    { operation: "createInstance", kind: "visibility-lag", seconds: 8 },
  );
  await expect(create(service)).rejects.toThrow("fetch failed");
  expect(await listOf(service)).toMatchObject({ instances: [] });
  service.clock.advance(8);
  expect(await listOf(service)).toMatchObject({ instances: [{ id: service.sim.instances()[0]?.id }] });
});

test("replaces all faults while it runs, and refuses one that is not valid", async () => {
  await using service = await withFaults({ operation: "listInstances", kind: "refuse" });
  await expect(service.call("GET", "/api/v0/instances/")).rejects.toThrow();
  service.sim.setFaults([]);
  expect((await service.call("GET", "/api/v0/instances/")).status).toBe(200);
  const typo = { operation: "listInstance", kind: "refuse" };
  expect(() => service.sim.setFaults(JSON.parse(JSON.stringify([typo])))).toThrow(/operation/);
});

test("stale-list: it shows what there was, so many seconds ago", async () => {
  await using service = await withFaults({ operation: "listInstances", kind: "stale-list", seconds: 10, nth: 2 });
  await service.create(11);
  service.clock.advance(9);
  expect(await listOf(service)).toMatchObject({ instances_found: 1 });
  expect(await listOf(service)).toMatchObject({ instances_found: 0 });
  expect(await listOf(service)).toMatchObject({ instances_found: 1 });
});

test("stale-list: an instance that is destroyed is still shown", async () => {
  await using service = await withFaults({ operation: "listInstances", kind: "stale-list", seconds: 10 });
  const { id } = await service.create(11);
  service.clock.advance(20);
  await service.call("DELETE", `/api/v0/instances/${id}/`);
  expect(await listOf(service)).toMatchObject({ instances: [{ id, actual_status: "running" }] });
  service.clock.advance(10);
  expect(await listOf(service)).toMatchObject({ instances: [] });
});

test("repeat-page: the first page comes again, and says that another one follows", async () => {
  await using service = await withFaults({ operation: "listInstances", kind: "repeat-page", times: 2 });
  const { id } = await service.create(11);
  const page = async (token = "") =>
    (await service.call("GET", `/api/v1/instances/?after_token=${token}`)).body as { next_token: string };
  const first = await page();
  expect(first).toMatchObject({ instances: [{ id }], next_token: expect.stringMatching(/./) });
  expect(await page(first.next_token)).toEqual(first);
  // Whoever follows it without the fault finds the same rows, and the end.
  expect(await page(first.next_token)).toMatchObject({ instances: [{ id }], next_token: null });
});

test("search-quota: a search is refused in the service's own word", async () => {
  await using service = await withFaults({ operation: "searchOffers", kind: "search-quota", times: 1 });
  const search = () => service.call("POST", "/api/v0/bundles/", {});
  const { status, body } = await search();
  expect([status, body]).toEqual([429, expect.objectContaining({ success: false, error: "search_quota_exceeded" })]);
  expect((await search()).status).toBe(200);
});

test.each([
  ["debian", 500],
  ["registry.example.com:5000/debian", 500],
  ["debian:13", 200],
  ["registry.example.com:5000/debian:13", 200],
  ["debian@sha256:0123", 200],
])("untagged-image: %s gives %i", async (image, status) => {
  await using service = await withFaults({ operation: "createInstance", kind: "untagged-image" });
  expect((await service.call("PUT", "/api/v0/asks/11/", { image })).status).toBe(status);
});
