import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import type { Fault } from "../../simulator/scenario.ts";
import type { ServiceOperation } from "../../simulator/service/service-operation.ts";
import { judgeCreate } from "../../src/provisioning/judge-create.ts";
import { seedQuery } from "../../src/provisioning/offer-query.ts";
import { searchForOffers } from "../../src/provisioning/search.ts";
import { ServiceClient } from "../../src/service/service-client.ts";
import {
  AuthenticationError,
  NoAnswerError,
  PermissionError,
  RateLimitError,
  RequestRejectedError,
  ServerError,
  UnexpectedAnswerError,
} from "../../src/service/service-errors.ts";
import { systemClock } from "../../src/time/clock.ts";
import { RecordedLog } from "../unit/support/recorded-log.ts";
import { aConfig, QUERY, type ServiceUnderContract, startContract, WISHES } from "./support/service-under-contract.ts";

const DIALECTS = ["seed", "observed"] as const;

/** A service that a client can read from: simulated, or the real one where its address and a key are given. */
interface Readable extends AsyncDisposable {
  client: ServiceClient;
  withKey(apiKey: string): ServiceClient;
}

const SUBJECTS: [name: string, open: () => Promise<Readable>][] = DIALECTS.map((dialect) => [
  `the simulator, dialect ${dialect}`,
  async () => {
    const service = await startContract(dialect);
    return { ...service, withKey: (apiKey) => service.connect({ apiKey }) };
  },
]);

const { SERVICE_URL, SERVICE_API_KEY } = process.env;
if (SERVICE_URL && SERVICE_API_KEY) {
  SUBJECTS.push(["the real service", async () => openReal(SERVICE_URL, SERVICE_API_KEY)]);
}

