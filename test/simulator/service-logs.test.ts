import { expect, test } from "vitest";
import type { MachineHost } from "../../simulator/service/containers/machine-host.ts";
import { type UnderTest, underTest } from "./service-under-test.ts";

const HOST: MachineHost = {
  start() {},
  stop: async () => {},
  destroy: async () => {},
  containerLog: (id) => `one of ${id}\ntwo\n\nthree\n`,
};

async function addressOf(service: UnderTest, id: number, body: Record<string, unknown>): Promise<URL> {
  const { body: answer } = await service.call("PUT", `/api/v0/instances/request_logs/${id}/`, body);
  return new URL((answer as { result_url: string }).result_url);
}

test("a log is a file that appears a little later, at its own address and without a key", async () => {
  await using service = await underTest({ machines: HOST });
  const { id } = await service.create(11);
  const { pathname, search } = await addressOf(service, id, { tail: "2" });
  const read = (address: string, key: string | null = null) => service.call("GET", address, undefined, { key });
  expect((await read(pathname + search)).status).toBe(404);
  service.clock.advance(1);
  expect(await read(pathname + search)).toMatchObject({ status: 200, text: "two\nthree" });
  expect((await read(pathname)).status).toBe(404);
  expect((await read(pathname + search, service.sim.apiKey)).status).toBe(400);
});

test("the lines can be filtered; a body that is not the service's own is refused", async () => {
  await using service = await underTest({ machines: HOST });
  const { id } = await service.create(11);
  const { pathname, search } = await addressOf(service, id, { tail: "1000", filter: "of" });
  service.clock.advance(1);
  expect((await service.call("GET", pathname + search, undefined, { key: null })).text).toBe(`one of ${id}`);
  const path = `/api/v0/instances/request_logs/${id}/`;
  expect((await service.call("PUT", path, { tail: 20 })).status).toBe(400);
  expect((await service.call("PUT", path, { tail: "20", lines: "all" })).status).toBe(400);
});

test("the daemon's log has the statuses of the boot as far as it has come", async () => {
  await using service = await underTest();
  const { id } = await service.create(11);
  service.clock.advance(3);
  const { pathname, search } = await addressOf(service, id, { tail: "20", daemon_logs: "true" });
  service.clock.advance(10);
  const { text } = await service.call("GET", pathname + search, undefined, { key: null });
  expect(text).toContain("Pulling fs layer");
  expect(text).not.toContain("success, running");
});

test("there is none of an instance that is gone, and none at all in the seed's dialect", async () => {
  await using observed = await underTest();
  expect(await observed.call("PUT", "/api/v0/instances/request_logs/7/", { tail: "20" })).toMatchObject({
    status: 404,
    body: { error: "invalid_id" },
  });
  await using seed = await underTest({ dialect: "seed" });
  const { id } = await seed.create(11);
  expect((await seed.call("PUT", `/api/v0/instances/request_logs/${id}/`, { tail: "20" })).status).toBe(404);
});
