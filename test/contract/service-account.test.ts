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

  test("a key is taken only as a bearer of the header, where the client sends it, and in no address", async () => {
    await using service = await start();
    const { apiKey, journal, url } = service.sim;
    const ask = (query: string, headers = {}) => fetch(`${url}/api/v0/instances/${query}`, { headers });
    const words = isSeed
      ? { error: "unauthorized", msg: "Invalid or missing API key." }
      : { error: "auth_error", msg: "Invalid user key" };
    const bearer = { authorization: `Bearer ${"0".repeat(64)}` };
    for (const refused of [ask(""), ask("", bearer), ask("", { authorization: apiKey }), ask(`?api_key=${apiKey}`)]) {
      const answer = await refused;
      expect([answer.status, await answer.json()]).toEqual([401, { success: false, ...words }]);
    }
    expect((await service.call("PUT", "/api/v0/asks/11/", { image: "a:1" }, { key: null })).status).toBe(401);
    expect(service.sim.instances()).toEqual([]);
    await service.client.listInstances();
    expect(journal.entries.at(-1)).toMatchObject({ caller: "account", status: 200 });
    expect(JSON.stringify(journal.entries)).not.toContain(apiKey);
  });

  test("searches are answered without a key, as observed (404 with a bad one), and not by the seed", async () => {
    await using service = await start();
    const search = (key: string | null) => service.call("POST", "/api/v0/bundles/", {}, { key });
    expect([(await search(null)).status, (await search("bad")).status]).toEqual(isSeed ? [401, 401] : [200, 404]);
  });

  test.each(NEEDS)("without %s is told so, with the route %s", async (permission, route, ask) => {
    const scopes = EVERY.filter((each) => each !== permission);
    await using service = await start({
      keys: [
        { key: "without", scopes },
        { key: "with", scopes: [permission] },
      ],
    });
    const refused = await ask(service.connect({ apiKey: "without" })).catch((fault: unknown) => fault);
    expect(refused).toBeInstanceOf(PermissionError);
    const message = expect.stringContaining(`(${route} needs the permission ${permission})`);
    expect(refused).toMatchObject({ message, hint: expect.stringContaining(permission) });
    // About members it has the seed's word.
    const error = isSeed || permission === "team_write" ? "forbidden" : "not_authorized";
    expect(service.sim.journal.entries.at(-1)).toMatchObject({ status: 403, answer: { success: false, error } });
    const allowed = await ask(service.connect({ apiKey: "with" })).catch((fault: unknown) => fault);
    expect(allowed).not.toBeInstanceOf(PermissionError);
  });

  test("an instance's key stops, starts and destroys its own instance, and does nothing else", async () => {
    await using service = await start();
    const { id, key } = await service.create(11);
    const other = await rent(service, 12);
    service.clock.advance(60);
    const inside = service.connect({ apiKey: key });
    const refused = [
      inside.destroyInstance(other),
      inside.getInstance(other),
      inside.changeInstance(other, { state: "stopped" }),
      inside.listInstances(),
      inside.currentUser(),
      inside.searchOffers(SEARCH),
      inside.templates.search(),
      inside.team.remove(7),
      inside.changeInstance(id, { label: "mine" }),
      ...(isSeed ? [inside.getInstance(id)] : []),
    ];
    await Promise.all(refused.map((each) => expect(each).rejects.toBeInstanceOf(PermissionError)));
    expect((await inside.createInstance(13, aConfig())).status).toBe(403);
    if (!isSeed) expect(await inside.getInstance(id)).toMatchObject({ id });
    for (const state of ["stopped", "running"] as const) await inside.changeInstance(id, { state });
    expect(await inside.destroyInstance(id)).toBe("asked");
    expect(service.sim.instances()[0]?.events.at(-1)).toMatchObject({ kind: "destroy", by: "instance" });
    await expect(inside.destroyInstance(id)).rejects.toBeInstanceOf(AuthenticationError);
    expect(service.sim.books.billingNow()).toMatchObject([{ id: other }]);
  });

  test("current user: all that the seed shows, and the credit that is left", async () => {
    await using service = await start({ user: { credit: 12.5 } });
    await service.create(11);
    service.clock.advance(3600);
    const spent = service.sim.books.total();
    const shown = { id: OWNER, email: "ci@example.com", ssh_key: expect.stringContaining("ssh-ed25519") };
    expect(await service.client.currentUser()).toMatchObject({ ...shown, credit: 12.5 - spent });
    expect(spent).toBeGreaterThan(0.3);
  });

  describe("remove team member", () => {
    const team = [{ id: 7 }, { id: 8 }];
    const keys = [
      { key: "of-seven", scopes: ["user_read" as const], member: 7 },
      { key: "poor", scopes: ["team_read" as const] },
    ];
    const message = expect.stringContaining("(DELETE /api/v0/team/members/7 needs the permission team_write)");
    const HINT = { message, hint: expect.stringContaining("team_write") };
    const BLACKLISTED = { sentence: "forbidden: The user is blacklisted." };
    const said200 = {
      operation: "removeTeamMember",
      kind: "status",
      status: 200,
      body: { status: "failure" },
    } as const;

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

    type Asker = { apiKey?: string; member?: number };
    const OF_OWNER = { sentence: "The team owner cannot be removed." };
    test.each<[string, Scenario, Asker, kind: new (...given: never[]) => Error, shape: object]>([
      ["400: the owner", {}, { member: OWNER }, RequestRejectedError, OF_OWNER],
      ["401: no such key, in words that name permission and route", {}, { apiKey: "none" }, AuthenticationError, HINT],
      ["401: a key without it", { missingPermissionStatus: 401 }, { apiKey: "poor" }, AuthenticationError, HINT],
      ["403: a user that is blacklisted", { user: { blacklisted: true } }, {}, PermissionError, BLACKLISTED],
      ["200 without success is not read as one", { faults: [said200] }, {}, UnexpectedAnswerError, {}],
    ])("removing a member is refused with %s", async (_what, scenario, { member = 7, ...key }, kind, shape) => {
      await using service = await start({ team, keys, ...scenario });
      const refused = service.connect(key).team.remove(member);
      await expect(refused).rejects.toBeInstanceOf(kind);
      await expect(refused).rejects.toMatchObject(shape);
    });

    test("429: says how long to wait, and is not sent again", async () => {
      await using service = await start({ team, limits: true });
      await service.client.team.remove(7);
      const refused = service.connect().team.remove(8);
      await expect(refused).rejects.toBeInstanceOf(RateLimitError);
      await expect(refused).rejects.toMatchObject({ waitMs: 3000, sentence: expect.stringContaining("threshold=3.0") });
      await service.client.team.remove(8);
    });
  });
});

