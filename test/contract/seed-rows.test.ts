import { describe, expect, test } from "vitest";
import type { InstanceConfig, TemplateFilters, WireQuery } from "../../src/marketplace/vast/requests.ts";
import { seedQuery, wireQuery } from "../../src/marketplace/vast/translate.ts";
import { offerQuery } from "../../src/offers/search.ts";
import { aConfig } from "../unit/support/an-instance-config.ts";
import { create, DIALECTS, REQUIREMENTS, startContract } from "./support/service-under-contract.ts";

// Rows of docs/internals/seed-coverage.md that no other test of this folder has.

/** All offers, in the words of the specification. */
const ALL: WireQuery = { filters: {}, type: "on-demand", order: [["dph_total", "desc"]], limit: 64 };

/** A template that says no more than it must. */
const PLAIN = { name: "a", image: "b", docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };

/** Two templates' differences, for every field that the specification calls filterable. */
const FILTERABLE: [field: keyof TemplateFilters, own: string | number | boolean, other: string | number | boolean][] = [
  ["creator_id", 50_210, 7],
  ["created_at", 100.5, 200.5],
  ["count_created", 3, 4],
  ["default_tag", "2.8", "2.9"],
  ["docker_login_repo", "ghcr.io", "docker.io"],
  ["id", 31, 32],
  ["image", "octo/torch", "octo/jax"],
  ["jup_direct", true, false],
  ["hash_id", "4e17", "5e17"],
  ["name", "Torch", "Jax"],
  ["recent_create_date", 1000.5, 2000.5],
  ["recommended_disk_space", 20, 30],
  ["recommended", true, false],
  ["ssh_direct", true, false],
  ["tag", "cuda", "cpu"],
  ["use_ssh", true, false],
];

const ENV = { A: "b", "-p 8000:8080": "1" };
const VOLUME = { create_new: true, volume_id: 71, size: 30, mount_path: "/data" } as const;

/** A field of the creation configuration, a body with it, and the service's understanding of it. */
const FIELDS: [field: string, config: InstanceConfig, understood: object][] = [
  ["image", {}, { image: "debian:13" }],
  ["disk", { disk: 40 }, { disk: 40 }],
  ["runtype", { runtype: "ssh_direct" }, { runtype: "ssh_direct" }],
  ["target_state", { target_state: "stopped" }, { targetState: "stopped" }],
  ["price", { price: 0.3 }, { price: 0.3 }],
  ["env", { env: ENV }, { env: ENV }],
  ["onstart", { onstart: "echo hello\n" }, { onstart: "echo hello\n" }],
  ["args_str", { runtype: "args", args_str: "--serve 1" }, { runtype: "args", argsStr: "--serve 1" }],
  ["use_jupyter_lab", { runtype: "jupyter", use_jupyter_lab: true }, { jupyter: { lab: true, dir: null } }],
  ["jupyter_dir", { runtype: "jupyter", jupyter_dir: "/w" }, { jupyter: { lab: false, dir: "/w" } }],
  ["python_utf8", { python_utf8: true }, { locale: { pythonUtf8: true, langUtf8: false } }],
  ["lang_utf8", { lang_utf8: true }, { locale: { pythonUtf8: false, langUtf8: true } }],
  ["image_login", { image_login: "-u me -p token ghcr.io" }, { imageLogin: "-u me -p token ghcr.io" }],
  ["vm", { vm: true }, { vm: true }],
  ["volume_info", { volume_info: VOLUME }, { volumeInfo: VOLUME }],
];