function openReal(baseUrl: string, apiKey: string): Readable {
  const open = new AsyncDisposableStack();
  const withKey = (key: string) => open.use(new ServiceClient({ baseUrl, apiKey: key, clock: systemClock }));
  return { client: withKey(apiKey), withKey, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

describe.each(SUBJECTS)("what can be read of %s", (_name, open) => {
  test("search offers, in the seed's words: each has what the specification promises", async () => {
    await using service = await open();
    const offers = await service.client.searchOffers(seedQuery(QUERY));
    expect(offers.length).toBeGreaterThan(0);
    for (const offer of offers) {
      expect(offer).toMatchObject({ id: expect.any(Number), num_gpus: 1, dph_total: expect.any(Number) });
      expect(offer.gpu_name).toBe("RTX 4090");
    }
  });

  test("search for offers as the action does: cheapest first, all within the wishes", async () => {
    await using service = await open();
    const { signal } = new AbortController();
    const tools = { service: service.client, log: new RecordedLog(), signal };
    const found = await searchForOffers(tools, WISHES, { machines: new Set(), offers: new Set() });
    const prices = found.map(({ price }) => price.total);
    expect(prices).toEqual(prices.toSorted((left, right) => left - right));
    expect(Math.max(...prices)).toBeLessThanOrEqual(WISHES.maxPrice);
  });

  test("list instances", async () => {
    await using service = await open();
    for (const instance of await service.client.listInstances()) expect(instance.id).toEqual(expect.any(Number));
  });

  test("get one instance: undefined where there is none", async () => {
    await using service = await open();
    expect(await service.client.getInstance(1)).toBeUndefined();
  });

  test("current user: the credit", async () => {
    await using service = await open();
    expect((await service.client.currentUser()).credit).toEqual(expect.any(Number));
  });

  test("a key that is wrong", async () => {
    await using service = await open();
    const stranger = service.withKey("0123456789abcdef0123456789abcdef");
    await expect(stranger.listInstances()).rejects.toBeInstanceOf(AuthenticationError);
    await expect(stranger.getInstance(1)).rejects.toBeInstanceOf(AuthenticationError);
    await expect(stranger.currentUser()).rejects.toBeInstanceOf(AuthenticationError);
  });
});

describe.each(DIALECTS)("dialect %s", (dialect) => {
  const start = (...faults: Fault[]) => startContract(dialect, { scenario: { faults } });
  /** A service of which one operation always goes wrong. */
  const withFault = (operation: ServiceOperation, fault: Record<string, unknown>) =>
    start({ operation, ...fault } as Fault);

  describe("the life of an instance", () => {
    test("create, get, list, destroy, and it is gone", async () => {
      await using service = await start();
      const { client, clock } = service;
      const id = await create(service);
      expect(await client.getInstance(id)).toMatchObject({ id, label: aConfig().label });
      clock.advance(60);
      expect(await client.getInstance(id)).toMatchObject({ actual_status: "running", ssh_port: expect.any(Number) });
      expect(await client.listInstances()).toMatchObject([{ id, label: aConfig().label, actual_status: "running" }]);
      expect(await client.destroyInstance(id)).toBe("asked");
      expect(await client.getInstance(id)).toBeUndefined();
      expect(await client.listInstances()).toEqual([]);
      expect(await client.destroyInstance(id)).toBe("absent");
      expect(service.sim.books.billingNow()).toEqual([]);
      expect(service.sim.journal.strays()).toEqual([]);
    });

    test("a fresh one has no status yet", async () => {
      await using service = await start();
      const id = await create(service);
      expect((await service.client.getInstance(id))?.actual_status).toBeUndefined();
    });

    test("its key is masked before the caller sees the answer", async () => {
      await using service = await start();
      const masked: string[] = [];
      const client = service.connect({ mask: (secret) => masked.push(secret) });
      await client.createInstance(11, aConfig());
      expect(masked).toEqual([service.sim.instances()[0]?.apiKey]);
    });

    test("the body arrives as it was sent", async () => {
      await using service = await start();
      await create(service, 11, aConfig({ image: "ghcr.io/a/b:1", disk: 50 }));
      expect(service.sim.instances()[0]).toMatchObject({
        label: aConfig().label,
        order: {
          image: "ghcr.io/a/b:1",
          disk: 50,
          runtype: "ssh_proxy",
          env: { GHR_JIT: "the-runner-configuration" },
          onstart: "#!/bin/bash\n",
          targetState: "running",
        },
      });
    });

    test("an offer that is taken makes nothing", async () => {
      await using service = await start();
      await create(service);
      const answer = await service.client.createInstance(11, aConfig());
      expect(judgeCreate(answer).kind).toBe("gone");
      expect(service.sim.instances()).toHaveLength(1);
    });
  });

  describe("the list", () => {
    test("of more instances than a page holds is whole", async () => {
      const offers = Array.from({ length: 60 }, (_none, index) => ({ id: index + 1 }));
      await using service = await startContract(dialect, { scenario: { offers } });
      for (const { id } of offers) await create(service, id, aConfig({ label: `machine ${id}` }));
      const listed = await service.client.listInstances();
      expect(listed.map(({ label }) => label).toSorted()).toEqual(offers.map(({ id }) => `machine ${id}`).toSorted());
      const requests = service.sim.journal.of("listInstances");
      expect(requests).toHaveLength(dialect === "seed" ? 2 : 3);
    });

    test("falls back to the form of the specification where there are no pages, and remembers it", async () => {
      await using service = await start();
      await service.client.listInstances();
      await service.client.listInstances();
      const paths = service.sim.journal.of("listInstances").map(({ path, status }) => `${path} ${status}`);
      expect(paths).toEqual(
        dialect === "seed"
          ? ["/api/v1/instances/ 404", "/api/v0/instances/ 200", "/api/v0/instances/ 200"]
          : ["/api/v1/instances/ 200", "/api/v1/instances/ 200"],
      );
    });

    test("a page that repeats is no whole list", async () => {
      const text = '{"success": true, "instances": [{"id": 7}], "next_token": "again"}';
      await using service = await withFault("listInstances", { kind: "text", text });
      await expect(service.client.listInstances()).rejects.toThrow(UnexpectedAnswerError);
      expect(service.sim.journal.of("listInstances").length).toBeLessThan(4);
    });

    test("one row that can't be read does not hide the others", async () => {
      const text = '{"instances": [{"id": null}, null, {"id": 7, "label": 5, "gpu_util": NaN}], "next_token": null}';
      await using service = await withFault("listInstances", { kind: "text", text });
      expect(await service.client.listInstances()).toMatchObject([{ id: 7 }]);
    });
  });

  describe("search offers", () => {
    test("operators that the service rejects are replaced by the seed's own words, once", async () => {
      await using service = await start();
      const { signal } = new AbortController();
      const tools = { service: service.client, log: new RecordedLog(), signal };
      const found = await searchForOffers(tools, WISHES, { machines: new Set(), offers: new Set() });
      expect(found.map(({ offer }) => offer.id)).toEqual([11, 12, 13, 14]);
      const statuses = service.sim.journal.of("searchOffers").map(({ status }) => status);
      expect(statuses).toEqual(dialect === "seed" ? [400, 200] : [200]);
    });

    test("filters that the service does not apply are applied by us", async () => {
      const keys = Object.keys(QUERY.filters);
      await using service = await withFault("searchOffers", { kind: "ignore-filters", keys });
      const { signal } = new AbortController();
      const tools = { service: service.client, log: new RecordedLog(), signal };
      const found = await searchForOffers(tools, WISHES, { machines: new Set(), offers: new Set() });
      expect(found.map(({ offer }) => offer.id)).toEqual([11, 12, 13, 14]);
    });

    test("NaN in a body: the offer without a price is left out, the others are read", async () => {
      const row = '"num_gpus": 1, "gpu_name": "RTX 4090"';
      const text = `{"offers": [{"id": 1, ${row}, "dph_total": NaN}, {"id": 2, ${row}, "dph_total": 0.4, "score": Infinity}]}`;
      await using service = await withFault("searchOffers", { kind: "text", text });
      expect((await service.client.searchOffers(QUERY)).map(({ id }) => id)).toEqual([2]);
    });
  });

  /** Every operation that only reads, and is sent again after a passing fault. */
  const READS: [ServiceOperation, (client: ServiceClient) => Promise<unknown>][] = [
    ["searchOffers", (client) => client.searchOffers(seedQuery(QUERY))],
    ["listInstances", (client) => client.listInstances()],
    ["getInstance", (client) => client.getInstance(1)],
    ["currentUser", (client) => client.currentUser()],
  ];

  describe.each(READS)("%s", (operation, read) => {
    test.each([
      ["5xx", { kind: "status", status: 502, body: { msg: "Bad Gateway" } }],
      ["5xx that is not JSON", { kind: "text", status: 503, text: "<html>Service Unavailable</html>" }],
      [
        "429 in plain text",
        { kind: "text", status: 429, text: "API requests too frequent: endpoint threshold=2.0*1.0" },
      ],
      [
        "429 as JSON",
        { kind: "status", status: 429, body: { success: false, error: "rate_limit_exceeded", msg: "2.0" } },
      ],
      ["a connection that breaks", { kind: "refuse" }],
      ["an answer that is lost", { kind: "lose-answer" }],
      ["an answer that is cut off", { kind: "truncate", bytes: 5 }],
    ])("is asked again after %s", async (_fault, fault) => {
      await using service = await withFault(operation, { ...fault, nth: 1, times: 2 });
      await read(service.client);
      expect(service.sim.journal.of(operation).length).toBeGreaterThanOrEqual(3);
    });

    test.each([
      ["5xx", { kind: "status", status: 500 }, ServerError],
      ["429", { kind: "text", status: 429, text: "API requests too frequent" }, RateLimitError],
      ["a connection that breaks", { kind: "refuse" }, NoAnswerError],
    ])("is asked four times in all when %s does not pass", async (_fault, fault, kind) => {
      await using service = await withFault(operation, fault);
      await expect(read(service.client)).rejects.toBeInstanceOf(kind);
      expect(service.sim.journal.of(operation)).toHaveLength(4);
    });

    test.each([
      ["401 that is not JSON", { kind: "text", status: 401, text: "Unauthorized" }, AuthenticationError],
      [
        "401",
        { kind: "status", status: 401, body: { success: false, error: "auth_error", msg: "x" } },
        AuthenticationError,
      ],
      ["403", { kind: "status", status: 403, body: { success: false, msg: "Blocked." } }, PermissionError],
      ["400", { kind: "status", status: 400, body: { success: false, msg: "x" } }, RequestRejectedError],
      ["a redirect", { kind: "status", status: 308 }, RequestRejectedError],
      ["200 that says no", { kind: "status", status: 200, body: { success: false, msg: "No." } }, RequestRejectedError],
      ["200 that is not JSON", { kind: "text", text: "<html>Welcome</html>" }, UnexpectedAnswerError],
      ["200 of another shape", { kind: "status", status: 200, body: [] }, UnexpectedAnswerError],
      [
        "a session that ran out",
        { kind: "status", status: 404, body: { msg: "Session expired." } },
        AuthenticationError,
      ],
    ])("is asked once when it answers %s", async (_fault, fault, kind) => {
      await using service = await withFault(operation, fault);
      await expect(read(service.client)).rejects.toBeInstanceOf(kind);
      expect(service.sim.journal.of(operation)).toHaveLength(1);
    });

    test("a service that never answers is no answer", async () => {
      await using service = await withFault(operation, { kind: "never-answer" });
      const client = service.connect({ answerTimeoutMs: 20 });
      await expect(read(client)).rejects.toBeInstanceOf(NoAnswerError);
    });
  });

  describe("get one instance", () => {
    test.each([
      ["null", { kind: "status", status: 200, body: { instances: null } }],
      ["404", { kind: "status", status: 404, body: { success: false, error: "no_such_instance" } }],
    ])("%s: it is gone", async (_form, fault) => {
      await using service = await withFault("getInstance", fault);
      expect(await service.client.getInstance(7)).toBeUndefined();
    });

    test.each([
      ["an empty object", {}],
      ["an empty list", { instances: [] }],
      ["an instance without an id", { instances: {} }],
    ])("%s is no evidence that it is gone", async (_form, body) => {
      await using service = await withFault("getInstance", { kind: "status", status: 200, body });
      await expect(service.client.getInstance(7)).rejects.toBeInstanceOf(UnexpectedAnswerError);
    });
  });

  describe("a 429 says how long to wait", () => {
    test.each([
      ["plain text", { kind: "text", status: 429, text: "API requests too frequent: endpoint threshold=30.0*1.0" }],
      [
        "JSON",
        { kind: "status", status: 429, body: { error: "rate_limit_exceeded", msg: "Too many requests, threshold 30" } },
      ],
    ])("%s", async (_form, fault) => {
      await using service = await withFault("currentUser", { ...fault, nth: 1 });
      const before = service.clock.now();
      await service.client.currentUser();
      expect(service.clock.now() - before).toBeGreaterThanOrEqual(30_000);
    });
  });

  test("the client's own pace keeps the service's intervals, or comes back after a 429", async () => {
    await using service = await startContract(dialect, { scenario: { limits: true } });
    const { client } = service;
    for (const offer of [11, 12]) await create(service, offer, aConfig({ label: `machine ${offer}` }));
    for (let round = 0; round < 3; round += 1) {
      await client.listInstances();
      for (const id of [7_001_001, 7_001_002]) await client.getInstance(id);
    }
    for (const id of [7_001_001, 7_001_002]) await client.destroyInstance(id);
    const limited = service.sim.journal.entries.filter(({ mark }) => mark === "rate-limited");
    // The deprecated list has an interval of its own, of which nothing is known.
    expect(limited.filter(({ path }) => path !== "/api/v0/instances/")).toEqual([]);
    expect(service.sim.books.billingNow()).toEqual([]);
  });

  describe("create instance is sent once, whatever becomes of it", () => {
    test.each([
      ["5xx", { kind: "status", status: 502 }, 0, "uncertain"],
      ["5xx after it took effect", { kind: "status", status: 502, when: "after" }, 1, "uncertain"],
      ["a success that is not JSON", { kind: "text", text: '{"success": tr', when: "after" }, 1, "uncertain"],
      [
        "429",
        { kind: "text", status: 429, text: "API requests too frequent: endpoint threshold=4.5*1.0" },
        0,
        "too-fast",
      ],
      ["401", { kind: "text", status: 401, text: "Unauthorized" }, 0, "refused"],
      ["no credit", { kind: "no-credit" }, 0, "no-credit"],
      ["an error that carries an id", { kind: "error-with-contract" }, 1, "unwanted"],
      ["gone, as 404", { kind: "offer-gone", form: "404" }, 0, "gone"],
      ["gone, as 410", { kind: "offer-gone", form: "410" }, 0, "gone"],
      ["gone, as 400", { kind: "offer-gone", form: "400" }, 0, "gone"],
      ["gone, as 200", { kind: "offer-gone", form: "200" }, 0, "gone"],
    ])("%s", async (_what, fault, instances, kind) => {
      await using service = await withFault("createInstance", fault);
      const answer = await service.client.createInstance(11, aConfig());
      expect(judgeCreate(answer).kind).toBe(kind);
      expect(service.sim.journal.of("createInstance")).toHaveLength(1);
      expect(service.sim.instances()).toHaveLength(instances);
    });

    test.each([
      ["a connection that breaks", { kind: "refuse" }, 0],
      ["an answer that is lost", { kind: "lose-answer" }, 1],
      ["an answer that is cut off", { kind: "truncate", bytes: 20 }, 1],
      ["no answer at all", { kind: "never-answer", when: "after" }, 1],
    ])("%s", async (_what, fault, instances) => {
      await using service = await withFault("createInstance", fault);
      const client = service.connect({ answerTimeoutMs: 200 });
      await expect(client.createInstance(11, aConfig())).rejects.toBeInstanceOf(NoAnswerError);
      expect(service.sim.journal.of("createInstance")).toHaveLength(1);
      expect(service.sim.instances()).toHaveLength(instances);
    });
  });

  describe("destroy an instance is sent once: its caller decides how long to insist", () => {
    test.each([
      ["5xx", { kind: "status", status: 500 }, ServerError],
      ["429", { kind: "text", status: 429, text: "API requests too frequent" }, RateLimitError],
      ["success: false", { kind: "status", status: 200, body: { success: false, msg: "Busy." } }, RequestRejectedError],
      ["403", { kind: "status", status: 403, body: { msg: "No." } }, PermissionError],
      ["an answer that is lost", { kind: "lose-answer" }, NoAnswerError],
      [
        "a session that ran out",
        { kind: "status", status: 404, body: { msg: "Session expired." } },
        AuthenticationError,
      ],
    ])("%s", async (_what, fault, kind) => {
      await using service = await withFault("destroyInstance", fault);
      const id = await create(service);
      await expect(service.client.destroyInstance(id)).rejects.toBeInstanceOf(kind);
      expect(service.sim.journal.of("destroyInstance")).toHaveLength(1);
    });

    test("an answer that is not JSON is an answer", async () => {
      await using service = await withFault("destroyInstance", { kind: "text", text: "OK", when: "after" });
      const id = await create(service);
      expect(await service.client.destroyInstance(id)).toBe("asked");
    });
  });

  describe("keys", () => {
    const NEEDED: [ServiceOperation, string, (client: ServiceClient) => Promise<unknown>][] = [
      ["searchOffers", "misc", (client) => client.searchOffers(seedQuery(QUERY))],
      ["listInstances", "instance_read", (client) => client.listInstances()],
      ["getInstance", "instance_read", (client) => client.getInstance(7)],
      ["destroyInstance", "instance_write", (client) => client.destroyInstance(7)],
      ["currentUser", "user_read", (client) => client.currentUser()],
    ];

    test.each(NEEDED)("%s with a key that lacks %s: names the permission", async (_operation, permission, ask) => {
      const keys = [{ key: "a-restricted-key", scopes: [] }];
      await using service = await startContract(dialect, { keys });
      const error = await ask(service.connect({ apiKey: "a-restricted-key" })).catch((fault: unknown) => fault);
      expect(error).toBeInstanceOf(PermissionError);
      expect(error).toMatchObject({ hint: expect.stringContaining(permission) });
    });

    test("the smallest key that the README names can do everything", async () => {
      const scopes = ["misc", "user_read", "instance_read", "instance_write"] as const;
      await using service = await startContract(dialect, { keys: [{ key: "a-restricted-key", scopes }] });
      const client = service.connect({ apiKey: "a-restricted-key" });
      await client.currentUser();
      await client.searchOffers(seedQuery(QUERY));
      await client.createInstance(11, aConfig());
      const [instance] = await client.listInstances();
      await client.destroyInstance(instance?.id ?? 0);
      expect(service.sim.books.billingNow()).toEqual([]);
    });

    test("the key travels in the header, and in no address", async () => {
      await using service = await start();
      await service.client.listInstances();
      for (const { caller, path, query } of service.sim.journal.entries) {
        expect(caller).toBe("account");
        expect(path + JSON.stringify(query)).not.toContain(service.sim.apiKey);
      }
    });
  });

  test("a list is not asked for the environment, which carries the runner's configuration", async () => {
    await using service = await start();
    await create(service);
    await service.client.listInstances();
    const paged = service.sim.journal.of("listInstances").filter(({ path }) => path.includes("/v1/"));
    for (const { query } of paged) expect(query.select_cols).not.toMatch(/extra_env|onstart|\*/);
  });

  test("a base address with a path, or with slashes at its end", async () => {
    await using service = await start();
    const client = service.connect({ baseUrl: `${service.sim.url}//` });
    await client.currentUser();
    expect(service.sim.journal.of("currentUser")[0]?.path).toBe("/api/v0/users/current/");
  });

  describe("time", () => {
    test("a cancel ends a call at once, with its own reason", async () => {
      await using service = await withFault("currentUser", { kind: "never-answer" });
      const reason = new Error("cancelled");
      const stop = new AbortController();
      const call = service.client.currentUser(stop.signal);
      stop.abort(reason);
      await expect(call).rejects.toBe(reason);
    });

    test("a call after a cancel is not sent", async () => {
      await using service = await start();
      const reason = new Error("cancelled");
      await expect(service.client.currentUser(AbortSignal.abort(reason))).rejects.toBe(reason);
      expect(service.sim.journal.of("currentUser")).toEqual([]);
    });

    test("no call is waited for after `until`", async () => {
      await using service = await withFault("destroyInstance", { kind: "never-answer" });
      const client = service.connect({ until: service.clock.now() + 20 });
      await expect(client.destroyInstance(7)).rejects.toBeInstanceOf(NoAnswerError);
    });
  });
});

test("a redirect is not followed: the key does not travel to another host", async () => {
  const keys: string[] = [];
  const elsewhere = createServer((request, response) => {
    keys.push(String(request.headers.authorization));
    response.end("{}");
  });
  const service = createServer((_request, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${portOf(elsewhere)}/` }).end();
  });
  for (const server of [elsewhere, service]) await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const baseUrl = `http://127.0.0.1:${portOf(service)}`;
  const client = new ServiceClient({ baseUrl, apiKey: "the-key", clock: systemClock });
  await expect(client.currentUser()).rejects.toBeInstanceOf(RequestRejectedError);
  expect(keys).toEqual([]);
  await client[Symbol.asyncDispose]();
  for (const server of [elsewhere, service]) await new Promise((done) => server.close(done));
});

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server does not listen.");
  return address.port;
}

/** Creates on an offer; throws unless the answer is the one of the specification. */
async function create({ client }: ServiceUnderContract, offer = 11, config = aConfig()): Promise<number> {
  const verdict = judgeCreate(await client.createInstance(offer, config));
  if (verdict.kind !== "created") throw new Error(`The create was ${verdict.kind}.`);
  return verdict.id;
}
