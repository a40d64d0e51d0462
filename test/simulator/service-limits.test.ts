import { expect, test } from "vitest";
import { underTest } from "./service-under-test.ts";

const limited = {
  scenario: { limits: true, apiKey: "k", keys: [{ key: "other", scopes: ["instance_read" as const] }] },
};

test("counts per operation and per key, not per address", async () => {
  await using service = await underTest(limited);
  const get = (id: number, key: string) => service.call("GET", `/api/v0/instances/${id}/`, undefined, { key });
  expect((await get(1, "k")).status).toBe(200);
  expect((await get(2, "k")).text).toBe("API requests too frequent: endpoint threshold=2.0*1.0");
  expect((await get(2, "other")).status).toBe(200);
  expect((await service.call("GET", "/api/v1/instances/")).status).toBe(200);
  expect((await service.call("GET", "/api/v0/instances/")).status).toBe(200);
  service.clock.advance(1);
  expect((await service.call("GET", "/api/v1/instances/")).status).toBe(200);
  expect((await service.call("GET", "/api/v0/instances/")).status).toBe(429);
});

test("lets ten searches a minute through", async () => {
  await using service = await underTest(limited);
  const search = async () => (await service.call("POST", "/api/v0/bundles/", {})).status;
  for (let calls = 0; calls < 10; calls += 1) expect(await search()).toBe(200);
  expect(await search()).toBe(429);
  service.clock.advance(60);
  expect(await search()).toBe(200);
});

test("has the seed's JSON shape in the seed's dialect, with the threshold in the sentence", async () => {
  await using service = await underTest({ dialect: "seed", ...limited });
  await service.call("DELETE", "/api/v0/instances/1/");
  const { status, body } = await service.call("DELETE", "/api/v0/instances/1/");
  expect([status, body]).toEqual([
    429,
    { success: false, error: "rate_limit_exceeded", msg: "API requests too frequent: endpoint threshold=3.0" },
  ]);
});
