import { describe, expect, test } from "vitest";
import { type UnderTest, underTest } from "./service-under-test.ts";

const TEMPLATE = {
  id: 31,
  hash_id: "4e17788f74f075dd",
  name: "PyTorch",
  image: "ghcr.io/octo/torch",
  tag: "2.8",
  env: '-e MODE=train -e GREETING="hello" -p 8000:8000',
  onstart: "echo template",
  runtype: "ssh" as const,
  ssh_direct: true,
  recommended_disk_space: 64,
  docker_login_repo: "ghcr.io",
  docker_login_user: "octo",
  docker_login_pass: "the-template-token",
};

async function create(service: UnderTest, body: Record<string, unknown>) {
  const { status, body: answer } = await service.call("PUT", "/api/v0/asks/11/", body);
  return { status, answer };
}

describe.each(["seed", "observed"] as const)("in dialect %s", (dialect) => {
  const start = () => underTest({ dialect, scenario: { templates: [TEMPLATE] } });

  test("a template gives what the request does not say, its login included", async () => {
    await using service = await start();
    await service.create(11, { image: undefined, template_hash_id: TEMPLATE.hash_id });
    expect(service.sim.instances()[0]?.order).toMatchObject({
      image: "ghcr.io/octo/torch:2.8",
      disk: 64,
      runtype: "ssh_direct",
      onstart: "echo template",
      env: { MODE: "train", GREETING: "hello", "-p 8000:8000": "1" },
      imageLogin: "-u octo -p the-template-token ghcr.io",
    });
  });

  test("the request wins; of env name by name", async () => {
    await using service = await start();
    const image = "debian:13";
    const env = { MODE: "test", MORE: "1" };
    const scalars = { image, disk: 20, runtype: "ssh_proxy", onstart: "echo request" };
    const image_login = "-u me -p mine docker.io";
    await service.create(11, { template_hash_id: TEMPLATE.hash_id, ...scalars, image_login, env });
    expect(service.sim.instances()[0]?.order).toMatchObject({
      ...scalars,
      imageLogin: image_login,
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
    await using service = await underTest({ dialect, scenario: { templates: [{ ...TEMPLATE, env }] } });
    await service.create(11, { image: undefined, template_hash_id: TEMPLATE.hash_id });
    expect(service.sim.instances()[0]?.order.env).toEqual(expected);
  });

  test("filters may stand in a create, where the offer is chosen already", async () => {
    await using service = await start();
    await service.create(11, { extra_filters: { gpu_name: { eq: "RTX 3090" } } });
    expect(service.sim.instances()[0]?.offer.id).toBe(11);
  });

  test("template_id is an error, a template_hash_id beside it or not", async () => {
    await using service = await start();
    const { status } = await create(service, { template_id: 31, template_hash_id: TEMPLATE.hash_id });
    expect(status).toBe(400);
  });
});

test("an instance shows its template; nothing shows the template's login", async () => {
  await using service = await underTest({ scenario: { templates: [TEMPLATE] } });
  const { id } = await service.create(11, { image: undefined, template_hash_id: TEMPLATE.hash_id });
  const row = await service.instance(id);
  expect(row).toMatchObject({ template_id: 31, template_hash_id: TEMPLATE.hash_id, template_name: "PyTorch" });
  const shown = [row, service.sim.journal.entries, (await service.call("GET", "/_control/instances")).body];
  expect(JSON.stringify(shown)).not.toContain(TEMPLATE.docker_login_pass);
});

describe("a private image", () => {
  const imageLogins = [{ registry: "ghcr.io", username: "octo", token: "right" }];
  const image = "ghcr.io/octo/private:1";

  async function bootWith(body: Record<string, unknown>) {
    await using service = await underTest({ scenario: { imageLogins } });
    const { id } = await service.create(11, { image, ...body });
    service.clock.advance(60);
    const journal = JSON.stringify(service.sim.journal.entries);
    return { row: await service.instance(id), journal };
  }

  test("runs with its login, which no journal shows", async () => {
    const { row, journal } = await bootWith({ image_login: "-u octo -p right ghcr.io" });
    expect(row).toMatchObject({ actual_status: "running" });
    expect(journal).not.toContain("-p right");
  });

  test.each([
    ["no login", {}],
    ["a wrong token", { image_login: "-u octo -p wrong ghcr.io" }],
    ["a login for another registry", { image_login: "-u octo -p right docker.io" }],
  ])("never leaves loading with %s", async (_what, body) => {
    const { row } = await bootWith(body);
    expect(row).toMatchObject({
      actual_status: "loading",
      status_msg: expect.stringContaining("unauthorized: authentication required"),
    });
  });

  test("images of other registries need none", async () => {
    const { row } = await bootWith({ image: "debian:13" });
    expect(row).toMatchObject({ actual_status: "running" });
  });
});

test("a search takes over the filters of the template that it names; its own win", async () => {
  const filters = { gpu_name: { eq: "RTX 3090" }, reliability: { gte: 0.99 } };
  const template = { ...TEMPLATE, extra_filters: JSON.stringify(filters) };
  const offers = [
    { id: 1, gpu_name: "RTX 3090", reliability: 0.999 },
    { id: 2, gpu_name: "RTX 3090", reliability: 0.96 },
    { id: 3, gpu_name: "RTX 4090", reliability: 0.999 },
  ];
  await using service = await underTest({ scenario: { templates: [template], offers } });
  const found = async (body: object) => {
    const answer = await service.call("POST", "/api/v0/bundles/", body);
    return (answer.body as { offers: { id: number }[] }).offers?.map(({ id }) => id).toSorted();
  };
  expect(await found({ template_id: 31 })).toEqual([1]);
  expect(await found({ template_id: 31, gpu_name: { eq: "RTX 4090" } })).toEqual([3]);
  expect((await service.call("POST", "/api/v0/bundles/", { template_id: 99 })).status).toBe(400);
});
