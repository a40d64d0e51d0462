import { describe, expect, test } from "vitest";
import { underTest } from "./service-under-test.ts";

const LIST = ["GET", "/api/v0/instances/"] as const;
const SEARCH = ["POST", "/api/v0/bundles/"] as const;

describe.each([
  { dialect: "observed", missing: { error: "auth_error", msg: "Invalid user key" }, denied: "not_authorized" },
  { dialect: "seed", missing: { error: "unauthorized", msg: "Invalid or missing API key." }, denied: "forbidden" },
] as const)("in dialect $dialect", ({ dialect, missing, denied }) => {
  test.each([
    ["none", null],
    ["a wrong one", "0".repeat(64)],
  ])("answers 401 to a key that is %s", async (_what, key) => {
    await using service = await underTest({ dialect });
    const { status, body } = await service.call(...LIST, undefined, { key });
    expect([status, body]).toEqual([401, { success: false, ...missing }]);
    expect((await service.call("PUT", "/api/v0/asks/11/", { image: "a:1" }, { key })).status).toBe(401);
    expect(service.sim.instances()).toEqual([]);
  });

  test("takes the key only as a bearer of the header", async () => {
    await using service = await underTest({ dialect });
    const headers = { authorization: service.sim.apiKey };
    expect((await fetch(`${service.sim.url}/api/v0/instances/`, { headers })).status).toBe(401);
    expect((await fetch(`${service.sim.url}/api/v0/instances/?api_key=${service.sim.apiKey}`)).status).toBe(401);
    expect(JSON.stringify(service.sim.journal.entries)).not.toContain(service.sim.apiKey);
  });

  test.each([
    ["misc", SEARCH, {}],
    ["instance_read", LIST, undefined],
    ["instance_read", ["GET", "/api/v0/instances/7/"], undefined],
    ["instance_write", ["PUT", "/api/v0/asks/11/"], { image: "a:1" }],
    ["instance_write", ["PUT", "/api/v0/instances/7/"], { state: "stopped" }],
    ["instance_write", ["DELETE", "/api/v0/instances/7/"], undefined],
    ["user_read", ["GET", "/api/v0/users/current/"], undefined],
  ] as const)("wants the permission %s for %j", async (scope, [method, path], body) => {
    const every = ["misc", "instance_read", "instance_write", "user_read"] as const;
    const keys = [
      { key: "with", scopes: [scope] },
      { key: "without", scopes: every.filter((each) => each !== scope) },
    ];
    await using service = await underTest({ dialect, keys });
    const refused = await service.call(method, path, body, { key: "without" });
    expect([refused.status, refused.body]).toEqual([403, expect.objectContaining({ success: false, error: denied })]);
    expect(service.sim.instances()).toEqual([]);
    expect([200, 404]).toContain((await service.call(method, path, body, { key: "with" })).status);
  });

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

  test("shows the current user and the credit that is left", async () => {
    await using service = await underTest({ dialect, scenario: { user: { credit: 5 } } });
    await service.create(11);
    service.clock.advance(3600);
    const { body } = await service.call("GET", "/api/v0/users/current/");
    expect(body).toMatchObject({ id: expect.any(Number), email: "ci@example.com", ssh_key: expect.any(String) });
    expect(body).toMatchObject({ credit: 5 - service.sim.books.total() });
    expect((await service.call("GET", "/api/v0/users/current")).status).toBe(200);
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
