import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import type { Fault, ServiceOperation } from "../../simulator/scenario/fault.ts";
import {
  AuthenticationError,
  NoAnswerError,
  PermissionError,
  RequestRejectedError,
  UnexpectedAnswerError,
} from "../../src/marketplace/errors.ts";
import { ENDPOINTS } from "../../src/marketplace/vast/endpoints.ts";
import { judgeCreate } from "../../src/marketplace/vast/refusals.ts";
import { ServiceClient } from "../../src/marketplace/vast/service-client.ts";
import { instanceOf, seedQuery, wireQuery } from "../../src/marketplace/vast/translate.ts";
import { VastMarketplace } from "../../src/marketplace/vast/vast-marketplace.ts";
import { searchForOffers } from "../../src/offers/search.ts";
import { sshAddress } from "../../src/report/outputs.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { until } from "../simulator/service-under-test.ts";
import { aConfig } from "../unit/support/an-instance-config.ts";
import { RecordedLog } from "../unit/support/recorded-log.ts";
import { create, DIALECTS, QUERY, REQUIREMENTS, startContract } from "./support/service-under-contract.ts";

/** A readable service: simulated, or the real one where its address and a key are given. */
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
    const offers = await service.client.searchOffers(seedQuery(wireQuery(QUERY)));
    expect(offers.length).toBeGreaterThan(0);
    for (const offer of offers) {
      expect(offer).toMatchObject({ id: expect.any(Number), num_gpus: 1, dph_total: expect.any(Number) });
      expect(offer.gpu_name).toBe("RTX 4090");
    }
  });

  test("search for offers as the action does: cheapest first, all within the requirements", async () => {
    await using service = await open();
    const { signal } = new AbortController();
    const tools = { service: new VastMarketplace(service.client), log: new RecordedLog(), signal };
    const found = await searchForOffers(tools, REQUIREMENTS, { hosts: [], offers: [] });
    const prices = found.map(({ price }) => price.total);
    expect(prices).toEqual(prices.toSorted((left, right) => left - right));
    expect(Math.max(...prices)).toBeLessThanOrEqual(REQUIREMENTS.maxPrice);
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
    await expect(stranger.searchOffers(seedQuery(wireQuery(QUERY)))).rejects.toBeInstanceOf(AuthenticationError);
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

    test("a template, a login and direct SSH arrive, and are read back", async () => {
      const hash = "4e17788f74f075dd";
      const templates = [{ id: 31, hash_id: hash, image: "ghcr.io/octo/torch", tag: "2.8", env: "-e MODE=train" }];
      await using service = await startContract(dialect, { scenario: { templates } });
      const { image: _, ...bare } = aConfig();
      const login = "-u octo -p the-token ghcr.io";
      const config = { ...bare, template_hash_id: hash, image_login: login, runtype: "ssh_direct" as const };
      const id = await create(service, 11, config);
      expect(service.sim.instances()[0]?.order).toMatchObject({
        image: "ghcr.io/octo/torch:2.8",
        imageLogin: login,
        runtype: "ssh_direct",
        disk: 32,
        onstart: "#!/bin/bash\n",
        env: { MODE: "train", GHR_JIT: "the-runner-configuration" },
      });
      service.clock.advance(60);
      const shown = await service.client.getInstance(id);
      // The seed shows the proxy's address alone.
      const proxy = { host: shown?.ssh_host, port: String(shown?.ssh_port) };
      const direct = { host: "203.0.113.212", port: "41000" };
      expect(sshAddress(shown && instanceOf(shown).ssh, "ssh_direct")).toEqual(dialect === "seed" ? proxy : direct);
      expect(sshAddress(shown && instanceOf(shown).ssh, "ssh_proxy")).toEqual(proxy);
      const [listed] = await service.client.listInstances();
      expect(sshAddress(listed && instanceOf(listed).ssh, "ssh_direct")).toEqual(dialect === "seed" ? proxy : direct);
      expect(JSON.stringify(service.sim.journal.entries)).not.toContain("the-token");
    });

    test("a template that nobody has is told from an offer that is gone", async () => {
      await using service = await start();
      const answer = await service.client.createInstance(11, { ...aConfig(), template_hash_id: "0000000000000000" });
      expect(judgeCreate(answer)).toMatchObject({
        kind: "refused",
        refusal: { code: "no-template", sentence: expect.stringContaining("template") },
      });
      expect(service.sim.instances()).toEqual([]);
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
      expect(judgeCreate(answer)).toMatchObject({ kind: "refused", refusal: { code: "offer-gone" } });
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

    test("a gateway's page in the place of the first list is no reason to stay without pages", async () => {
      await using service = await start({ operation: "listInstances", kind: "text", status: 404, text: "no", nth: 1 });
      await service.client.listInstances();
      await service.client.listInstances();
      const paths = service.sim.journal.of("listInstances").map(({ path }) => path);
      expect(paths.at(2)).toBe("/api/v1/instances/");
    });

    test("a page that repeats is no whole list", async () => {
      const text = '{"success": true, "instances": [{"id": 7}], "next_token": "again"}';
      await using service = await withFault("listInstances", { kind: "text", text });
      await expect(service.client.listInstances()).rejects.toThrow(UnexpectedAnswerError);
      expect(service.sim.journal.of("listInstances").length).toBeLessThan(4);
    });

    test.each(["25", "true", '{"id": 7}', '["7"]'])(
      "a next page that can't be asked for, %s: no whole list",
      async (token) => {
        const text = `{"success": true, "instances": [{"id": 7}], "next_token": ${token}}`;
        await using service = await withFault("listInstances", { kind: "text", text });
        await expect(service.client.listInstances()).rejects.toThrow(UnexpectedAnswerError);
      },
    );

    test("junk in a row does not hide the instance", async () => {
      const text = '{"instances": [{"id": "7", "label": 5, "ssh_port": null, "gpu_util": NaN}], "next_token": null}';
      await using service = await withFault("listInstances", { kind: "text", text });
      expect(await service.client.listInstances()).toMatchObject([{ id: 7 }]);
    });

    test("a row that can't be read could be an instance of ours: no whole list", async () => {
      const text = '{"instances": [{"id": 7}, {"id": null}], "next_token": null}';
      await using service = await withFault("listInstances", { kind: "text", text });
      await expect(service.client.listInstances()).rejects.toBeInstanceOf(UnexpectedAnswerError);
    });

    test("can be asked for one label only, where the service can filter", async () => {
      await using service = await start();
      for (const offer of [11, 12]) await create(service, offer, aConfig({ label: `machine ${offer}` }));
      const listed = await service.client.listInstances(undefined, "machine 12");
      expect(listed.map(({ label }) => label)).toEqual(
        dialect === "seed" ? ["machine 11", "machine 12"] : ["machine 12"],
      );
    });
  });

  describe("search offers", () => {
    test("operators that the service rejects are replaced by the seed's own words, once", async () => {
      await using service = await start();
      const { signal } = new AbortController();
      const tools = { service: new VastMarketplace(service.client), log: new RecordedLog(), signal };
      const found = await searchForOffers(tools, REQUIREMENTS, { hosts: [], offers: [] });
      expect(found.map(({ offer }) => offer.id)).toEqual([11, 12, 13, 14]);
      const statuses = service.sim.journal.of("searchOffers").map(({ status }) => status);
      expect(statuses).toEqual(dialect === "seed" ? [400, 200] : [200]);
    });

    test("filters that the service does not apply are applied by us", async () => {
      const keys = Object.keys(QUERY.filters);
      await using service = await withFault("searchOffers", { kind: "ignore-filters", keys });
      const { signal } = new AbortController();
      const tools = { service: new VastMarketplace(service.client), log: new RecordedLog(), signal };
      const found = await searchForOffers(tools, REQUIREMENTS, { hosts: [], offers: [] });
      expect(found.map(({ offer }) => offer.id)).toEqual([11, 12, 13, 14]);
    });

    test("NaN in a body: the offer without a price is left out, the others are read", async () => {
      const row = '"num_gpus": 1, "gpu_name": "RTX 4090"';
      const text = `{"offers": [{"id": 1, ${row}, "dph_total": NaN}, {"id": 2, ${row}, "dph_total": 0.4, "score": Infinity}]}`;
      await using service = await withFault("searchOffers", { kind: "text", text });
      expect((await service.client.searchOffers(wireQuery(QUERY))).map(({ id }) => id)).toEqual([2]);
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

  describe("keys", () => {
    const NEEDED: [ServiceOperation, string, (client: ServiceClient) => Promise<unknown>][] = [
      ["searchOffers", "misc", (client) => client.searchOffers(seedQuery(wireQuery(QUERY)))],
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
      await client.searchOffers(seedQuery(wireQuery(QUERY)));
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
      const ended = expect(call).rejects.toBe(reason);
      await until("the request has arrived", () => service.sim.journal.of("currentUser").length > 0);
      stop.abort(reason);
      await ended;
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

    test("a call that has less time than others is no longer waited for", async () => {
      await using service = await withFault("destroyInstance", { kind: "never-answer" });
      const hasty = { ...ENDPOINTS.destroyInstance, answersWithinMs: 20 };
      await expect(service.client.call(hasty, [7])).rejects.toBeInstanceOf(NoAnswerError);
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
