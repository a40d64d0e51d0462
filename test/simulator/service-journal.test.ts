import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Scenario } from "../../simulator/scenario/scenario.ts";
import { underTest } from "./support/service.ts";

const SCENARIOS = new URL("../../simulator/scenarios/", import.meta.url);

test("keeps every request and answer in order, without keys, env values and onstart", async () => {
  const lines: string[] = [];
  await using service = await underTest({ log: (line) => lines.push(line) });
  const env = { GHR_JIT: "very-secret", "-p 1:1": "1" };
  const secrets = { env, onstart: "echo also-secret", image_login: "-u me -p hidden reg" };
  const { id, key } = await service.create(11, secrets);
  await service.call("GET", `/api/v0/instances/${id}/?owner=me`);
  await service.call("GET", "/api/v0/users/current/");
  await service.call("DELETE", `/api/v0/instances/${id}/`, undefined, { key });
  const { entries } = service.sim.journal;
  expect(entries.map(({ operation, caller, status }) => [operation, caller, status])).toEqual([
    ["createInstance", "account", 200],
    ["getInstance", "account", 200],
    ["currentUser", "account", 200],
    ["destroyInstance", `instance ${id}`, 200],
  ]);
  expect(entries[0]).toMatchObject({
    method: "PUT",
    path: "/api/v0/asks/11/",
    request: { image: "debian:13", env: { GHR_JIT: "…", "-p 1:1": "…" }, onstart: "<16 characters>" },
    answer: { success: true, new_contract: id },
    performed: true,
    outcome: "answered",
  });
  expect(entries[1]).toMatchObject({ query: { owner: "me" }, answer: { instances: { id, actual_status: null } } });
  expect(lines[0]).toBe("PUT /api/v0/asks/11/ createInstance by account -> 200");
  const all = JSON.stringify(entries) + lines.join();
  for (const secret of [service.sim.apiKey, key, "very-secret", "also-secret", "hidden"])
    expect(all).not.toContain(secret);
});

test.each(["observed", "seed"] as const)("answers 404 to an unknown address and marks it (%s)", async (dialect) => {
  await using service = await underTest({ dialect });
  for (const path of ["/api/v0/bundles/", "/api/v0/instances/abc/", "/api/v1/users/current/", "/"])
    expect([path, (await service.call("GET", path)).status]).toEqual([path, 404]);
  expect(service.sim.journal.strays().map(({ operation }) => operation)).toEqual(Array(4).fill("unknown-route"));
});

test("lets people look behind it without a key, set faults and change an instance", async () => {
  await using service = await underTest();
  const { id } = await service.create(11, { env: { TOKEN: "very-secret" }, label: "a" });
  service.clock.advance(10);
  const get = (path: string) => service.call("GET", `/_control/${path}`, undefined, { key: null });
  const post = (path: string, body: unknown) => service.call("POST", `/_control/${path}`, body, { key: null });
  const [books, instances, journal] = [await get("books"), await get("instances"), await get("journal/")];
  expect(books.body).toMatchObject({ total: expect.any(Number), billingNow: [{ id }], bills: [{ id }] });
  expect(instances.body).toMatchObject([{ id, offer_id: 11, env_names: ["TOKEN"], actual_status: "running" }]);
  expect(journal.body).toMatchObject([{ operation: "createInstance", status: 200 }]);
  for (const secret of ["very-secret", service.sim.instances()[0]?.apiKey])
    expect(books.text + instances.text + journal.text).not.toContain(secret);
  const fault = { operation: "listInstances", kind: "status", status: 503 };
  expect((await post("faults", [fault])).body).toEqual({ faults: 1 });
  expect((await service.call("GET", "/api/v0/instances/")).status).toBe(503);
  expect((await post(`instances/${id}`, '"outbid"')).body).toEqual({ changed: id });
  expect(await service.instance(id)).toMatchObject({ intended_status: "stopped" });
  const typo = await post("faults", [{ ...fault, knd: 1 }]);
  const wrong = [typo, await post("instances/9", '"outbid"'), await post(`instances/${id}`, '"sold"'), await get("")];
  expect([typo.text, wrong.map(({ status }) => status)]).toEqual([
    expect.stringContaining("knd"),
    [400, 404, 400, 404],
  ]);
});

test.each([
  [{ offer: [] }, /offer/],
  [{ offers: [{ id: 1, dph_total: 1 }] }, /dph_total/],
  [{ offers: [{ id: 1 }, { id: 1 }] }, /two offers with the id 1/],
  [{ faults: [{ operation: "createInstance", kind: "explode" }] }, /kind/],
  [{ statuses: [5, 1].map((after) => ({ after, actual_status: "loading" })) }, /order of `after`/],
])("refuses the scenario %j, naming what is wrong", async (scenario, sentence) => {
  await expect(underTest({ scenario: JSON.parse(JSON.stringify(scenario)) })).rejects.toThrow(sentence);
});

test.each(readdirSync(SCENARIOS))("%s is a scenario that says what it shows, and has a line in the table", (file) => {
  const { about } = Scenario.parse(JSON.parse(readFileSync(new URL(file, SCENARIOS), "utf8")));
  expect(about).toMatch(/\.$/);
  expect(readFileSync(new URL("../README.md", SCENARIOS), "utf8")).toContain(`| \`${file.replace(".json", "")}\` |`);
});
