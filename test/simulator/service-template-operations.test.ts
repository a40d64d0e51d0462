import { describe, expect, test } from "vitest";
import { type UnderTest, underTest } from "./service-under-test.ts";

const PATH = "/api/v0/template/";
const LOGIN = { docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };
const BODY = { name: "PyTorch", image: "pytorch/pytorch", ...LOGIN };
const OTHERS = { id: 40, hash_id: "0123456789abcdef", name: "Theirs", image: "theirs", creator_id: 7 };

interface Shown {
  template: { id: number; hash_id: string; [field: string]: unknown };
}

async function create(service: UnderTest, body: Record<string, unknown> = {}) {
  return ((await service.call("POST", PATH, { ...BODY, ...body })).body as Shown).template;
}

async function search(service: UnderTest, filters: unknown, more = "") {
  const select = filters === undefined ? "" : `select_filters=${encodeURIComponent(JSON.stringify(filters))}`;
  const { status, body } = await service.call("GET", `${PATH}?${select}${more}`);
  const { templates = [] } = body as { templates?: Record<string, unknown>[] };
  return { status, body, names: templates.map(({ name }) => name) };
}

describe.each(["seed", "observed"] as const)("in dialect %s", (dialect) => {
  const start = (templates: object[] = []) =>
    underTest({ dialect, scenario: { templates: templates as (typeof OTHERS)[] } });

  test("what is created has the seed's defaults, an id and a hash, and never shows its login", async () => {
    await using service = await start();
    const template = await create(service, { docker_login_user: "octo", docker_login_pass: "the-password" });
    expect(template).toMatchObject({ tag: "latest", runtype: "args", recommended_disk_space: 8, count_created: 0 });
    expect(template).toMatchObject({ id: expect.any(Number), hash_id: expect.stringMatching(/^[0-9a-f]{32}$/) });
    const shown = JSON.stringify([template, (await search(service, {})).body, service.sim.journal.entries]);
    expect(shown).not.toContain("the-password");
  });

  test("the same content again is the same template", async () => {
    await using service = await start();
    expect((await create(service)).id).toBe((await create(service)).id);
    expect((await create(service, { tag: "2.8" })).id).not.toBe((await create(service)).id);
  });

  test.each([
    ["no name", { name: undefined }],
    ["an empty name", { name: "" }],
    ["no image", { image: undefined }],
    ["a runtype of an instance", { runtype: "ssh_direct" }],
    ["env as an object", { env: { A: "1" } }],
    ["filters as a list", { extra_filters: [] }],
    ["an unknown field", { disk: 8 }],
    ["volume_info as a text", { volume_info: "none" }],
  ])("a create with %s is refused", async (_what, body) => {
    await using service = await start();
    const { status, body: answer } = await service.call("POST", PATH, { ...BODY, ...body });
    expect([status, answer]).toEqual([400, expect.objectContaining({ error: "invalid_args" })]);
    expect((await search(service, {})).names).toEqual([]);
  });

  test("an edit makes another hash, keeps the id and what it does not name", async () => {
    await using service = await start();
    const old = await create(service, { env: "-e A=1", desc: "one" });
    const { status, body } = await service.call("PUT", PATH, { hash_id: old.hash_id, desc: "two" });
    expect(status).toBe(200);
    const { template } = body as Shown;
    expect(template).toMatchObject({ id: old.id, env: "-e A=1", desc: "two" });
    expect(template.hash_id).not.toBe(old.hash_id);
    expect((await search(service, { hash_id: { eq: old.hash_id } })).names).toEqual([]);
    expect((await service.call("PUT", PATH, { hash_id: old.hash_id, desc: "three" })).status).toBe(404);
  });

  test("even an edit that changes nothing makes another hash", async () => {
    await using service = await start();
    const old = await create(service);
    const { body } = await service.call("PUT", PATH, { hash_id: old.hash_id });
    expect((body as Shown).template.hash_id).not.toBe(old.hash_id);
  });

  test("an instance keeps the template that it was made of", async () => {
    await using service = await start();
    const { hash_id } = await create(service);
    await service.create(11, { image: undefined, template_hash_id: hash_id });
    await service.call("PUT", PATH, { hash_id, image: "debian" });
    expect(service.sim.instances()[0]?.order).toMatchObject({
      image: "pytorch/pytorch:latest",
      template: { hash_id, count_created: 1, recent_create_date: service.clock.now() / 1000 },
    });
  });

  test.each([
    ["no hash", { name: "x" }],
    ["the number for the hash", { hash_id: 31_001, name: "x" }],
    ["the id beside the hash", { hash_id: "0123", id: 31_001 }],
    ["a value of another type", { hash_id: "0123", use_ssh: "yes" }],
    ["an unknown field", { hash_id: "0123", disk: 8 }],
  ])("an edit with %s is refused", async (_what, body) => {
    await using service = await start();
    expect((await service.call("PUT", PATH, body)).status).toBe(400);
  });

  test("deletes by the numeric id; unknown: 404", async () => {
    await using service = await start();
    const { id } = await create(service);
    const { status, body } = await service.call("DELETE", PATH, { template_id: id });
    expect([status, body]).toEqual([200, expect.objectContaining({ success: true })]);
    expect((await service.call("DELETE", PATH, { template_id: id })).status).toBe(404);
    expect((await service.call("DELETE", PATH, { template_id: String(id) })).status).toBe(400);
    expect((await service.call("DELETE", PATH, {})).status).toBe(400);
  });

  test("somebody else's can be seen unless it is private, and never changed", async () => {
    await using service = await start([
      { ...OTHERS, private: false },
      { ...OTHERS, id: 41, hash_id: "1", name: "Hidden" },
    ]);
    expect((await search(service, {})).names).toEqual(["Theirs"]);
    expect((await service.call("PUT", PATH, { hash_id: OTHERS.hash_id, name: "Mine" })).status).toBe(403);
    expect((await service.call("DELETE", PATH, { template_id: OTHERS.id })).status).toBe(403);
  });

  test.each([
    [{ count_created: { eq: 5 } }, ["b"]],
    [{ name: { neq: "a" } }, ["b", "c"]],
    [{ count_created: { lt: 5 } }, ["a"]],
    [{ count_created: { lte: 5 } }, ["a", "b"]],
    [{ count_created: { gt: 5 } }, ["c"]],
    [{ count_created: { gte: 5 } }, ["b", "c"]],
    [{ name: { in: ["a", "c", "d"] } }, ["a", "c"]],
    [{ name: { notin: ["a", "c"] } }, ["b"]],
    [{ use_ssh: { eq: true } }, ["b"]],
    [{ count_created: { gt: 1, lt: 9 }, name: { in: ["a", "b"] } }, ["b"]],
    [{ name: { eq: "A" } }, []],
    [{}, ["a", "b", "c"]],
  ])("search %j", async (filters, expected) => {
    await using service = await start([
      { ...OTHERS, id: 1, hash_id: "a", name: "a", creator_id: 50_210, count_created: 1 },
      { ...OTHERS, id: 2, hash_id: "b", name: "b", creator_id: 50_210, count_created: 5, use_ssh: true },
      { ...OTHERS, id: 3, hash_id: "c", name: "c", creator_id: 50_210, count_created: 9 },
    ]);
    const { status, names } = await search(service, filters);
    expect([status, names]).toEqual([200, expected]);
  });

  test.each([
    ["a field that can't be filtered", { env: { eq: "" } }],
    ["such a field, without an operator", { env: {} }],
    ["free text", "pytorch"],
    ["an operator that there is not", { name: { like: "py" } }],
    ["a value of another type", { name: { eq: 7 } }],
    ["null", { name: { eq: null } }],
    ["a list for eq", { name: { eq: ["a"] } }],
    ["a text for in", { name: { in: "a" } }],
    ["a value without operator", { name: "a" }],
  ])("a search for %s is refused", async (_what, filters) => {
    await using service = await start();
    expect((await search(service, filters)).status).toBe(400);
  });
});

