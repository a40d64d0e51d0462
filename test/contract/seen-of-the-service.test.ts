import { expect, test } from "vitest";
import { judgeInstance } from "../../src/machine/instance.ts";
import { RequestRejectedError } from "../../src/marketplace/errors.ts";
import { judgeCreate } from "../../src/marketplace/vast/refusals.ts";
import { instanceOf } from "../../src/marketplace/vast/translate.ts";
import { aConfig } from "../unit/support/an-instance-config.ts";
import { create, startContract } from "./support/service-under-contract.ts";

/** Of what was seen of the service since 2026-06, and no description has: that the client copes. */

const DEPRECATED = { operation: "listInstances", kind: "deprecated" } as const;

test("the list without pages is there no more: the client does without it", async () => {
  await using service = await startContract("observed", { scenario: { faults: [DEPRECATED] } });
  const id = await create(service);
  expect((await service.client.listInstances()).map((each) => each.id)).toEqual([id]);
  expect(service.sim.journal.of("listInstances").map(({ path }) => path)).toEqual(["/api/v1/instances/"]);
});

test("one 404 of a gateway does not keep the client with a list that is there no more", async () => {
  const gateway = {
    operation: "listInstances",
    kind: "text",
    status: 404,
    text: "<html>Not Found</html>",
    nth: 1,
  } as const;
  await using service = await startContract("observed", { scenario: { faults: [gateway, DEPRECATED] } });
  const id = await create(service);
  await expect(service.client.listInstances()).rejects.toThrow("(410): deprecated_endpoint");
  expect((await service.client.listInstances()).map((each) => each.id)).toEqual([id]);
});

test("a service that has neither list is told by its own words, and never taken for an empty one", async () => {
  await using service = await startContract("seed", { scenario: { faults: [DEPRECATED] } });
  await create(service);
  const listed = service.client.listInstances();
  await expect(listed).rejects.toBeInstanceOf(RequestRejectedError);
  await expect(listed).rejects.toThrow("(410): deprecated_endpoint");
});

test.each([401, 429, 500, 503])("a create that was refused with %i: the instance is in the list", async (status) => {
  const body = { success: false, error: "x", msg: "no" };
  const fault = { operation: "createInstance", kind: "status", status, body, when: "after" } as const;
  await using service = await startContract("observed", { scenario: { faults: [fault] } });
  const judged = judgeCreate(await service.client.createInstance(11, aConfig()));
  const code = { 401: "key", 429: "too-fast" }[status];
  expect(judged).toMatchObject(code === undefined ? { kind: "uncertain" } : { kind: "refused", refusal: { code } });
  const [made] = await service.client.listInstances(undefined, aConfig().label);
  expect(await service.client.destroyInstance(made?.id ?? 0)).toBe("asked");
  expect(service.sim.books.billingNow()).toEqual([]);
});

test("of two creates on one offer the second dies on a port: failed, by the machine's fault", async () => {
  const offers = [{ id: 11, simulate: { takenTwiceWithin: 10 } }];
  await using service = await startContract("observed", { scenario: { offers } });
  const [first, second] = [await create(service), await create(service)];
  service.clock.advance(60);
  const judged = async (id: number) => judgeInstance(instanceOf((await service.client.getInstance(id)) ?? { id }));
  expect(await judged(first)).toMatchObject({ kind: "running" });
  expect(await judged(second)).toMatchObject({
    kind: "failed",
    blame: "machine",
    why: expect.stringContaining("port"),
  });
});

test("no call has the key in its address, which searching templates would refuse", async () => {
  await using service = await startContract("observed");
  const { client, sim } = service;
  const id = await create(service);
  await client.templates.search({ name: { eq: "x" } });
  await client.searchOffers({ filters: {}, type: "on-demand", order: [], limit: 1 });
  await Promise.all([client.currentUser(), client.getInstance(id), client.listVolumes(), client.apiKeys.list()]);
  await Promise.all([client.sshKeys.list(), client.sshKeys.ofInstance(id), client.volumes.search({})]);
  expect(sim.journal.entries.map(({ status }) => status)).not.toContain(400);
  for (const { query } of sim.journal.entries) expect(query).not.toHaveProperty("api_key");
});

test("a template whose runtype is shown empty can be edited, and keeps the runtype that it has", async () => {
  await using service = await startContract("observed");
  const { templates } = service.client;
  const login = { docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };
  const { id, hash_id } = await templates.create({ name: "a", image: "debian", runtype: "ssh", ...login });
  const body = { success: true, templates_found: 1, templates: [{ id, hash_id, name: "a", runtype: "" }] };
  service.sim.setFaults([{ operation: "searchTemplates", kind: "status", status: 200, body }]);
  await templates.edit(hash_id, { desc: "b" });
  expect(service.sim.journal.of("editTemplate")[0]).toMatchObject({ status: 200, request: { runtype: "" } });
  service.sim.setFaults([]);
  expect(await templates.search()).toMatchObject([{ name: "a", desc: "b", runtype: "ssh" }]);
});

test.each(["2026-11-21T00:00:00.000Z", 1_795_219_200])("SSH keys whose creation is %o are read", async (created_at) => {
  await using service = await startContract("observed");
  const key = { id: 3001, user_id: 50_210, key: "ssh-ed25519 AAAA", created_at, deleted_at: null };
  service.sim.setFaults([{ operation: "listSshKeys", kind: "status", status: 200, body: [key] }]);
  expect(await service.client.sshKeys.list()).toEqual([{ id: 3001, key: "ssh-ed25519 AAAA" }]);
});
