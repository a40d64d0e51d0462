import { describe, expect, test } from "vitest";
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
import { aConfig } from "../unit/support/an-instance-config.ts";
import { DIALECTS, startContract } from "./support/service-under-contract.ts";

const OWNER = 50_210;

describe.each(DIALECTS)("dialect %s", (dialect) => {
  const start = (scenario: Scenario = {}) => startContract(dialect, { scenario });

  test("current user: all that the seed shows", async () => {
    await using service = await start({ user: { credit: 12.5 } });
    expect(await service.client.currentUser()).toMatchObject({
      id: OWNER,
      email: "ci@example.com",
      credit: 12.5,
      ssh_key: expect.stringContaining("ssh-ed25519"),
    });
  });

  describe("remove team member", () => {
    const team = [{ id: 7 }, { id: 8 }];
    const keys = [
      { key: "of-seven", scopes: ["user_read" as const], member: 7 },
      { key: "poor", scopes: ["team_read" as const] },
    ];

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
      await expect(refused).rejects.toThrow("(DELETE /api/v0/team/members/7 needs the permission team_write)");
    });

    test.each([
      [403, PermissionError],
      [401, AuthenticationError],
    ] as const)("%i: a key that lacks the permission", async (missingPermissionStatus, kind) => {
      await using service = await start({ team, keys, missingPermissionStatus });
      const refused = service.connect({ apiKey: "poor" }).team.remove(7);
      await expect(refused).rejects.toBeInstanceOf(kind);
      await expect(refused).rejects.toThrow("(DELETE /api/v0/team/members/7 needs the permission team_write)");
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

  describe("a scoped key", () => {
    test.each([
      ["misc", "POST /api/v0/bundles/"],
      ["instance_read", "GET /api/v0/instances/7/"],
      ["instance_write", "DELETE /api/v0/instances/7/"],
      ["user_read", "GET /api/v0/users/current/"],
    ] as const)("without %s is told so, with the route %s", async (permission, route) => {
      const scopes = (["misc", "user_read", "instance_read", "instance_write"] as const).filter(
        (each) => each !== permission,
      );
      await using service = await start({ keys: [{ key: "poor", scopes }] });
      const client = service.connect({ apiKey: "poor" });
      const calls = {
        misc: () => client.searchOffers({ filters: {}, type: "on-demand", order: [], limit: 1 }),
        instance_read: () => client.getInstance(7),
        instance_write: () => client.destroyInstance(7),
        user_read: () => client.currentUser(),
      };
      await expect(calls[permission]()).rejects.toThrow(`(${route} needs the permission ${permission})`);
    });
  });

  test("an instance's key destroys its own instance, and does nothing else", async () => {
    await using service = await start();
    const answer = await service.client.createInstance(11, aConfig());
    const { new_contract: id, instance_api_key } = answer.json as { new_contract: number; instance_api_key: string };
    await service.client.createInstance(12, aConfig());
    const other = service.sim.instances()[1]?.id ?? 0;
    const inside = service.connect({ apiKey: instance_api_key });
    for (const refused of [
      inside.destroyInstance(other),
      inside.getInstance(other),
      inside.listInstances(),
      inside.currentUser(),
      inside.templates.search(),
      inside.team.remove(7),
    ]) {
      await expect(refused).rejects.toBeInstanceOf(PermissionError);
    }
    expect((await inside.createInstance(13, aConfig())).status).toBe(403);
    if (dialect === "observed") expect(await inside.getInstance(id)).toMatchObject({ id });
    else await expect(inside.getInstance(id)).rejects.toBeInstanceOf(PermissionError);
    expect(await inside.destroyInstance(id)).toBe("asked");
    expect(service.sim.books.billingNow()).toMatchObject([{ id: other }]);
  });
});

describe("API keys, dialect observed", () => {
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
    await using service = await startContract("observed", {
      scenario: { faults: [{ operation: "getApiKey", kind: "status", status: 200, body }] },
    });
    const { apiKeys } = service.connect({ mask: (secret) => masked.push(secret) });
    expect(permissionsOf(await apiKeys.get(1))).toBeUndefined();
    expect(masked).toEqual([body]);
  });
});

test("the seed shows no address for keys: not found", async () => {
  await using service = await startContract("seed");
  const { apiKeys } = service.client;
  for (const call of [
    apiKeys.list(),
    apiKeys.get(1),
    apiKeys.create({ name: "x" }),
    apiKeys.delete(1),
    apiKeys.reset(),
  ]) {
    await expect(call).rejects.toBeInstanceOf(NotFoundError);
  }
});