describe("only in the seed", () => {
  test.each([
    ["no docker_login_repo", { docker_login_repo: undefined }],
    ["no docker_login_user", { docker_login_user: undefined }],
    ["no docker_login_pass", { docker_login_pass: undefined }],
    ["an image with its tag", { image: "pytorch/pytorch:2.8" }],
    ["null", { desc: null }],
    ["a disk as a text", { recommended_disk_space: "20" }],
  ])("%s is refused", async (_what, body) => {
    await using service = await underTest({ dialect: "seed" });
    expect((await service.call("POST", PATH, { ...BODY, ...body })).status).toBe(400);
  });

  test("there is no delete by hash, no v1, and no other key in the query", async () => {
    await using service = await underTest({ dialect: "seed" });
    const { hash_id, id } = await create(service);
    expect((await service.call("DELETE", PATH, { hash_id })).status).toBe(400);
    expect((await service.call("PUT", "/api/v1/template/", { id, hash_id, name: "x" })).status).toBe(404);
    expect((await search(service, {}, "&select_cols=[]")).status).toBe(400);
    expect((await search(service, { id: { eq: String(id) } })).status).toBe(400);
  });
});

describe("as observed", () => {
  test("an empty runtype in an edit changes nothing; in the seed it is refused", async () => {
    await using service = await underTest();
    const { hash_id } = await create(service, { runtype: "ssh" });
    const edited = await service.call("PUT", PATH, { hash_id, name: "other", runtype: "" });
    expect(edited).toMatchObject({ status: 200, body: { template: { name: "other", runtype: "ssh" } } });
    await using seed = await underTest({ dialect: "seed" });
    const old = await create(seed);
    expect((await seed.call("PUT", PATH, { hash_id: old.hash_id, runtype: "" })).status).toBe(400);
  });

  test("takes what the official client sends: nulls, the disk as a text, no login", async () => {
    await using service = await underTest();
    const { status, body } = await service.call("POST", PATH, {
      name: "PyTorch",
      image: "pytorch/pytorch:2.8",
      tag: null,
      href: null,
      repo: null,
      env: null,
      onstart: null,
      jup_direct: false,
      ssh_direct: true,
      use_jupyter_lab: false,
      runtype: "ssh",
      use_ssh: true,
      jupyter_dir: null,
      docker_login_repo: null,
      extra_filters: { verified: { eq: true } },
      recommended_disk_space: "20",
      readme: null,
      readme_visible: true,
      desc: null,
      private: true,
    });
    expect([status, body]).toEqual([200, expect.objectContaining({ success: true })]);
    expect((body as Shown).template).toMatchObject({
      image: "pytorch/pytorch",
      tag: "2.8",
      recommended_disk_space: 20,
    });
  });
});
