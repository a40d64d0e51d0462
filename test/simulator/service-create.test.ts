import { describe, expect, test } from "vitest";
import { type UnderTest, underTest } from "./service-under-test.ts";

const observed = { dialect: "observed" } as const;
const seed = { dialect: "seed" } as const;

async function create(service: UnderTest, offer: number, body: unknown = { image: "debian:13" }) {
  const { status, body: answer } = await service.call("PUT", `/api/v0/asks/${offer}/`, body);
  return { status, answer };
}

function bills(service: UnderTest) {
  return service.sim.books.billingNow().map(({ id }) => id);
}

describe.each([observed, seed])("in dialect $dialect", (dialect) => {
  test("makes an instance of an offer and gives its id and its own key", async () => {
    await using service = await underTest(dialect);
    const { status, answer } = await create(service, 11, {
      image: "pytorch/pytorch:2.8.0",
      label: "ghr1.1.2-1.abcdef.1.3",
      disk: 40,
      runtype: "ssh_direct",
      target_state: "running",
      env: { NAME: "value", "-p 8000:8000": "1" },
      onstart: "echo hello",
      cancel_unavail: true,
      python_utf8: true,
      lang_utf8: true,
      use_jupyter_lab: false,
      jupyter_dir: "/",
      image_login: "-u name -p token docker.io",
    });
    expect(status).toBe(200);
    expect(answer).toEqual({
      success: true,
      new_contract: expect.any(Number),
      instance_api_key: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const [record] = service.sim.instances();
    expect(record).toMatchObject({
      label: "ghr1.1.2-1.abcdef.1.3",
      offer: { id: 11, machine_id: 40_211 },
      order: { image: "pytorch/pytorch:2.8.0", disk: 40, onstart: "echo hello", env: { NAME: "value" } },
    });
    expect(bills(service)).toEqual([record?.id]);
  });

  test.each([
    ["no image", {}, /image or template_hash_id is required/],
    ["an unknown key", { image: "a:1", imagee: "b" }, /imagee/],
    ["template_id", { image: "a:1", template_id: 4 }, /template_id is not valid here; use template_hash_id/],
    ["env as a flag string", { image: "a:1", env: "-e A=b" }, /^env: /],
    ["an env value that is no string", { image: "a:1", env: { A: 1 } }, /^env.A: /],
    ["an env key that is no name", { image: "a:1", env: { "A B": "c" } }, /^env.A B: /],
    ["onstart over 4048 characters", { image: "a:1", onstart: "x".repeat(4049) }, /^onstart: .*4048/],
    ["an unknown runtype", { image: "a:1", runtype: "docker" }, /^runtype: /],
    ["an unknown target_state", { image: "a:1", target_state: "paused" }, /^target_state: /],
    ["an image_login of another form", { image: "a:1", image_login: "user:token" }, /^image_login: /],
    ["a disk that the offer has no room for", { image: "a:1", disk: 421 }, /disk 421 GB exceeds 420 GB/],
  ])("refuses %s and creates nothing", async (_what, body, sentence) => {
    await using service = await underTest(dialect);
    const { status, answer } = await create(service, 11, body);
    expect(status).toBe(400);
    expect(answer).toEqual({ success: false, error: "invalid_args", msg: expect.stringMatching(sentence) });
    expect(service.sim.instances()).toEqual([]);
  });

  test("takes an onstart of 4048 characters", async () => {
    await using service = await underTest(dialect);
    await service.create(11, { onstart: "x".repeat(4048) });
    expect(service.sim.instances()).toHaveLength(1);
  });

  test("refuses a body without the JSON content type, or that is no JSON object", async () => {
    await using service = await underTest(dialect);
    const bare = await fetch(`${service.sim.url}/api/v0/asks/11/`, {
      method: "PUT",
      headers: { authorization: `Bearer ${service.sim.apiKey}` },
      body: JSON.stringify({ image: "a:1" }),
    });
    expect(bare.status).toBe(400);
    expect((await create(service, 11, "{image")).status).toBe(400);
    expect((await create(service, 11, "[]")).status).toBe(400);
    expect(service.sim.instances()).toEqual([]);
  });

  test("rents an offer once, and once more when its instance is destroyed", async () => {
    await using service = await underTest(dialect);
    const { id } = await service.create(11);
    const second = await create(service, 11);
    expect(second.status).toBeGreaterThanOrEqual(400);
    expect(second.answer).toMatchObject({
      success: false,
      msg: expect.stringMatching(/not available|no longer available/),
    });
    await service.call("DELETE", `/api/v0/instances/${id}/`);
    await service.create(11);
    expect(service.sim.instances()).toHaveLength(2);
  });

  test("refuses without credit, by scenario and by fault", async () => {
    await using service = await underTest({ ...dialect, scenario: { user: { credit: 0 } } });
    const refusal = { status: 400, answer: expect.objectContaining({ error: "insufficient_credit" }) };
    expect(await create(service, 11)).toEqual(refusal);
    await using rich = await underTest(dialect);
    rich.sim.setFaults([{ operation: "createInstance", kind: "no-credit", times: 1 }]);
    expect(await create(rich, 11)).toEqual(refusal);
    await rich.create(11);
  });

  test.each([
    ["use_jupyter_lab as a text", { use_jupyter_lab: "yes" }],
    ["jupyter_dir as a number", { jupyter_dir: 1 }],
    ["vm as a text", { vm: "true" }],
    ["an unknown target_state", { target_state: "paused" }],
    ["price as a text", { price: "0.3" }],
    ["image_login in another order", { image_login: "registry.example.com -u me -p token" }],
    [
      "65 ports",
      { env: Object.fromEntries(Array.from({ length: 65 }, (_, port) => [`-p ${port + 1}:${port + 1}`, "1"])) },
    ],
    ["a port mapping with another value", { env: { "-p 80:80": "8000" } }],
    ["a port mapping without its flag", { env: { "80:80": "1" } }],
    ["env as a flag string", { env: "-e A=b -p 80:80" }],
    ["template_id instead of template_hash_id", { template_id: 7 }],
    ["an onstart that is too long", { onstart: "x".repeat(4049) }],
    ["an unknown field", { gpu: 1 }],
    ["a volume without a path", { volume_info: { create_new: false, volume_id: 3 } }],
    ["a new volume without a size", { volume_info: { create_new: true, volume_id: 3, mount_path: "/data" } }],
    ["a volume's number as a text", { volume_info: { create_new: false, volume_id: "3", mount_path: "/data" } }],
    ["an unknown field of a volume", { volume_info: { create_new: false, volume_id: 3, mount_path: "/d", disk: 1 } }],
  ])("refuses %s with 400", async (_what, body) => {
    await using service = await underTest(dialect);
    expect((await create(service, 11, { image: "a:1", ...body })).status).toBe(400);
    expect(service.sim.instances()).toEqual([]);
  });

  test("takes every field of the creation configuration", async () => {
    await using service = await underTest(dialect);
    const { id } = await service.create(11, {
      label: "all",
      disk: 40,
      runtype: "jupyter_direct",
      target_state: "running",
      price: 0.3,
      env: { A: "b", "-p 8001:8001": "1" },
      onstart: "true",
      args_str: "--serve",
      use_jupyter_lab: true,
      jupyter_dir: "/work",
      python_utf8: true,
      lang_utf8: true,
      image_login: "-u me -p token registry.example.com",
      cancel_unavail: true,
      vm: true,
    });
    expect(service.sim.instances()[0]).toMatchObject({
      id,
      order: { argsStr: "--serve", vm: true, jupyter: { lab: true, dir: "/work" }, targetState: "running" },
    });
  });
});

describe("observed", () => {
  test.each([0, 200])("a price of %d is no price", async (price) => {
    await using service = await underTest();
    const refused = await create(service, 11, { image: "debian:13", price });
    expect(refused).toMatchObject({ status: 400, answer: { error: "invalid_price" } });
  });

  test("takes what the official client sends, nulls and its own fields included", async () => {
    await using service = await underTest();
    await service.create(11, {
      client_id: "me",
      env: { A: "b", "-h": "bob", "-v /a:/b": "1", "-p 70000:70000/udp": "1" },
      price: null,
      disk: 10,
      label: null,
      extra: null,
      onstart: null,
      image_login: null,
      python_utf8: false,
      lang_utf8: false,
      use_jupyter_lab: false,
      jupyter_dir: null,
      force: false,
      cancel_unavail: false,
      template_hash_id: null,
      user: null,
      runtype: "ssh_direc ssh_proxy",
    });
    expect(service.sim.instances()[0]).toMatchObject({ label: null, order: { runtype: "ssh_direc ssh_proxy" } });
  });

  test("makes a stopped instance of an unavailable machine unless cancel_unavail is true", async () => {
    const offers = [{ id: 1, simulate: { unavailable: true } }];
    await using service = await underTest({ scenario: { offers } });
    expect((await create(service, 1, { image: "a:1", cancel_unavail: true })).status).toBe(410);
    // On demand it is true by default.
    expect((await create(service, 1, { image: "a:1" })).status).toBe(410);
    expect(bills(service)).toEqual([]);
    const { id } = await service.create(1, { cancel_unavail: false });
    service.clock.advance(60);
    expect(await service.instance(id)).toMatchObject({ actual_status: "exited", cur_state: "stopped" });
    expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 0 }]);
    expect(service.sim.books.total()).toBeGreaterThan(0);
  });

  test.each([
    ["404", 404, /404\/3603: no_such_ask/],
    ["410", 410, /410\/3907: no_such_ask/],
    ["400", 400, /no_such_ask/],
    ["200", 200, /no_such_ask/],
  ] as const)("tells of a gone offer in the form %s, with success false", async (form, status, sentence) => {
    await using service = await underTest();
    service.sim.setFaults([{ operation: "createInstance", kind: "offer-gone", form, offer: 11 }]);
    expect(await create(service, 11)).toEqual({
      status,
      answer: expect.objectContaining({ success: false, msg: expect.stringMatching(sentence) }),
    });
    await service.create(12);
    expect(service.sim.instances()).toHaveLength(1);
  });

  test.each([
    ["debian", 500],
    ["registry.example.com:5000/debian", 500],
    ["debian:13", 200],
    ["registry.example.com:5000/debian:13", 200],
    ["debian@sha256:0123", 200],
  ])("under the fault for images without a tag, %s gives %i", async (image, status) => {
    await using service = await underTest();
    service.sim.setFaults([{ operation: "createInstance", kind: "untagged-image" }]);
    expect((await create(service, 11, { image })).status).toBe(status);
    service.sim.setFaults([]);
    expect((await create(service, 12, { image })).status).toBe(200);
  });
});

describe("seed", () => {
  test.each([
    ["a field of the official client", { image: "a:1", client_id: "me" }],
    ["a null", { image: "a:1", label: null }],
    ["args", { image: "a:1", args: ["-c"] }],
    ["a runtype of the official client", { image: "a:1", runtype: "ssh_direc ssh_proxy" }],
  ])("refuses %s", async (_what, body) => {
    await using service = await underTest(seed);
    expect((await create(service, 11, body)).status).toBe(400);
  });

  test("fails on an offer that is gone, with and without cancel_unavail, and creates nothing", async () => {
    await using service = await underTest({
      ...seed,
      scenario: { offers: [{ id: 1, simulate: { unavailable: true } }] },
    });
    const answer = { success: false, error: "not_found", msg: "Offer 1 is no longer available." };
    expect(await create(service, 1)).toEqual({ status: 404, answer });
    expect(await create(service, 1, { image: "a:1", cancel_unavail: true })).toEqual({ status: 410, answer });
    expect(service.sim.instances()).toEqual([]);
  });
});
