import { describe, expect, test } from "vitest";
import { underTest } from "./service-under-test.ts";

const LIST = ["GET", "/api/v0/instances/"] as const;
const SEARCH = ["POST", "/api/v0/bundles/"] as const;

describe.each(["observed", "seed"] as const)("in dialect %s", (dialect) => {
  test("lets an instance's key stop, start and destroy that instance alone", async () => {
    await using service = await underTest({ dialect });
    const { id, key } = await service.create(11);
    const other = await service.create(12);
    service.clock.advance(10);
    const as = { key };
    for (const [method, path, body] of [
      ["PUT", `/api/v0/instances/${other.id}/`, { state: "stopped" }],
      ["DELETE", `/api/v0/instances/${other.id}/`, undefined],
      ["GET", `/api/v0/instances/${other.id}/`, undefined],
      ["PUT", `/api/v0/instances/${id}/`, { label: "mine" }],
      ["PUT", "/api/v0/asks/13/", { image: "a:1" }],
      [...LIST, undefined],
      ["GET", "/api/v0/users/current/", undefined],
      [...SEARCH, {}],
    ] as const) {
      expect([method, path, (await service.call(method, path, body, as)).status]).toEqual([method, path, 403]);
    }
    expect((await service.call("PUT", `/api/v0/instances/${id}/`, { state: "stopped" }, as)).status).toBe(200);
    expect((await service.call("PUT", `/api/v0/instances/${id}/`, { state: "running" }, as)).status).toBe(200);
    expect((await service.call("DELETE", `/api/v0/instances/${id}/`, undefined, as)).status).toBe(200);
    expect(service.sim.instances()[0]?.events.at(-1)).toMatchObject({ kind: "destroy", by: "instance" });
    expect((await service.call("DELETE", `/api/v0/instances/${id}/`, undefined, as)).status).toBe(401);
    expect(service.sim.books.billingNow()).toMatchObject([{ id: other.id }]);
  });
});

test("lets an instance's key read its own instance as observed, and not by the seed", async () => {
  for (const [dialect, expected] of [
    ["observed", 200],
    ["seed", 403],
  ] as const) {
    await using service = await underTest({ dialect });
    const { id, key } = await service.create(11);
    expect((await service.call("GET", `/api/v0/instances/${id}/`, undefined, { key })).status).toBe(expected);
  }
});

test("searches without any key as observed (404 with a bad one), and not by the seed", async () => {
  await using observed = await underTest();
  expect((await observed.call(...SEARCH, {}, { key: null })).status).toBe(200);
  const bad = await observed.call(...SEARCH, {}, { key: "bad" });
  expect([bad.status, bad.body]).toEqual([404, { success: false, error: "auth_error", msg: "Invalid user key" }]);
  await using seed = await underTest({ dialect: "seed" });
  expect((await seed.call(...SEARCH, {}, { key: null })).status).toBe(401);
});
