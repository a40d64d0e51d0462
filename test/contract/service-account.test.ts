import { describe, expect, test } from "vitest";
import type { AccountClient } from "../../client/account.ts";
import type { Permission } from "../../simulator/scenario/fault.ts";
import type { Scenario } from "../../simulator/scenario/scenario.ts";
import {
  AuthenticationError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestRejectedError,
  UnexpectedAnswerError,
} from "../../src/marketplace/errors.ts";
import { permissionsOf } from "../../src/marketplace/vast/schemas.ts";
import { seedQuery, wireQuery } from "../../src/marketplace/vast/translate.ts";
import { underTest } from "../simulator/support/service.ts";
import { aConfig } from "../unit/support/an-instance-config.ts";
import { DIALECTS, QUERY, rent, startContract } from "./support/service-under-contract.ts";

const OWNER = 50_210;
const SEARCH = seedQuery(wireQuery(QUERY));
const TEMPLATE = { name: "a", image: "b", docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };
const EVERY = ["misc", "instance_read", "instance_write", "user_read", "user_write", "team_write"] as const;
const MINE = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEmine mine@example.com";
const OTHER = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEother other@example.com";

/** What each operation of the seed needs of a key, and where it asks. */
const NEEDS: [permission: Permission, route: string, ask: (client: AccountClient) => Promise<unknown>][] = [
  ["misc", "POST /api/v0/bundles/", (client) => client.searchOffers(SEARCH)],
  ["instance_read", "GET /api/v1/instances/", (client) => client.listInstances()],
  ["instance_read", "GET /api/v0/instances/7/", (client) => client.getInstance(7)],
  ["instance_write", "PUT /api/v0/instances/7/", (client) => client.changeInstance(7, { state: "stopped" })],
  ["instance_write", "DELETE /api/v0/instances/7/", (client) => client.destroyInstance(7)],
  ["user_read", "GET /api/v0/users/current/", (client) => client.currentUser()],
  ["user_read", "GET /api/v0/template/", (client) => client.templates.search()],
  ["user_write", "POST /api/v0/template/", (client) => client.templates.create(TEMPLATE)],
  ["user_write", "DELETE /api/v0/template/", (client) => client.templates.delete(1)],
  ["team_write", "DELETE /api/v0/team/members/7", (client) => client.team.remove(7)],
];

