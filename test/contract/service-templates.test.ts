import { describe, expect, test } from "vitest";
import type { TemplateContent } from "../../client/account-endpoints.ts";
import type { Scenario } from "../../simulator/scenario/scenario.ts";
import { NotFoundError, PermissionError, RequestRejectedError } from "../../src/marketplace/errors.ts";
import { aConfig } from "../unit/support/an-instance-config.ts";
import { create, DIALECTS, startContract } from "./support/service-under-contract.ts";

const CONTENT: TemplateContent = {
  name: "PyTorch",
  image: "ghcr.io/octo/torch",
  tag: "2.8",
  desc: "for tests",
  readme: "One line.\n",
  env: "-e MODE=train -p 8000:8000 ",
  onstart: "echo hello\n",
  runtype: "ssh",
  args_str: "",
  ssh_direct: true,
  use_ssh: true,
  jup_direct: false,
  jupyter_dir: null,
  use_jupyter_lab: false,
  docker_login_repo: "ghcr.io",
  docker_login_user: "octo",
  docker_login_pass: "the-template-token",
  href: "https://example.com",
  repo: "octo/torch",
  extra_filters: { reliability: { gte: 0.99 } },
  recommended_disk_space: 64,
  private: true,
  volume_info: { create_new: true, size: 10 },
};
const PLAIN: TemplateContent = {
  name: "Plain",
  image: "debian",
  docker_login_repo: "",
  docker_login_user: "",
  docker_login_pass: "",
};
const THEIRS = { id: 40, hash_id: "0123456789abcdef", name: "Theirs", image: "theirs", creator_id: 7, private: false };