describe.each(DIALECTS)("dialect %s", (dialect) => {
  test.each(FIELDS)("%s arrives with a create as it was sent", async (_field, config, understood) => {
    await using service = await startContract(dialect, {
      scenario: {
        offers: [{ id: 11, machine_id: 501, min_bid: 0.2 }],
        volumeOffers: [{ id: 71, machine_id: 501, disk_space: 100 }],
      },
    });
    const answer = await service.client.createInstance(11, { image: "debian:13", ...config });
    expect(answer.json).toMatchObject({ success: true });
    expect(service.sim.instances()).toMatchObject([{ order: understood }]);
  });

  test.each([
    ["id", "number"],
    ["num_gpus", "number"],
    ["gpu_name", "string"],
    ["dph_total", "number"],
    ["reliability", "number"],
    // As observed it is a filter only, and `verification` tells it.
    dialect === "seed" ? ["verified", "boolean"] : ["verification", "string"],
    ["rentable", "boolean"],
    ["gpu_ram", "number"],
    ["direct_port_count", "number"],
    ["dlperf_per_dphtotal", "number"],
    ["cuda_max_good", "number"],
  ])("an offer's %s is a %s", async (field, type) => {
    await using service = await startContract(dialect);
    const offers = await service.client.searchOffers(ALL);
    expect(new Set(offers.map((offer) => typeof offer[field]))).toEqual(new Set([type]));
  });

  test.each([
    ["eq", { gpu_name: { eq: "RTX 3090" } }, ["RTX 3090"]],
    ["gte", { gpu_ram: { gte: 80_000 } }, ["H100 SXM"]],
    ["in", { gpu_name: { in: ["RTX 3090", "H100 SXM"] } }, ["H100 SXM", "RTX 3090"]],
  ])("a search by the operator %s", async (_operator, filters, names) => {
    await using service = await startContract(dialect);
    const offers = await service.client.searchOffers({ ...ALL, filters });
    expect(offers.map(({ gpu_name }) => gpu_name)).toEqual(names);
  });

  test("a search keeps to its limit and its order", async () => {
    await using service = await startContract(dialect);
    const prices = (await service.client.searchOffers(ALL)).map(({ dph_total }) => dph_total);
    expect(prices).toEqual(prices.toSorted((left, right) => right - left));
    const first = await service.client.searchOffers({ ...ALL, limit: 2 });
    expect(first.map(({ dph_total }) => dph_total)).toEqual(prices.slice(0, 2));
  });

  test("gpu_ram is in megabytes", async () => {
    await using service = await startContract(dialect);
    const [offer] = await service.client.searchOffers(seedQuery(wireQuery(offerQuery(REQUIREMENTS))));
    expect(offer?.gpu_ram).toBeGreaterThan(24_000);
  });

  test("actual_status goes from null over loading to running", async () => {
    await using service = await startContract(dialect);
    const id = await create(service);
    const seen = new Set<string | undefined>();
    for (let second = 0; second < 10; second += 1) {
      seen.add((await service.client.getInstance(id))?.actual_status);
      service.clock.advance(1);
    }
    seen.delete("created"); // Observed only.
    expect([...seen]).toEqual([undefined, "loading", "running"]);
  });

  test("an instance shows its id, status, label and SSH address", async () => {
    await using service = await startContract(dialect);
    const id = await create(service);
    service.clock.advance(60);
    const [listed] = await service.client.listInstances();
    for (const shown of [listed, await service.client.getInstance(id)]) {
      expect(shown).toMatchObject({
        id,
        actual_status: "running",
        label: aConfig().label,
        ssh_host: expect.any(String),
        ssh_port: expect.any(Number),
      });
    }
  });

  test.each(["exited", "unknown", "offline"])("actual_status %s stays, and no GPU bills", async (status) => {
    await using service = await startContract(dialect, {
      scenario: { statuses: [{ after: 5, actual_status: status }] },
    });
    const id = await create(service);
    service.clock.advance(3600);
    expect((await service.client.getInstance(id))?.actual_status).toBe(status);
    expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 0 }]);
    // The seed: disk charges go on until it is destroyed. Observed: not while it is offline.
    if (dialect === "seed") expect(service.sim.books.bill(id)?.storageSeconds).toBe(3600);
    expect(await service.client.destroyInstance(id)).toBe("asked");
    expect(service.sim.books.billingNow()).toEqual([]);
  });

  test("target_state stopped never boots by itself", async () => {
    await using service = await startContract(dialect);
    const id = await create(service, 11, aConfig({ target_state: "stopped" }));
    service.clock.advance(3600);
    expect((await service.client.getInstance(id))?.actual_status).not.toBe("running");
    expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 0 }]);
  });

  test.each(FILTERABLE)("templates can be searched by %s", async (field, own, other) => {
    const both = { image: "x", private: false };
    const templates = [
      { ...both, id: 31, hash_id: "4e17", [field]: own },
      { ...both, id: 32, hash_id: "5e17", [field]: other },
    ];
    await using service = await startContract(dialect, { scenario: { templates } });
    const found = await service.client.templates.search({ [field]: { eq: own } });
    expect(found).toMatchObject([{ id: 31, [field]: own }]);
  });

  test("a template's jupyter_dir is a text, or null, which is read as not known", async () => {
    await using service = await startContract(dialect);
    const { templates } = service.client;
    await templates.create({ ...PLAIN, name: "with", jupyter_dir: "/work" });
    await templates.create({ ...PLAIN, name: "without", jupyter_dir: null });
    const shown = (await templates.search()).map(({ name, jupyter_dir }) => [name, jupyter_dir]);
    expect(shown).toEqual([
      ["with", "/work"],
      ["without", undefined],
    ]);
  });

  test("a template's volume_info makes no volume; the request's own does", async () => {
    await using service = await startContract(dialect, {
      scenario: {
        templates: [{ id: 31, hash_id: "4e17", image: "debian", volume_info: VOLUME }],
        offers: [
          { id: 11, machine_id: 501 },
          { id: 12, machine_id: 501 },
        ],
        volumeOffers: [{ id: 71, machine_id: 501, disk_space: 100 }],
      },
    });
    await create(service, 11, aConfig({ template_hash_id: "4e17" }));
    await create(service, 12, aConfig({ template_hash_id: "4e17", volume_info: VOLUME }));
    expect(service.sim.instances().map(({ volume: made }) => made?.disk_space)).toEqual([undefined, 30]);
  });

  test("the disk is 8 GB where nothing is said, in an instance and in a template", async () => {
    await using service = await startContract(dialect);
    const { client } = service;
    await client.createInstance(11, { image: "debian:13" });
    expect(service.sim.instances()[0]?.order.disk).toBe(8);
    const { recommended_disk_space } = await client.templates.create(PLAIN);
    expect(recommended_disk_space).toBe(8);
  });
});
