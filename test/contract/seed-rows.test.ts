import { describe, expect, test } from "vitest";
import type { InstanceConfig, TemplateFilters, WireQuery } from "../../src/marketplace/vast/requests.ts";
import { seedQuery, wireQuery } from "../../src/marketplace/vast/translate.ts";
import { aConfig } from "../unit/support/an-instance-config.ts";
import { DIALECTS, QUERY, rent, startContract } from "./support/service-under-contract.ts";

/** All offers, in the words of the specification. */
const ALL: WireQuery = { filters: {}, type: "on-demand", order: [["dph_total", "desc"]], limit: 64 };

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

const ENV = { A: "b", "-p 8000:8080": "1", "-p 8081:8081/udp": "1" };
const VOLUME = { create_new: true, volume_id: 71, size: 30, mount_path: "/data" } as const;
const ONSTART = "x".repeat(4048);
const LOGIN = "-u me -p token ghcr.io";

/** A field of the creation configuration, a body with it, and the service's understanding of it. */
const FIELDS: [field: string, config: InstanceConfig, understood: object][] = [
  ["image", {}, { image: "debian:13" }],
  ["label", { label: "mine" }, {}],
  ["disk", { disk: 40 }, { disk: 40 }],
  ["runtype ssh_direct", { runtype: "ssh_direct" }, { runtype: "ssh_direct" }],
  ["runtype ssh_proxy", { runtype: "ssh_proxy" }, { runtype: "ssh_proxy" }],
  ["runtype ssh", { runtype: "ssh" }, { runtype: "ssh" }],
  ["runtype jupyter_direct", { runtype: "jupyter_direct" }, { runtype: "jupyter_direct" }],
  ["runtype jupyter_proxy", { runtype: "jupyter_proxy" }, { runtype: "jupyter_proxy" }],
  ["runtype jupyter", { runtype: "jupyter" }, { runtype: "jupyter" }],
  ["runtype args", { runtype: "args", args_str: "--serve 1" }, { runtype: "args", args_str: "--serve 1" }],
  ["target_state", { target_state: "stopped" }, { target_state: "stopped" }],
  ["price", { price: 0.3 }, { price: 0.3 }],
  ["env", { env: ENV }, { env: ENV }],
  ["onstart of 4048 characters", { onstart: ONSTART }, { onstart: ONSTART }],
  ["use_jupyter_lab", { runtype: "jupyter", use_jupyter_lab: true }, { use_jupyter_lab: true, jupyter_dir: null }],
  ["jupyter_dir", { runtype: "jupyter", jupyter_dir: "/w" }, { use_jupyter_lab: false, jupyter_dir: "/w" }],
  ["python_utf8", { python_utf8: true }, { python_utf8: true, lang_utf8: false }],
  ["lang_utf8", { lang_utf8: true }, { python_utf8: false, lang_utf8: true }],
  ["image_login", { image_login: LOGIN }, { image_login: LOGIN }],
  ["cancel_unavail", { cancel_unavail: true }, {}],
  ["vm", { vm: true }, { vm: true }],
  ["volume_info", { volume_info: VOLUME }, { volume_info: VOLUME }],
];

describe.each(DIALECTS)("dialect %s", (dialect) => {
  test.each(FIELDS)("%s arrives with a create as it was sent", async (_field, config, understood) => {
    const offers = [{ id: 11, machine_id: 501, min_bid: 0.2 }];
    const volumeOffers = [{ id: 71, machine_id: 501, disk_space: 100 }];
    await using service = await startContract(dialect, { scenario: { offers, volumeOffers } });
    const id = await rent(service, 11, { image: "debian:13", ...config });
    expect(service.sim.instances()).toMatchObject([{ id, label: config.label ?? null, order: understood }]);
    service.clock.advance(60);
    const hasPorts = dialect === "observed" && (/_direct$/.test(config.runtype ?? "") || config.env !== undefined);
    expect(Object.hasOwn((await service.instance(id)) ?? {}, "ports")).toBe(hasPorts);
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

  test("gpu_ram is in megabytes", async () => {
    await using service = await startContract(dialect);
    const [offer] = await service.client.searchOffers(seedQuery(wireQuery(QUERY)));
    expect(offer?.gpu_ram).toBeGreaterThan(24_000);
  });

  test("actual_status goes from null over loading to running", async () => {
    await using service = await startContract(dialect);
    const id = await rent(service);
    const seen = new Set<unknown>();
    for (; !seen.has("running"); service.clock.advance(1)) seen.add((await service.instance(id))?.actual_status);
    seen.delete("created"); // Observed only.
    expect([...seen]).toEqual([null, "loading", "running"]);
  });

  test("an instance shows its id, status, label and SSH address", async () => {
    await using service = await startContract(dialect);
    const id = await rent(service);
    service.clock.advance(60);
    const [listed] = await service.client.listInstances();
    const [ssh_host, ssh_port] = [expect.any(String), expect.any(Number)];
    const shown = { id, actual_status: "running", label: aConfig().label, ssh_host, ssh_port };
    expect(listed).toMatchObject(shown);
    expect(await service.client.getInstance(id)).toMatchObject(shown);
    if (dialect === "seed") expect(await service.instance(id)).toEqual(shown);
  });

  test.each(["exited", "unknown", "offline"])("actual_status %s stays, and no GPU bills", async (status) => {
    const statuses = [{ after: 5, actual_status: status }];
    await using service = await startContract(dialect, { scenario: { statuses } });
    const id = await rent(service);
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
    const id = await rent(service, 11, aConfig({ target_state: "stopped" }));
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

  test("the disk is 8 GB where nothing is said, in an instance and in a template", async () => {
    await using service = await startContract(dialect);
    const login = { docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };
    await rent(service, 11, { image: "debian:13" });
    expect(service.sim.instances()[0]?.order.disk).toBe(8);
    const { recommended_disk_space } = await service.client.templates.create({ name: "a", image: "b", ...login });
    expect(recommended_disk_space).toBe(8);
  });
});
