import { describe, expect, test } from "vitest";
import { underTest } from "./service-under-test.ts";

const OWNER = 50_210;
const KEYS = "/api/v0/auth/apikeys/";
const USER = ["GET", "/api/v0/users/current/"] as const;
const REMOVE = ["DELETE", "/api/v0/team/members/7"] as const;

describe.each(["seed", "observed"] as const)("remove team member, dialect %s", (dialect) => {
  const team = [{ id: 7 }, { id: 8 }];
  const keys = [
    { key: "of-seven", scopes: ["user_read" as const], member: 7 },
    { key: "poor", scopes: ["team_read" as const] },
  ];

  test("removes once, and revokes the member's keys; the second time there is no such member", async () => {
    await using service = await underTest({ dialect, scenario: { team, keys } });
    expect((await service.call(...USER, undefined, { key: "of-seven" })).status).toBe(200);
    const first = await service.call(...REMOVE);
    expect([first.status, first.body]).toEqual([200, { status: "success", message: expect.any(String) }]);
    expect((await service.call(...USER, undefined, { key: "of-seven" })).status).toBe(401);
    const again = await service.call(...REMOVE);
    expect([again.status, again.body]).toEqual([404, { status: "failure", message: expect.any(String) }]);
  });

  test("never the owner", async () => {
    await using service = await underTest({ dialect, scenario: { team } });
    const { status, body } = await service.call("DELETE", `/api/v0/team/members/${OWNER}`);
    expect([status, body]).toEqual([400, { msg: expect.any(String) }]);
  });

  test.each([
    ["no key", null, 401, "unauthorized"],
    ["a wrong key", "wrong", 401, "unauthorized"],
    ["a key that may only read the team", "poor", 403, "forbidden"],
  ])("%s", async (_what, key, expected, error) => {
    await using service = await underTest({ dialect, scenario: { team, keys } });
    const { status, body } = await service.call(...REMOVE, undefined, { key });
    expect([status, body]).toEqual([expected, { success: false, error, msg: expect.any(String) }]);
  });

  test("a blacklisted user", async () => {
    await using service = await underTest({ dialect, scenario: { team, user: { blacklisted: true } } });
    const { status, body } = await service.call(...REMOVE);
    expect([status, body]).toEqual([403, { success: false, error: "forbidden", msg: expect.any(String) }]);
  });

  test("too often: JSON, with the threshold", async () => {
    await using service = await underTest({ dialect, scenario: { team, limits: true } });
    await service.call(...REMOVE);
    const { status, body } = await service.call("DELETE", "/api/v0/team/members/8");
    expect([status, body]).toEqual([
      429,
      { success: false, error: "rate_limit_exceeded", msg: expect.stringContaining("3.0") },
    ]);
    service.clock.advance(3);
    expect((await service.call("DELETE", "/api/v0/team/members/8")).status).toBe(200);
  });
});

test("shows the team as observed, and has no such address in the seed", async () => {
  await using service = await underTest({ scenario: { team: [{ id: 7 }] } });
  const { body } = await service.call("GET", "/api/v0/team/members/");
  expect(body).toMatchObject([
    { id: OWNER, fullname: expect.any(String) },
    { id: 7, fullname: expect.any(String), roles: ["member"] },
  ]);
  await using seed = await underTest({ dialect: "seed" });
  expect((await seed.call("GET", "/api/v0/team/members/")).status).toBe(404);
});

test.each(["seed", "observed"] as const)(
  "a key that lacks a permission can be told by 401, dialect %s",
  async (dialect) => {
    const keys = [{ key: "poor", scopes: ["misc" as const] }];
    await using service = await underTest({ dialect, scenario: { keys, missingPermissionStatus: 401 } });
    expect((await service.call(...USER, undefined, { key: "poor" })).status).toBe(401);
  },
);

