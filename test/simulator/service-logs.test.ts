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
