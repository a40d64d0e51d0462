import { expect, test } from "vitest";
import type { Fault } from "../../simulator/scenario/fault.ts";
import { type UnderTest, underTest } from "./support/service.ts";
import { until } from "./support/until.ts";

const withFaults = (...faults: Fault[]) => underTest({ scenario: { faults } });
const create = (service: UnderTest, offer = 11) => service.call("PUT", `/api/v0/asks/${offer}/`, { image: "a:1" });
const listOf = async ({ call }: UnderTest) => (await call("GET", "/api/v1/instances/")).body;

test.each([
  ["before", 0],
  ["after", 1],
] as const)("delay %s the effect: the answer waits for the simulated seconds", async (when, instances) => {
  await using service = await withFaults({ operation: "createInstance", kind: "delay", seconds: 30, when });
  const call = create(service);
  await until(() => service.sim.journal.entries.length === 1);
  expect(service.sim.instances()).toHaveLength(instances);
  service.clock.advance(29);
  expect(service.sim.journal.entries[0]?.outcome).toBe("pending");
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

test.each([
  ["all", 3, 3],
  ["shown", 2, 0],
] as const)("short-list: rows are left out, and the total counts those that are %s", async (total, some, none) => {
  const short = { operation: "listInstances", kind: "short-list", total } as const;
  await using service = await withFaults({ ...short, lacks: 0b10, nth: 1 }, { ...short, lacks: "all", nth: 2 });
  for (const offer of [11, 12, 13]) await create(service, offer);
  const [first, , third] = service.sim.instances().map(({ id }) => ({ id }));
  expect(await listOf(service)).toMatchObject({ total_instances: some, instances: [first, third] });
  expect(await listOf(service)).toMatchObject({ instances_found: 0, total_instances: none, instances: [] });
  expect(await listOf(service)).toMatchObject({ instances_found: 3, total_instances: 3 });
});

test("a fault hits the nth matching request, so many times, and only the offer or kind of key that it names", async () => {
  await using service = await withFaults(
    { operation: "createInstance", kind: "status", status: 503, nth: 2, times: 2 },
    { operation: "createInstance", kind: "status", status: 418, offer: 14 },
    { operation: "destroyInstance", kind: "status", status: 500, caller: "instance" },
  );
  const { id, key } = await service.create(11);
  const statuses: number[] = [];
  for (const offer of [12, 12, 12, 14, 14]) statuses.push((await create(service, offer)).status);
  expect(statuses).toEqual([503, 503, 200, 418, 418]);
  const destroy = async (options = {}) =>
    (await service.call("DELETE", `/api/v0/instances/${id}/`, undefined, options)).status;
  expect([await destroy({ key }), await destroy()]).toEqual([500, 200]);
});

test("stale-list: it shows what there was, so many seconds ago", async () => {
  const stale = { operation: "listInstances", kind: "stale-list", seconds: 10 } as const;
  await using service = await withFaults({ ...stale, nth: 2, times: 2 });
  const { id } = await service.create(11);
  service.clock.advance(9);
  expect(await listOf(service)).toMatchObject({ instances_found: 1 });
  expect(await listOf(service)).toMatchObject({ instances_found: 0 });
  service.clock.advance(11);
  await service.call("DELETE", `/api/v0/instances/${id}/`);
  expect(await listOf(service)).toMatchObject({ instances: [{ id, actual_status: "running" }] });
  expect(await listOf(service)).toMatchObject({ instances_found: 0 });
});

test("search-quota: a search is refused in the service's own word", async () => {
  await using service = await withFaults({ operation: "searchOffers", kind: "search-quota" });
  const { status, body } = await service.call("POST", "/api/v0/bundles/", {});
  expect([status, body]).toEqual([429, expect.objectContaining({ success: false, error: "search_quota_exceeded" })]);
});

test("drip: the answer arrives bit by bit, over so many simulated seconds", async () => {
  await using service = await withFaults({ operation: "createInstance", kind: "drip", seconds: 30 });
  const start = service.clock.now();
  let reply: number | undefined;
  void create(service).then(({ status }) => (reply = status));
  await until(() => {
    service.clock.advance(1);
    return reply !== undefined;
  });
  expect(reply).toBe(200);
  expect(service.clock.now() - start).toBeGreaterThanOrEqual(30_000);
});

test("junk: columns are NaN or left out; a text stays as it is", async () => {
  const columns = { nan: ["dlperf"], drop: ["geolocation"] };
  await using service = await withFaults({ operation: "searchOffers", kind: "junk", ...columns });
  const { status, text } = await service.call("POST", "/api/v0/bundles/", {});
  expect([status, text]).toEqual([200, expect.stringContaining('"dlperf":NaN')]);
  expect(text).not.toContain("geolocation");
});