describe("API keys as observed", () => {
  test("a key is made with its permissions, works within them, and its secret is shown once", async () => {
    await using service = await underTest();
    const permissions = { api: { misc: {}, user_read: {} } };
    const { status, body } = await service.call("POST", KEYS, { name: "ci", permissions });
    expect([status, body]).toEqual([200, { id: expect.any(Number), key: expect.any(String), permissions }]);
    const { id, key } = body as { id: number; key: string };
    expect((await service.call(...USER, undefined, { key })).body).toMatchObject({ key_id: id });
    expect((await service.call("GET", "/api/v1/instances/", undefined, { key })).status).toBe(403);
    const list = (await service.call("GET", KEYS)).body;
    expect(list).toMatchObject({
      apikeys: [
        { name: "primary", key: null },
        { id, name: "ci", key: null, permissions },
      ],
    });
    expect((await service.call("GET", `${KEYS}${id}/`, undefined, { key })).body).toMatchObject({ id, permissions });
    expect(JSON.stringify([list, service.sim.journal.entries])).not.toContain(key);
  });

  test("without permissions it may do all", async () => {
    await using service = await underTest();
    const { body } = await service.call("POST", KEYS, { name: "all" });
    expect(body).toMatchObject({ permissions: false });
    const { key } = body as { key: string };
    expect((await service.call("GET", "/api/v1/instances/", undefined, { key })).status).toBe(200);
  });

  test.each([
    [{ permissions: { api: { misc: {} } } }, "invalid_args"],
    [{ name: "x", permissions: { api: { everything: {} } } }, "invalid_permissions"],
    [{ name: "x", permissions: { misc: {} } }, "invalid_permissions"],
    [{ name: "x", permissions: { api: {} } }, "missing_permissions"],
    [{ name: "x", scopes: [] }, "invalid_args"],
  ])("create %j is refused", async (body, error) => {
    await using service = await underTest();
    const answer = await service.call("POST", KEYS, body);
    expect([answer.status, answer.body]).toEqual([400, expect.objectContaining({ error })]);
  });

  test("deleting ends a key; the primary one stays", async () => {
    await using service = await underTest();
    const { id, key } = (await service.call("POST", KEYS, { name: "ci" })).body as { id: number; key: string };
    const { status, body } = await service.call("DELETE", `${KEYS}${id}/`);
    expect([status, body]).toEqual([200, "Successfully Deleted API Key"]);
    expect((await service.call(...USER, undefined, { key })).status).toBe(401);
    for (const method of ["GET", "DELETE"]) {
      const gone = await service.call(method, `${KEYS}${id}/`);
      expect([gone.status, gone.body]).toEqual([404, { msg: "API Key not found." }]);
    }
    const primary = (await service.call(...USER)).body as { key_id: number };
    expect((await service.call("DELETE", `${KEYS}${primary.key_id}/`)).status).toBe(400);
  });

  test("resetting gives the key that asks another secret", async () => {
    await using service = await underTest();
    expect((await service.call("PUT", "/api/v0/commands/reset_apikey/", {})).status).toBe(400);
    const { body } = await service.call("PUT", "/api/v0/commands/reset_apikey/", { client_id: "me" });
    const { new_api_key: key } = body as { new_api_key: string };
    expect((await service.call(...USER)).status).toBe(401);
    expect((await service.call(...USER, undefined, { key })).status).toBe(200);
    expect(JSON.stringify(service.sim.journal.entries)).not.toContain(key);
  });

  test("an instance's key gets nowhere near them, nor does a key without user_write", async () => {
    const keys = [{ key: "reader", scopes: ["user_read" as const] }];
    await using service = await underTest({ scenario: { keys } });
    const own = await service.create(11);
    for (const key of [own.key, "reader"]) {
      expect((await service.call("POST", KEYS, { name: "x" }, { key })).status).toBe(403);
      expect((await service.call("PUT", "/api/v0/commands/reset_apikey/", { client_id: "me" }, { key })).status).toBe(
        403,
      );
    }
  });
});

test("a key shows its rights and its team as the vendor describes them", async () => {
  const keys = [{ key: "reader", scopes: ["user_read" as const, "misc" as const] }];
  await using service = await underTest({ scenario: { keys } });
  const { body } = await service.call("GET", KEYS);
  const { apikeys: rows } = body as { apikeys: { rights: string }[] };
  expect(rows.map(({ rights }) => rights)).toEqual(expect.arrayContaining(["all", "user_read misc"]));
  for (const row of rows) expect(row).toMatchObject({ team_id: OWNER, team_name: expect.any(String) });
});

test("the seed shows no address for keys", async () => {
  await using service = await underTest({ dialect: "seed" });
  for (const [method, path] of [
    ["GET", KEYS],
    ["POST", KEYS],
    ["GET", `${KEYS}9001/`],
    ["DELETE", `${KEYS}9001/`],
    ["PUT", "/api/v0/commands/reset_apikey/"],
  ] as const) {
    expect((await service.call(method, path, method === "GET" ? undefined : {})).status).toBe(404);
  }
});
