import { expect, test } from "vitest";
import { underTest } from "./support/service.ts";

test("keeps every request and answer in order, without keys, env values and onstart", async () => {
  const lines: string[] = [];
  await using service = await underTest({ log: (line) => lines.push(line) });
  const env = { GHR_JIT: "very-secret", "-p 1:1": "1" };
  const { id, key } = await service.create(11, {
    env,
    onstart: "echo also-secret",
    image_login: "-u me -p hidden reg",
  });
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
  for (const secret of [service.sim.apiKey, key, "very-secret", "also-secret", "hidden"]) {
    expect(all).not.toContain(secret);
  }
});

test.each(["observed", "seed"] as const)("answers 404 to an unknown address and marks it (%s)", async (dialect) => {
  await using service = await underTest({ dialect });
  for (const [method, path] of [
    ["GET", "/api/v0/bundles/"],
    ["POST", "/api/v0/instances/"],
    ["GET", "/api/v0/instances/abc/"],
    ["GET", "/api/v0/asks/11/"],
    ["GET", "/api/v1/users/current/"],
    ["GET", "/"],
  ] as const) {
    expect([path, (await service.call(method, path)).status]).toEqual([path, 404]);
  }
  expect(service.sim.journal.strays().map(({ operation }) => operation)).toEqual(Array(6).fill("unknown-route"));
});

test("lets people look behind it without a key, and set faults", async () => {
  await using service = await underTest();
  const { id } = await service.create(11, { env: { TOKEN: "very-secret" }, label: "a" });
  service.clock.advance(10);
  const anonymous = { key: null };
  const books = await service.call("GET", "/_control/books", undefined, anonymous);
  expect(books.body).toMatchObject({ total: expect.any(Number), billingNow: [{ id }], bills: [{ id }] });
  const instances = await service.call("GET", "/_control/instances", undefined, anonymous);
  expect(instances.body).toMatchObject([
    { id, offer_id: 11, env_names: ["TOKEN"], actual_status: "running", destroyed: null },
  ]);
  const journal = await service.call("GET", "/_control/journal/", undefined, anonymous);
  expect(journal.body).toMatchObject([{ operation: "createInstance", status: 200 }]);
  const seen = books.text + instances.text + journal.text;
  expect(seen).not.toContain("very-secret");
  expect(seen).not.toContain(service.sim.instances()[0]?.apiKey);

  const fault = { operation: "listInstances", kind: "status", status: 503 };
  expect((await service.call("POST", "/_control/faults", [fault], anonymous)).body).toEqual({ faults: 1 });
  expect((await service.call("GET", "/api/v0/instances/")).status).toBe(503);
  const typo = await service.call("POST", "/_control/faults", [{ ...fault, knd: 1 }], anonymous);
  expect([typo.status, typo.text]).toEqual([400, expect.stringContaining("knd")]);
  expect((await service.call("POST", "/_control/faults", [], anonymous)).status).toBe(200);
  expect((await service.call("GET", "/api/v0/instances/")).status).toBe(200);
  expect((await service.call("GET", "/_control/", undefined, anonymous)).status).toBe(404);

  const change = (path: string, how: string) => service.call("POST", `/_control/instances/${path}`, how, anonymous);
  expect((await change(String(id), '"outbid"')).body).toEqual({ changed: id });
  expect(await service.instance(id)).toMatchObject({ intended_status: "stopped" });
  expect([(await change("9", '"outbid"')).status, (await change(String(id), '"sold"')).status]).toEqual([404, 400]);
  await service.call("DELETE", `/api/v0/instances/${id}/`);
  expect((await service.call("GET", "/_control/instances")).body).toMatchObject([
    { actual_status: "destroyed", destroyed: { by: "account" } },
  ]);
});

test.each([
  [{ offer: [] }, /offer/],
  [{ offers: [{ gpu_name: "RTX 4090" }] }, /id/],
  [{ offers: [{ id: 1, dph_total: 1 }] }, /dph_total/],
  [{ offers: [{ id: 1 }, { id: 1 }] }, /two offers with the id 1/],
  [{ faults: [{ operation: "createInstance", kind: "explode" }] }, /kind/],
  [{ keys: [{ key: "k", scopes: ["everything"] }] }, /scopes/],
  [{ statuses: [5, 1].map((after) => ({ after, actual_status: "loading" })) }, /order of `after`/],
  [{ offers: [{ id: 11 }], market: { seed: 1 } }, /only one of them can be/],
])("refuses the scenario %j, naming what is wrong", async (scenario, sentence) => {
  await expect(underTest({ scenario: JSON.parse(JSON.stringify(scenario)) })).rejects.toThrow(sentence);
});

test("closes with connections open and requests under way", async () => {
  const service = await underTest({ scenario: { faults: [{ operation: "currentUser", kind: "delay", seconds: 9 }] } });
  const call = service.call("GET", "/api/v0/users/current/").catch((fault: Error) => fault.message);
  while (service.sim.journal.entries.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await service[Symbol.asyncDispose]();
  expect(await call).toBe("fetch failed");
  await expect(fetch(service.sim.url)).rejects.toThrow();
});