test("create, list, show, use, delete and reset API keys; the primary one stays", async () => {
  await using service = await startContract("observed");
  const masked: string[] = [];
  const client = service.connect({ mask: (secret) => masked.push(secret) });
  const { apiKeys } = client;
  const { id, key } = await apiKeys.create({ name: "ci", permissions: { api: { misc: {}, user_read: {} } } });
  expect(await apiKeys.list()).toMatchObject([{ name: "primary" }, { id, name: "ci" }]);

  const theirs = service.connect({ apiKey: key });
  expect((await theirs.currentUser()).key_id).toBe(id);
  expect(permissionsOf(await theirs.apiKeys.get(id))).toEqual(["misc", "user_read"]);
  await expect(theirs.apiKeys.create({ name: "more" })).rejects.toBeInstanceOf(PermissionError);

  await apiKeys.delete(id);
  await expect(theirs.currentUser()).rejects.toBeInstanceOf(AuthenticationError);
  for (const ask of [() => apiKeys.delete(id), () => apiKeys.get(id)])
    await expect(ask()).rejects.toBeInstanceOf(NotFoundError);
  const { key_id = 0 } = await client.currentUser();
  expect(permissionsOf(await apiKeys.get(key_id))).toBeUndefined();
  await expect(apiKeys.delete(key_id)).rejects.toThrow("You cannot delete your primary key.");
  const permissions = { api: { everything: {} } };
  await expect(apiKeys.create({ name: "x", permissions })).rejects.toThrow("invalid_permissions");
  // A reset: the old secret ends.
  const apiKey = await apiKeys.reset();
  expect(masked).toEqual([key, apiKey]);
  await expect(client.currentUser()).rejects.toBeInstanceOf(AuthenticationError);
  expect((await service.connect({ apiKey }).currentUser()).id).toBe(OWNER);
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
    await expect(sshKeys.delete(id)).rejects.toThrow("(400): no_ssh_key");
    await expect(sshKeys.create("no key")).rejects.toBeInstanceOf(RequestRejectedError);
  });

  test("of an instance: those of the account at its creation, attach, detach; of none there are none", async () => {
    await using service = await startContract("observed", { scenario: { user: { ssh_key: MINE } } });
    const { sshKeys } = service.client;
    const instance = await rent(service);
    await sshKeys.create(OTHER);
    const keys = async () => (await sshKeys.ofInstance(instance)).map(({ key }) => key);
    expect(await keys()).toEqual([MINE]);
    await sshKeys.attach(instance, OTHER);
    expect(await keys()).toEqual([MINE, OTHER]);
    const other = (await sshKeys.ofInstance(instance))[1]?.id ?? 0;
    await sshKeys.detach(instance, other);
    expect(await keys()).toEqual([MINE]);
    const none = [sshKeys.detach(instance, other), sshKeys.attach(1, OTHER), sshKeys.ofInstance(1)];
    await Promise.all(none.map((each) => expect(each).rejects.toBeInstanceOf(NotFoundError)));
  });
});

test("the seed shows no address for keys: not found", async () => {
  await using service = await startContract("seed");
  const { apiKeys, sshKeys } = service.client;
  const keys = [apiKeys.list(), apiKeys.get(1), apiKeys.create({ name: "x" }), apiKeys.delete(1), apiKeys.reset()];
  await Promise.all([...keys, sshKeys.list()].map((each) => expect(each).rejects.toBeInstanceOf(NotFoundError)));
});

test("limits count per operation and per key, not per address; ten searches a minute are let through", async () => {
  const keys = [{ key: "other", scopes: ["instance_read" as const] }];
  await using service = await underTest({ scenario: { limits: true, keys } });
  const get = (path: string, key = service.sim.apiKey) => service.call("GET", `/api/${path}`, undefined, { key });
  expect((await get("v0/instances/1/")).status).toBe(200);
  expect((await get("v0/instances/2/")).text).toBe("API requests too frequent: endpoint threshold=2.0*1.0");
  expect((await get("v0/instances/2/", "other")).status).toBe(200);
  expect([(await get("v1/instances/")).status, (await get("v0/instances/")).status]).toEqual([200, 200]);
  service.clock.advance(1);
  expect([(await get("v1/instances/")).status, (await get("v0/instances/")).status]).toEqual([200, 429]);
  const statuses: number[] = [];
  for (let calls = 0; calls < 11; calls += 1)
    statuses.push((await service.call("POST", "/api/v0/bundles/", {})).status);
  expect(statuses).toEqual([...Array(10).fill(200), 429]);
});
