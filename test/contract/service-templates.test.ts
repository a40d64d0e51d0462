import { describe, expect, test } from "vitest";
import type { TemplateContent } from "../../client/account-endpoints.ts";
import type { Scenario } from "../../simulator/scenario/scenario.ts";
import { NotFoundError, PermissionError, RequestRejectedError } from "../../src/marketplace/errors.ts";
import { aConfig } from "../unit/support/an-instance-config.ts";
import { DIALECTS, rent, startContract } from "./support/service-under-contract.ts";

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
/** One of the account's, as the service has it. */
const TEMPLATE = {
  ...{ id: 31, hash_id: "4e17788f74f075dd", name: "PyTorch", image: "ghcr.io/octo/torch", tag: "2.8" },
  env: '-e MODE=train -e GREETING="hello" -p 8000:8000',
  ...{ onstart: "echo template", runtype: "ssh" as const, ssh_direct: true, recommended_disk_space: 64 },
  ...{ docker_login_repo: "ghcr.io", docker_login_user: "octo", docker_login_pass: "the-template-token" },
};
const OWNER = 50_210;
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

  test("what is created has the seed's defaults, an id and a hash; the same content again is the same template", async () => {
    await using service = await start();
    const { templates } = service.client;
    const made = await templates.create(PLAIN);
    expect(made).toMatchObject({ tag: "latest", runtype: "args", recommended_disk_space: 8, count_created: 0 });
    expect(made).toMatchObject({ id: expect.any(Number), hash_id: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect((await templates.create(PLAIN)).id).toBe(made.id);
    expect((await templates.create({ ...PLAIN, tag: "2.8" })).id).not.toBe(made.id);
  });

  test("a template's jupyter_dir is a text, or null, which is read as not known", async () => {
    await using service = await start();
    const { templates } = service.client;
    for (const jupyter_dir of ["/work", null])
      await templates.create({ ...PLAIN, name: `in ${jupyter_dir}`, jupyter_dir });
    expect((await templates.search()).map(({ jupyter_dir }) => jupyter_dir)).toEqual(["/work", undefined]);
  });

  test("an edit keeps the login, which no answer shows", async () => {
    await using service = await start();
    const { hash_id } = await service.client.templates.create(CONTENT);
    const edited = await service.client.templates.edit(hash_id, { desc: "changed" });
    const { image: _image, ...config } = aConfig({ template_hash_id: edited.hash_id });
    await rent(service, 11, config);
    expect(service.sim.instances()[0]?.order).toMatchObject({
      image: "ghcr.io/octo/torch:2.8",
      image_login: "-u octo -p the-template-token ghcr.io",
    });
  });

  test("even an edit that changes nothing makes another hash, and an instance keeps the template that it was made of", async () => {
    await using service = await start();
    const { templates } = service.client;
    const { hash_id } = await templates.create(PLAIN);
    const { hash_id: now } = await templates.edit(hash_id, {});
    expect(now).not.toBe(hash_id);
    expect(await templates.search({ hash_id: { eq: hash_id } })).toEqual([]);
    await service.create(11, { image: undefined, template_hash_id: now });
    await templates.edit(now, { image: "fedora" });
    const made = { hash_id: now, count_created: 1, recent_create_date: expect.any(Number) };
    expect(service.sim.instances()[0]?.order).toMatchObject({ image: "debian:latest", template: made });
  });

  test("somebody else's can be seen unless it is private, and never changed; what is not there is not found", async () => {
    const hidden = { ...THEIRS, id: 42, hash_id: "1", name: "Hidden", private: true };
    await using service = await start({ templates: [THEIRS, hidden] });
    const { templates } = service.client;
    expect((await templates.search()).map(({ name }) => name)).toEqual(["Theirs"]);
    await expect(templates.edit("fedcba9876543210", { name: "x" })).rejects.toBeInstanceOf(NotFoundError);
    await expect(templates.edit(THEIRS.hash_id, { name: "x" })).rejects.toBeInstanceOf(PermissionError);
    await expect(templates.delete(THEIRS.id)).rejects.toBeInstanceOf(PermissionError);
  });

  test("of two templates with one hash an edit changes the account's own", async () => {
    const own = { ...THEIRS, id: 41, name: "Ours", creator_id: OWNER };
    await using service = await start({ templates: [THEIRS, own] });
    await service.client.templates.edit(THEIRS.hash_id, { desc: "ours" });
    expect(await service.client.templates.search({ name: { eq: "Ours" } })).toMatchObject([{ id: 41, desc: "ours" }]);
  });

  test.each([
    [{ name: { eq: "b" } }, ["b"]],
    [{ name: { eq: "B" } }, []],
    [{ name: { neq: "b" } }, ["a", "c"]],
    [{ count_created: { lt: 5 } }, ["a"]],
    [{ count_created: { lte: 5 } }, ["a", "b"]],
    [{ created_at: { gt: 100.5 } }, ["c"]],
    [{ created_at: { gte: 100.5 } }, ["b", "c"]],
    [{ tag: { in: ["1", "3", "4"] } }, ["a", "c"]],
    [{ tag: { notin: ["1", "3"] } }, ["b"]],
    [{ count_created: { gt: 1, lt: 9 }, name: { in: ["a", "b"] } }, ["b"]],
    [{ use_ssh: { eq: true }, ssh_direct: { eq: false } }, ["b"]],
    [{ recommended: { eq: true } }, []],
    [{}, ["a", "b", "c"]],
  ])("search %j", async (filters, expected) => {
    const own = { image: "x", creator_id: OWNER };
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

  describe("in a create", () => {
    const make = (template: object) => start({ templates: [{ ...TEMPLATE, ...template }] });
    const bare = { image: undefined, template_hash_id: TEMPLATE.hash_id };

    test("a template gives what the request does not say, its login included", async () => {
      await using service = await make({});
      const { id } = await service.create(11, bare);
      expect(service.sim.instances()[0]?.order).toMatchObject({
        image: "ghcr.io/octo/torch:2.8",
        disk: 64,
        runtype: "ssh_direct",
        onstart: "echo template",
        env: { MODE: "train", GREETING: "hello", "-p 8000:8000": "1" },
        image_login: "-u octo -p the-template-token ghcr.io",
      });
      const row = await service.instance(id);
      const { id: template_id, hash_id: template_hash_id, name: template_name } = TEMPLATE;
      if (dialect === "observed") expect(row).toMatchObject({ template_id, template_hash_id, template_name });
      const shown = [row, service.sim.journal.entries, (await service.call("GET", "/_control/instances")).body];
      expect(JSON.stringify(shown)).not.toContain(TEMPLATE.docker_login_pass);
    });

    test("the request wins; of env name by name", async () => {
      await using service = await make({});
      const scalars = { image: "debian:13", disk: 20, runtype: "ssh_proxy", onstart: "echo request" };
      const [image_login, env] = ["-u me -p mine docker.io", { MODE: "test", MORE: "1" }];
      await service.create(11, { ...bare, ...scalars, image_login, env });
      expect(service.sim.instances()[0]?.order).toMatchObject({
        ...scalars,
        image_login,
        env: { MODE: "test", MORE: "1", GREETING: "hello", "-p 8000:8000": "1" },
      });
    });

    test.each([
      ["-e A=1 -e B=", { A: "1", B: "" }],
      [`-e A="one two" -e 'B=three four' -e C=x=y`, { A: "one two", B: "three four", C: "x=y" }],
      ["-p 8000:80 -p 53:53/udp", { "-p 8000:80": "1", "-p 53:53/udp": "1" }],
      ["--gpus all -e  A=1", { A: "1" }],
      ["", {}],
    ])("the flags %j are converted", async (env, expected) => {
      await using service = await make({ env });
      await service.create(11, bare);
      expect(service.sim.instances()[0]?.order.env).toEqual(expected);
    });

    test("filters may stand in a create, where the offer is chosen already", async () => {
      await using service = await make({});
      await service.create(11, { extra_filters: { gpu_name: { eq: "RTX 3090" } } });
      expect(service.sim.instances()[0]?.offer.id).toBe(11);
    });

    test("a template's volume_info makes no volume; the request's own does", async () => {
      const volume_info = { create_new: true, volume_id: 71, size: 30, mount_path: "/data" };
      await using service = await start({
        templates: [{ ...TEMPLATE, volume_info }],
        offers: [11, 12].map((id) => ({ id, machine_id: 501 })),
        volumeOffers: [{ id: 71, machine_id: 501, disk_space: 100 }],
      });
      await service.create(11, bare);
      await service.create(12, { ...bare, volume_info });
      expect(service.sim.instances().map(({ volume: made }) => made?.disk_space)).toEqual([undefined, 30]);
    });
  });
});

test.each([
  ["observed", ["/api/v1/template/"]],
  ["seed", ["/api/v1/template/", "/api/v0/template/"]],
] as const)(
  "an edit asks today's address first, and the specification's where there is no other: %s",
  async (dialect, paths) => {
    await using service = await startContract(dialect);
    const { hash_id } = await service.client.templates.create(PLAIN);
    await service.client.templates.edit(hash_id, { desc: "x" });
    expect(service.sim.journal.of("editTemplate").map(({ path }) => path)).toEqual(paths);
  },
);

test("deletes by the hash where the service knows that", async () => {
  await using service = await startContract("observed");
  const { hash_id } = await service.client.templates.create(PLAIN);
  await service.client.templates.delete(hash_id);
  expect(await service.client.templates.search()).toEqual([]);
  await using seed = await startContract("seed");
  const other = await seed.client.templates.create(PLAIN);
  await expect(seed.client.templates.delete(other.hash_id)).rejects.toBeInstanceOf(RequestRejectedError);
});

test("a template whose runtype is shown empty can be edited, and keeps the runtype that it has", async () => {
  await using service = await startContract("observed");
  const { templates } = service.client;
  const { id, hash_id } = await templates.create({ ...PLAIN, runtype: "ssh" });
  const body = { success: true, templates_found: 1, templates: [{ id, hash_id, name: "Plain", runtype: "" }] };
  service.sim.setFaults([{ operation: "searchTemplates", kind: "status", status: 200, body }]);
  await templates.edit(hash_id, { desc: "b" });
  expect(service.sim.journal.of("editTemplate")[0]).toMatchObject({ status: 200, request: { runtype: "" } });
  service.sim.setFaults([]);
  expect(await templates.search()).toMatchObject([{ name: "Plain", desc: "b", runtype: "ssh" }]);
});

test("a template takes what the official client sends: nulls, the disk as a text, no login", async () => {
  await using service = await startContract("observed");
  const nulls = Object.fromEntries(
    "tag href repo env onstart jupyter_dir docker_login_repo readme desc".split(" ").map((field) => [field, null]),
  );
  const body = { name: "PyTorch", image: "pytorch/pytorch:2.8", recommended_disk_space: "20", readme_visible: true };
  const answer = await service.call("POST", "/api/v0/template/", { ...nulls, ...body, runtype: "ssh", private: true });
  const template = { image: "pytorch/pytorch", tag: "2.8", recommended_disk_space: 20 };
  expect(answer).toMatchObject({ status: 200, body: { success: true, template } });
});

describe("a private image", () => {
  const imageLogins = [{ registry: "ghcr.io", username: "octo", token: "right" }];
  const REFUSED = {
    actual_status: "loading",
    status_msg: expect.stringContaining("unauthorized: authentication required"),
  };
  const RUNS = { actual_status: "running" };

  test.each([
    ["runs with its login", { image_login: "-u octo -p right ghcr.io" }, RUNS],
    ["of another registry needs none", { image: "debian:13" }, RUNS],
    ["never leaves loading with no login", {}, REFUSED],
    ["never leaves loading with a wrong token", { image_login: "-u octo -p wrong ghcr.io" }, REFUSED],
    ["never leaves loading with a login for another registry", { image_login: "-u octo -p right docker.io" }, REFUSED],
  ])("%s", async (_what, body, expected) => {
    await using service = await startContract("observed", { scenario: { imageLogins } });
    const { id } = await service.create(11, { image: "ghcr.io/octo/private:1", ...body });
    service.clock.advance(60);
    expect(await service.instance(id)).toMatchObject(expected);
    expect(JSON.stringify(service.sim.journal.entries)).not.toContain("-p right");
  });
});