describe.each(DIALECTS)("dialect %s", (dialect) => {
  const isSeed = dialect === "seed";
  const start = (scenario: Scenario = {}) => startContract(dialect, { scenario });

  describe("a key", () => {
    test.each([
      ["none", null],
      ["a wrong one", "0".repeat(64)],
    ])("that is %s is answered 401", async (_what, key) => {
      await using service = await start();
      const words = isSeed
        ? { error: "unauthorized", msg: "Invalid or missing API key." }
        : { error: "auth_error", msg: "Invalid user key" };
      const { status, body } = await service.call("GET", "/api/v0/instances/", undefined, { key });
      expect([status, body]).toEqual([401, { success: false, ...words }]);
      expect((await service.call("PUT", "/api/v0/asks/11/", { image: "a:1" }, { key })).status).toBe(401);
      expect(service.sim.instances()).toEqual([]);
    });

    test("is taken only as a bearer of the header, where the client sends it, and in no address", async () => {
      await using service = await start();
      const { apiKey, journal, url } = service.sim;
      const ask = (query: string, headers = {}) => fetch(`${url}/api/v0/instances/${query}`, { headers });
      expect((await ask("", { authorization: apiKey })).status).toBe(401);
      expect((await ask(`?api_key=${apiKey}`)).status).toBe(401);
      await service.client.listInstances();
      expect(journal.entries.at(-1)).toMatchObject({ caller: "account", status: 200 });
      expect(JSON.stringify(journal.entries)).not.toContain(apiKey);
    });

    test("searches are answered without any, as observed (404 with a bad one), and not by the seed", async () => {
      await using service = await start();
      const search = (key: string | null) => service.call("POST", "/api/v0/bundles/", {}, { key });
      expect([(await search(null)).status, (await search("bad")).status]).toEqual(isSeed ? [401, 401] : [200, 404]);
    });

    test.each(NEEDS)("without %s is told so, with the route %s", async (permission, route, ask) => {
      const keys = [
        { key: "with", scopes: [permission] },
        { key: "without", scopes: EVERY.filter((each) => each !== permission) },
      ];
      await using service = await start({ keys });
      const refused = await ask(service.connect({ apiKey: "without" })).catch((fault: unknown) => fault);
      expect(refused).toBeInstanceOf(PermissionError);
      expect(refused).toMatchObject({
        message: expect.stringContaining(`(${route} needs the permission ${permission})`),
        hint: expect.stringContaining(permission),
      });
      // About members it has the seed's word.
      const error = isSeed || permission === "team_write" ? "forbidden" : "not_authorized";
      expect(service.sim.journal.entries.at(-1)).toMatchObject({ status: 403, answer: { success: false, error } });
      const allowed = await ask(service.connect({ apiKey: "with" })).catch((fault: unknown) => fault);
      expect(allowed).not.toBeInstanceOf(PermissionError);
    });

    test("the smallest that the README names can do everything, and one without instance_write rents nothing", async () => {
      const scopes: Permission[] = ["misc", "user_read", "instance_read", "instance_write"];
      const keys = [
        { key: "small", scopes },
        { key: "reader", scopes: scopes.slice(0, 3) },
      ];
      await using service = await start({ keys });
      const client = service.connect({ apiKey: "small" });
      await client.currentUser();
      await client.searchOffers(SEARCH);
      await client.createInstance(11, aConfig());
      const [instance] = await client.listInstances();
      await client.destroyInstance(instance?.id ?? 0);
      expect(service.sim.books.billingNow()).toEqual([]);
      expect((await service.connect({ apiKey: "reader" }).createInstance(12, aConfig())).status).toBe(403);
      expect(service.sim.instances()).toHaveLength(1);
    });

    test("an instance's key stops, starts and destroys its own instance, and does nothing else", async () => {
      await using service = await start();
      const { id, key } = await service.create(11);
      const other = await rent(service, 12);
      service.clock.advance(60);
      const inside = service.connect({ apiKey: key });
      for (const refused of [
        inside.destroyInstance(other),
        inside.getInstance(other),
        inside.changeInstance(other, { state: "stopped" }),
        inside.listInstances(),
        inside.currentUser(),
        inside.searchOffers(SEARCH),
        inside.templates.search(),
        inside.team.remove(7),
      ])
        await expect(refused).rejects.toBeInstanceOf(PermissionError);
      expect((await inside.createInstance(13, aConfig())).status).toBe(403);
      const { status } = await service.call("PUT", `/api/v0/instances/${id}/`, { label: "mine" }, { key });
      expect(status).toBe(403);
      if (isSeed) await expect(inside.getInstance(id)).rejects.toBeInstanceOf(PermissionError);
      else expect(await inside.getInstance(id)).toMatchObject({ id });
      for (const state of ["stopped", "running"] as const) await inside.changeInstance(id, { state });
      expect(await inside.destroyInstance(id)).toBe("asked");
      expect(service.sim.instances()[0]?.events.at(-1)).toMatchObject({ kind: "destroy", by: "instance" });
      await expect(inside.destroyInstance(id)).rejects.toBeInstanceOf(AuthenticationError);
      expect(service.sim.books.billingNow()).toMatchObject([{ id: other }]);
    });
  });

  test("current user: all that the seed shows, and the credit that is left", async () => {
    await using service = await start({ user: { credit: 12.5 } });
    await service.create(11);
    service.clock.advance(3600);
    expect(await service.client.currentUser()).toMatchObject({
      id: OWNER,
      email: "ci@example.com",
      credit: 12.5 - service.sim.books.total(),
      ssh_key: expect.stringContaining("ssh-ed25519"),
    });
    expect(service.sim.books.total()).toBeGreaterThan(0.3);
  });

  describe("remove team member", () => {
    const team = [{ id: 7 }, { id: 8 }];
    const keys = [
      { key: "of-seven", scopes: ["user_read" as const], member: 7 },
      { key: "poor", scopes: ["team_read" as const] },
    ];
    const NEEDED = "(DELETE /api/v0/team/members/7 needs the permission team_write)";

    test("once; its keys go with it; the second time it is not found", async () => {
      await using service = await start({ team, keys });
      const theirs = service.connect({ apiKey: "of-seven" });
      expect((await theirs.currentUser()).id).toBe(OWNER);
      await service.client.team.remove(7);
      await expect(theirs.currentUser()).rejects.toBeInstanceOf(AuthenticationError);
      const again = service.client.team.remove(7);
      await expect(again).rejects.toBeInstanceOf(NotFoundError);
      await expect(again).rejects.toThrow("User is not a member of this team.");
    });

    test("400: the owner", async () => {
      await using service = await start({ team });
      const refused = service.client.team.remove(OWNER);
      await expect(refused).rejects.toBeInstanceOf(RequestRejectedError);
      await expect(refused).rejects.toMatchObject({ status: 400, sentence: "The team owner cannot be removed." });
    });

    test("401: no such key, in words that name permission and route", async () => {
      await using service = await start({ team });
      const refused = service.connect({ apiKey: "no-such-key" }).team.remove(7);
      await expect(refused).rejects.toBeInstanceOf(AuthenticationError);
      await expect(refused).rejects.toThrow(NEEDED);
    });

    test("a service that answers 401 to a key that lacks the permission is understood, too", async () => {
      await using service = await start({ team, keys, missingPermissionStatus: 401 });
      const refused = service.connect({ apiKey: "poor" }).team.remove(7);
      await expect(refused).rejects.toBeInstanceOf(AuthenticationError);
      await expect(refused).rejects.toThrow(NEEDED);
      await expect(refused).rejects.toMatchObject({ hint: expect.stringContaining("team_write") });
    });

    test("403: a user that is blacklisted", async () => {
      await using service = await start({ team, user: { blacklisted: true } });
      const refused = service.client.team.remove(7);
      await expect(refused).rejects.toBeInstanceOf(PermissionError);
      await expect(refused).rejects.toMatchObject({ sentence: "forbidden: The user is blacklisted." });
    });

    test("429: says how long to wait, and is not sent again", async () => {
      await using service = await start({ team, limits: true });
      await service.client.team.remove(7);
      const refused = service.connect().team.remove(8);
      await expect(refused).rejects.toBeInstanceOf(RateLimitError);
      await expect(refused).rejects.toMatchObject({ waitMs: 3000, sentence: expect.stringContaining("threshold=3.0") });
      await service.client.team.remove(8);
    });

    test("200 without success is not read as one", async () => {
      await using service = await start({
        faults: [{ operation: "removeTeamMember", kind: "status", status: 200, body: { status: "failure" } }],
      });
      await expect(service.client.team.remove(7)).rejects.toBeInstanceOf(UnexpectedAnswerError);
    });
  });
});