describe.each(DIALECTS)("dialect %s", (dialect) => {
  const start = (scenario: Scenario = {}) => startContract(dialect, { scenario });

  test("create, search, edit, delete: all fields there and back, but for the login", async () => {
    await using service = await start();
    const { templates } = service.client;
    const { id, hash_id } = await templates.create(CONTENT);
    const { docker_login_user: _user, docker_login_pass: _pass, jupyter_dir: _dir, ...shown } = CONTENT;
    expect(await templates.search({ hash_id: { eq: hash_id } })).toMatchObject([{ id, hash_id, ...shown }]);

    const edited = await templates.edit(hash_id, { tag: "2.9" });
    expect(edited.hash_id).not.toBe(hash_id);
    expect(await templates.search()).toMatchObject([{ ...shown, id, hash_id: edited.hash_id, tag: "2.9" }]);

    await templates.delete(id);
    expect(await templates.search()).toEqual([]);
    await expect(templates.delete(id)).rejects.toBeInstanceOf(NotFoundError);
    expect(service.sim.journal.strays()).toEqual([]);
  });

  test("an edit keeps the login, which no answer shows", async () => {
    await using service = await start();
    const { hash_id } = await service.client.templates.create(CONTENT);
    const edited = await service.client.templates.edit(hash_id, { desc: "changed" });
    const { image: _image, ...config } = aConfig({ template_hash_id: edited.hash_id });
    await create(service, 11, config);
    expect(service.sim.instances()[0]?.order).toMatchObject({
      image: "ghcr.io/octo/torch:2.8",
      imageLogin: "-u octo -p the-template-token ghcr.io",
    });
  });

  test("an edit of what is not there: not found; of somebody else's: not permitted", async () => {
    await using service = await start({ templates: [THEIRS] });
    const { templates } = service.client;
    await expect(templates.edit("fedcba9876543210", { name: "x" })).rejects.toBeInstanceOf(NotFoundError);
    await expect(templates.edit(THEIRS.hash_id, { name: "x" })).rejects.toBeInstanceOf(PermissionError);
    await expect(templates.delete(THEIRS.id)).rejects.toBeInstanceOf(PermissionError);
  });

  test("of two templates with one hash an edit changes the account's own", async () => {
    const own = { ...THEIRS, id: 41, name: "Ours", creator_id: 50_210 };
    await using service = await start({ templates: [THEIRS, own] });
    await service.client.templates.edit(THEIRS.hash_id, { desc: "ours" });
    expect(await service.client.templates.search({ name: { eq: "Ours" } })).toMatchObject([{ id: 41, desc: "ours" }]);
  });

  test.each([
    [{ name: { eq: "b" } }, ["b"]],
    [{ name: { neq: "b" } }, ["a", "c"]],
    [{ count_created: { lt: 5 } }, ["a"]],
    [{ count_created: { lte: 5 } }, ["a", "b"]],
    [{ created_at: { gt: 100.5 } }, ["c"]],
    [{ created_at: { gte: 100.5 } }, ["b", "c"]],
    [{ tag: { in: ["1", "3"] } }, ["a", "c"]],
    [{ tag: { notin: ["1", "3"] } }, ["b"]],
    [{ use_ssh: { eq: true }, ssh_direct: { eq: false } }, ["b"]],
    [{ recommended: { eq: true } }, []],
    [{}, ["a", "b", "c"]],
  ])("search %j", async (filters, expected) => {
    const own = { image: "x", creator_id: 50_210 };
    const templates = [
      { ...own, id: 1, hash_id: "a", name: "a", tag: "1", count_created: 1, created_at: 50 },
      { ...own, id: 2, hash_id: "b", name: "b", tag: "2", count_created: 5, created_at: 100.5, use_ssh: true },
      { ...own, id: 3, hash_id: "c", name: "c", tag: "3", count_created: 9, created_at: 200 },
    ];
    await using service = await start({ templates });
    expect((await service.client.templates.search(filters)).map(({ name }) => name)).toEqual(expected);
  });

  test("filters that come as a text are read; a row without a hash does not hide the others", async () => {
    const text = JSON.stringify(CONTENT.extra_filters);
    await using service = await start({ templates: [{ ...THEIRS, extra_filters: text }] });
    expect(await service.client.templates.search()).toMatchObject([{ extra_filters: CONTENT.extra_filters }]);
    const body = { templates: [{ name: "broken" }, { hash_id: "a", name: "a", extra_filters: "no JSON" }] };
    service.sim.setFaults([{ operation: "searchTemplates", kind: "status", status: 200, body }]);
    expect(await service.client.templates.search()).toEqual([{ hash_id: "a", name: "a" }]);
  });

  test("what the service refuses is told by its own sentence", async () => {
    await using service = await start();
    const wrong = service.client.templates.create({ ...PLAIN, name: "" });
    await expect(wrong).rejects.toBeInstanceOf(RequestRejectedError);
    await expect(wrong).rejects.toThrow(/create template.*400.*name/);
    const field = service.client.templates.search({ env: { eq: "" } } as object);
    await expect(field).rejects.toThrow("env is not a valid search key");
  });

  test.each([
    ["createTemplate", "POST /api/v0/template/", "user_write"],
    ["searchTemplates", "GET /api/v0/template/", "user_read"],
    ["deleteTemplate", "DELETE /api/v0/template/", "user_write"],
  ] as const)(
    "%s: a key that lacks the permission is told by permission and route",
    async (name, route, permission) => {
      await using service = await start({ keys: [{ key: "poor", scopes: ["misc"] }] });
      const { templates } = service.connect({ apiKey: "poor" });
      const calls = {
        createTemplate: () => templates.create(PLAIN),
        searchTemplates: () => templates.search(),
        deleteTemplate: () => templates.delete(1),
      };
      const refused = calls[name]();
      await expect(refused).rejects.toBeInstanceOf(PermissionError);
      await expect(refused).rejects.toThrow(`(${route} needs the permission ${permission})`);
    },
  );

  test("a write that gets no answer is not sent again", async () => {
    await using service = await start({
      faults: [{ operation: "createTemplate", kind: "lose-answer" }],
    });
    await expect(service.client.templates.create(PLAIN)).rejects.toThrow("gave no answer");
    expect(service.sim.journal.of("createTemplate")).toHaveLength(1);
  });

  test("keeps the service's intervals", async () => {
    await using service = await start({ limits: true });
    const { id, hash_id } = await service.client.templates.create(PLAIN);
    await service.client.templates.create({ ...PLAIN, name: "Other" });
    await service.client.templates.edit(hash_id, { desc: "1" });
    await service.client.templates.search();
    await service.client.templates.delete(id);
    expect(service.sim.journal.entries.filter(({ mark }) => mark === "rate-limited")).toEqual([]);
  });
});

test("an edit asks today's address first, and the specification's where there is no other", async () => {
  for (const [dialect, paths] of [
    ["observed", ["/api/v1/template/"]],
    ["seed", ["/api/v1/template/", "/api/v0/template/"]],
  ] as const) {
    await using service = await startContract(dialect);
    const { hash_id } = await service.client.templates.create(PLAIN);
    await service.client.templates.edit(hash_id, { desc: "x" });
    expect(service.sim.journal.of("editTemplate").map(({ path }) => path)).toEqual(paths);
  }
});

test("deletes by the hash where the service knows that", async () => {
  await using service = await startContract("observed");
  const { hash_id } = await service.client.templates.create(PLAIN);
  await service.client.templates.delete(hash_id);
  expect(await service.client.templates.search()).toEqual([]);
  await using seed = await startContract("seed");
  const other = await seed.client.templates.create(PLAIN);
  await expect(seed.client.templates.delete(other.hash_id)).rejects.toBeInstanceOf(RequestRejectedError);
});
