import { describe, expect, test } from "vitest";
import type { TemplateContent } from "../../client/account-endpoints.ts";
import type { Scenario } from "../../simulator/scenario/scenario.ts";
import { NotFoundError, PermissionError, RequestRejectedError } from "../../src/marketplace/errors.ts";
import { DIALECTS, startContract } from "./support/service-under-contract.ts";

const CONTENT: TemplateContent = {
  ...{ name: "PyTorch", image: "ghcr.io/octo/torch", tag: "2.8", desc: "for tests", readme: "One line.\n" },
  ...{ env: '-e MODE=train -e GREETING="hello" -p 8000:8000', onstart: "echo template", args_str: "" },
  ...{ runtype: "ssh", ssh_direct: true, use_ssh: true, jup_direct: false, use_jupyter_lab: false },
  ...{ docker_login_repo: "ghcr.io", docker_login_user: "octo", docker_login_pass: "the-template-token" },
  ...{ href: "https://example.com", repo: "octo/torch", private: true, recommended_disk_space: 64 },
  jupyter_dir: "/work",
  extra_filters: { reliability: { gte: 0.99 } },
  volume_info: { create_new: true, size: 10 },
};
const NO_LOGIN = { docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };
const PLAIN: TemplateContent = { name: "Plain", image: "debian", ...NO_LOGIN };
const THEIRS = { id: 40, hash_id: "0123456789abcdef", name: "Theirs", image: "theirs", creator_id: 7, private: false };

describe.each(DIALECTS)("dialect %s", (dialect) => {
  const start = (scenario: Scenario = {}) => startContract(dialect, { scenario });

  test("create, search, edit, delete: all fields there and back, but for the login", async () => {
    await using service = await start();
    const { templates } = service.client;
    const { id, hash_id } = await templates.create(CONTENT);
    const { docker_login_user: _user, docker_login_pass: _pass, ...shown } = CONTENT;
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

  test.each([
    [{ name: { eq: "B" } }, []],
    [{ name: { neq: "b" } }, ["a", "c"]],
    [{ count_created: { lt: 5 } }, ["a"]],
    [{ count_created: { lte: 5 } }, ["a", "b"]],
    [{ created_at: { gt: 100.5 } }, ["c"]],
    [{ created_at: { gte: 100.5 } }, ["b", "c"]],
    [{ tag: { in: ["1", "3", "4"] } }, ["a", "c"]],
    [{ tag: { notin: ["1", "3"] } }, ["b"]],
    [{ use_ssh: { eq: true }, ssh_direct: { eq: false } }, ["b"]],
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

  test("a write that gets no answer is not sent again, and all keep the service's intervals", async () => {
    const lost = { operation: "createTemplate", kind: "lose-answer", nth: 1 } as const;
    await using service = await start({ limits: true, faults: [lost] });
    const { templates } = service.client;
    await expect(templates.create(PLAIN)).rejects.toThrow("gave no answer");
    const { id, hash_id } = await templates.create({ ...PLAIN, name: "Other" });
    await templates.edit(hash_id, { desc: "1" });
    await templates.search();
    await templates.delete(id);
    expect(service.sim.journal.of("createTemplate")).toHaveLength(2);
    expect(service.sim.journal.entries.filter(({ mark }) => mark === "rate-limited")).toEqual([]);
  });

  describe("in a create", () => {
    const OWN = { id: 31, hash_id: "4e17788f74f075dd" };
    const make = (template: object = {}) => start({ templates: [{ ...CONTENT, ...OWN, ...template }] as never });
    const bare = { image: undefined, template_hash_id: OWN.hash_id };

    test("a template gives what the request does not say, its login included, also after an edit", async () => {
      await using service = await make();
      const { hash_id } = await service.client.templates.edit(OWN.hash_id, { desc: "changed" });
      const { id } = await service.create(11, { image: undefined, template_hash_id: hash_id });
      expect(service.sim.instances()[0]?.order).toMatchObject({
        ...{ image: "ghcr.io/octo/torch:2.8", disk: 64, runtype: "ssh_direct", onstart: "echo template" },
        env: { MODE: "train", GREETING: "hello", "-p 8000:8000": "1" },
        image_login: "-u octo -p the-template-token ghcr.io",
      });
      const row = await service.instance(id);
      const shown = { template_id: OWN.id, template_hash_id: hash_id, template_name: "PyTorch" };
      if (dialect === "observed") expect(row).toMatchObject(shown);
      const all = [row, service.sim.journal.entries, (await service.call("GET", "/_control/instances")).body];
      expect(JSON.stringify(all)).not.toContain("the-template-token");
    });

    test("the request wins; of env name by name", async () => {
      await using service = await make();
      const scalars = { image: "debian:13", disk: 20, runtype: "ssh_proxy", onstart: "echo request" };
      const [image_login, env] = ["-u me -p mine docker.io", { MODE: "test", MORE: "1" }];
      await service.create(11, { ...bare, ...scalars, image_login, env });
      expect(service.sim.instances()[0]?.order).toMatchObject({
        ...{ ...scalars, image_login },
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

    test("a template's volume_info makes no volume; the request's own does; filters may stand there", async () => {
      const volume_info = { create_new: true, volume_id: 71, size: 30, mount_path: "/data" };
      await using service = await start({
        templates: [{ ...PLAIN, ...OWN, volume_info }] as never,
        offers: [11, 12].map((id) => ({ id, machine_id: 501 })),
        volumeOffers: [{ id: 71, machine_id: 501, disk_space: 100 }],
      });
      await service.create(11, { ...bare, extra_filters: { gpu_name: { eq: "RTX 3090" } } });
      await service.create(12, { ...bare, volume_info });
      expect(service.sim.instances().map(({ volume }) => volume?.disk_space)).toEqual([undefined, 30]);
    });
  });
});

test.each([
  ["observed", ["/api/v1/template/"]],
  ["seed", ["/api/v1/template/", "/api/v0/template/"]],
] as const)(
  "an edit asks today's address first, and the specification's where there is no other: %s",
  async (...row) => {
    const [dialect, paths] = row;
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
  service.sim.setFaults([]);
  expect(await templates.search()).toMatchObject([{ name: "Plain", desc: "b", runtype: "ssh" }]);
});