describe("API keys, as observed", () => {
  test("create, list, show, use, delete", async () => {
    const masked: string[] = [];
    await using service = await startContract("observed");
    const { apiKeys } = service.connect({ mask: (secret) => masked.push(secret) });
    const permissions = { api: { misc: {}, user_read: {} } };
    const { id, key } = await apiKeys.create({ name: "ci", permissions });
    expect(masked).toEqual([key]);
    expect(await apiKeys.list()).toMatchObject([{ name: "primary" }, { id, name: "ci" }]);

    const theirs = service.connect({ apiKey: key });
    expect((await theirs.currentUser()).key_id).toBe(id);
    expect(permissionsOf(await theirs.apiKeys.get(id))).toEqual(["misc", "user_read"]);
    await expect(theirs.apiKeys.create({ name: "more" })).rejects.toBeInstanceOf(PermissionError);

    await apiKeys.delete(id);
    await expect(theirs.currentUser()).rejects.toBeInstanceOf(AuthenticationError);
    await expect(apiKeys.delete(id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(apiKeys.get(id)).rejects.toBeInstanceOf(NotFoundError);
  });

  test("the primary key can't be deleted, and a permission that there is not can't be had", async () => {
    await using service = await startContract("observed");
    const { client } = service;
    const { key_id = 0 } = await client.currentUser();
    expect(permissionsOf(await client.apiKeys.get(key_id))).toBeUndefined();
    await expect(client.apiKeys.delete(key_id)).rejects.toThrow("You cannot delete your primary key.");
    const wrong = client.apiKeys.create({ name: "x", permissions: { api: { everything: {} } } });
    await expect(wrong).rejects.toThrow("invalid_permissions");
  });

  test("reset: the old secret ends, the new one is masked and works", async () => {
    const masked: string[] = [];
    await using service = await startContract("observed");
    const client = service.connect({ mask: (secret) => masked.push(secret) });
    const apiKey = await client.apiKeys.reset();
    expect(masked).toEqual([apiKey]);
    await expect(client.currentUser()).rejects.toBeInstanceOf(AuthenticationError);
    expect((await service.connect({ apiKey }).currentUser()).id).toBe(OWNER);
  });

  test("a service that shows the bare key: it is masked, and tells no permissions", async () => {
    const masked: string[] = [];
    const body = "the-secret-itself";
    const faults = [{ operation: "getApiKey", kind: "status", status: 200, body } as const];
    await using service = await startContract("observed", { scenario: { faults } });
    const { apiKeys } = service.connect({ mask: (secret) => masked.push(secret) });
    expect(permissionsOf(await apiKeys.get(1))).toBeUndefined();
    expect(masked).toEqual([body]);
  });

  test("a restricted key needs the permission of each route", async () => {
    const keys = [{ key: "reader", scopes: ["instance_read", "user_read"] as const }];
    await using service = await underTest({ keys });
    for (const [status, method, path] of [
      [200, "GET", "/api/v0/volumes/"],
      [200, "GET", "/api/v0/ssh/"],
      [403, "POST", "/api/v0/volumes/search/"],
      [403, "PUT", "/api/v0/volumes/"],
      [403, "POST", "/api/v0/ssh/"],
      [403, "PUT", "/api/v0/instances/reboot/7/"],
    ] as const) {
      const body = method === "GET" ? undefined : {};
      expect([path, (await service.call(method, path, body, { key: "reader" })).status]).toEqual([path, status]);
    }
  });
});

describe("SSH keys, as observed", () => {
  test("of the account: none, create, list, delete; a second delete is refused as described", async () => {
    await using service = await startContract("observed", { scenario: { user: { ssh_key: null } } });
    const { sshKeys } = service.client;
    expect(await sshKeys.list()).toEqual([]);
    const vm = await service.call("PUT", "/api/v0/asks/11/", { image: "a:1", vm: true });
    expect(vm.body).toMatchObject({ error: "no_ssh_key_for_vm" });
    const { id } = await sshKeys.create(MINE);
    expect(await sshKeys.list()).toEqual([{ id, key: MINE }]);
    await sshKeys.delete(id);
    expect(await sshKeys.list()).toEqual([]);
    const again = sshKeys.delete(id);
    await expect(again).rejects.toBeInstanceOf(RequestRejectedError);
    await expect(again).rejects.toThrow("(400): no_ssh_key");
    await expect(sshKeys.create("no key")).rejects.toBeInstanceOf(RequestRejectedError);
  });

  test("of an instance: those of the account at its creation, attach, detach", async () => {
    await using service = await startContract("observed", { scenario: { user: { ssh_key: MINE } } });
    const { sshKeys } = service.client;
    const instance = await rent(service);
    await sshKeys.create(OTHER);
    expect((await sshKeys.ofInstance(instance)).map(({ key }) => key)).toEqual([MINE]);
    await sshKeys.attach(instance, OTHER);
    const [, other] = await sshKeys.ofInstance(instance);
    expect(other?.key).toBe(OTHER);
    await sshKeys.detach(instance, other?.id ?? 0);
    expect((await sshKeys.ofInstance(instance)).map(({ key }) => key)).toEqual([MINE]);
    await expect(sshKeys.detach(instance, other?.id ?? 0)).rejects.toBeInstanceOf(NotFoundError);
    await expect(sshKeys.attach(1, OTHER)).rejects.toBeInstanceOf(NotFoundError);
    await expect(sshKeys.ofInstance(1)).rejects.toBeInstanceOf(NotFoundError);
  });

  test.each(["2026-11-21T00:00:00.000Z", 1_795_219_200])("a key whose creation is %o is read", async (created_at) => {
    await using service = await startContract("observed");
    const key = { id: 3001, user_id: OWNER, key: MINE, created_at, deleted_at: null };
    service.sim.setFaults([{ operation: "listSshKeys", kind: "status", status: 200, body: [key] }]);
    expect(await service.client.sshKeys.list()).toEqual([{ id: 3001, key: MINE }]);
  });
});

test("the seed shows no address for keys: not found", async () => {
  await using service = await startContract("seed");
  const { apiKeys, sshKeys } = service.client;
  const keys = [apiKeys.list(), apiKeys.get(1), apiKeys.create({ name: "x" }), apiKeys.delete(1), apiKeys.reset()];
  for (const call of [...keys, sshKeys.list()]) await expect(call).rejects.toBeInstanceOf(NotFoundError);
});

describe("limits", () => {
  const keys = [{ key: "other", scopes: ["instance_read" as const] }];
  const limited = { scenario: { limits: true, apiKey: "k", keys } };

  test("count per operation and per key, not per address", async () => {
    await using service = await underTest(limited);
    const get = (path: string, key = "k") => service.call("GET", `/api/${path}`, undefined, { key });
    expect((await get("v0/instances/1/")).status).toBe(200);
    expect((await get("v0/instances/2/")).text).toBe("API requests too frequent: endpoint threshold=2.0*1.0");
    expect((await get("v0/instances/2/", "other")).status).toBe(200);
    expect([(await get("v1/instances/")).status, (await get("v0/instances/")).status]).toEqual([200, 200]);
    service.clock.advance(1);
    expect([(await get("v1/instances/")).status, (await get("v0/instances/")).status]).toEqual([200, 429]);
  });

  test("let ten searches a minute through", async () => {
    await using service = await underTest(limited);
    const search = async () => (await service.call("POST", "/api/v0/bundles/", {})).status;
    for (let calls = 0; calls < 10; calls += 1) expect(await search()).toBe(200);
    expect(await search()).toBe(429);
    service.clock.advance(60);
    expect(await search()).toBe(200);
  });

  test("have the seed's JSON shape in the seed's dialect, with the threshold in the sentence", async () => {
    await using service = await underTest({ dialect: "seed", ...limited });
    const destroy = () => service.call("DELETE", "/api/v0/instances/1/");
    await destroy();
    const msg = "API requests too frequent: endpoint threshold=3.0";
    expect(await destroy()).toMatchObject({ status: 429, body: { success: false, error: "rate_limit_exceeded", msg } });
  });
});
