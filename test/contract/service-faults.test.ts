import { describe, expect, test } from "vitest";
import type { Fault, ServiceOperation } from "../../simulator/scenario/fault.ts";
import {
  AuthenticationError,
  NoAnswerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestRejectedError,
  ServerError,
  UnexpectedAnswerError,
} from "../../src/marketplace/errors.ts";
import type { CallLimits } from "../../src/marketplace/marketplace.ts";
import { judgeCreate } from "../../src/marketplace/vast/refusals.ts";
import type { ServiceClient } from "../../src/marketplace/vast/service-client.ts";
import { seedQuery, wireQuery } from "../../src/marketplace/vast/translate.ts";
import { aConfig } from "../unit/support/an-instance-config.ts";
import { DIALECTS, QUERY, rent, startContract } from "./support/service-under-contract.ts";

const PAGE = "<html><h1>404 Not Found</h1><hr>nginx</html>";
const TOO_FREQUENT = { kind: "text", status: 429, text: "API requests too frequent: endpoint threshold=2.0*1.0" };
const EXPIRED = { kind: "status", status: 404, body: { msg: "Session expired." } };

/** Every shape of a fault on the wire: the client's reading of it, and how often it asks. */
describe.each(DIALECTS)("dialect %s", (dialect) => {
  /** A service of which one operation always goes wrong. */
  const withFault = (operation: ServiceOperation, fault: Record<string, unknown>) =>
    startContract(dialect, { scenario: { faults: [{ operation, ...fault } as Fault] } });

  /** Every operation that only reads, and is sent again after a passing fault. */
  const READS: [ServiceOperation, (client: ServiceClient, limits?: CallLimits) => Promise<unknown>][] = [
    ["searchOffers", (client, limits) => client.searchOffers(seedQuery(wireQuery(QUERY)), limits)],
    ["listInstances", (client, limits) => client.listInstances(limits)],
    ["getInstance", (client, limits) => client.getInstance(1, limits)],
    ["currentUser", (client, limits) => client.currentUser(limits)],
  ];

  const gaps = (moments: readonly number[]) => moments.slice(1).map((at, index) => at - Number(moments[index]));

  describe.each(READS)("%s", (operation, read) => {
    test.each([
      ["5xx", { kind: "status", status: 502, body: { msg: "Bad Gateway" } }],
      ["5xx that is not JSON", { kind: "text", status: 503, text: "<html>Service Unavailable</html>" }],
      ["429 in plain text", TOO_FREQUENT],
      ["429 as JSON", { kind: "status", status: 429, body: { error: "rate_limit_exceeded", msg: "2.0" } }],
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
      ["429", TOO_FREQUENT, RateLimitError],
      ["a connection that breaks", { kind: "refuse" }, NoAnswerError],
    ])(
      "is asked again for three quarters of a minute when %s does not pass, ever more seldom",
      async (_fault, fault, kind) => {
        await using service = await withFault(operation, fault);
        await expect(read(service.client)).rejects.toBeInstanceOf(kind);
        const asked = service.sim.journal.of(operation).map(({ at }) => at);
        expect(asked.length).toBeGreaterThanOrEqual(4);
        expect(Number(asked.at(-1)) - Number(asked[0])).toBeLessThanOrEqual(45_000);
        expect(gaps(asked).at(-1)).toBeGreaterThan(2 * Number(gaps(asked)[0]));
      },
    );

    test("is asked again until the moment that its caller names", async () => {
      await using service = await withFault(operation, { kind: "status", status: 503 });
      service.clock.advance(1);
      const start = service.clock.now();
      const ten = read(service.client, { until: start + 600_000 });
      await expect(ten).rejects.toBeInstanceOf(ServerError);
      const asked = service.sim.journal.of(operation).map(({ at }) => at - start);
      expect(asked.at(-1)).toBeGreaterThan(550_000);
      expect(asked.at(-1)).toBeLessThanOrEqual(600_000);
      // Never more seldom than every 39 s: a service that is back is seen soon.
      expect(Math.max(...gaps(asked))).toBeLessThanOrEqual(39_000);
      await expect(read(service.client, { until: start })).rejects.toBeInstanceOf(ServerError);
      expect(service.sim.journal.of(operation)).toHaveLength(asked.length + 1);
    });

    test.each([
      ["401 that is not JSON", { kind: "text", status: 401, text: "Unauthorized" }, AuthenticationError],
      ["401", { kind: "status", status: 401, body: { error: "auth_error", msg: "x" } }, AuthenticationError],
      ["403", { kind: "status", status: 403, body: { success: false, msg: "Blocked." } }, PermissionError],
      ["400", { kind: "status", status: 400, body: { success: false, msg: "x" } }, RequestRejectedError],
      ["a redirect", { kind: "status", status: 308 }, RequestRejectedError],
      ["200 that says no", { kind: "status", status: 200, body: { success: false, msg: "No." } }, RequestRejectedError],
      ["200 that is not JSON", { kind: "text", text: "<html>Welcome</html>" }, UnexpectedAnswerError],
      ["200 of another shape", { kind: "status", status: 200, body: [] }, UnexpectedAnswerError],
      ["a session that ran out", EXPIRED, AuthenticationError],
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

    test.each([
      ["a page", PAGE],
      ["a word", "404 page not found"],
      ["nothing", ""],
    ])("404 with %s, as a gateway sends it, is no evidence that it is gone", async (_form, text) => {
      await using service = await withFault("getInstance", { kind: "text", status: 404, text });
      await expect(service.client.getInstance(7)).rejects.toBeInstanceOf(NotFoundError);
    });
  });

  test.each([
    ["plain text", { kind: "text", status: 429, text: "API requests too frequent: endpoint threshold=30.0*1.0" }],
    ["JSON", { kind: "status", status: 429, body: { error: "rate_limit_exceeded", msg: "Too many, threshold 30" } }],
  ])("a 429 says how long to wait: %s", async (_form, fault) => {
    await using service = await withFault("currentUser", { ...fault, nth: 1 });
    const before = service.clock.now();
    await service.client.currentUser();
    expect(service.clock.now() - before).toBeGreaterThanOrEqual(30_000);
  });

  describe("create instance is sent once, whatever becomes of it", () => {
    const TOO_FAST = { kind: "text", text: "API requests too frequent: endpoint threshold=4.5*1.0" };

    test.each([
      ["5xx", { kind: "status", status: 502 }, 0, "uncertain", 502],
      ["5xx after it took effect", { kind: "status", status: 502, when: "after" }, 1, "uncertain", 502],
      ["a success that is not JSON", { kind: "text", text: '{"success": tr', when: "after" }, 1, "uncertain", 200],
      ["429", { ...TOO_FAST, status: 429 }, 0, "too-fast", 429],
      ["429 after it took effect", { ...TOO_FAST, status: 429, when: "after" }, 1, "too-fast", 429],
      ["401", { kind: "text", status: 401, text: "Unauthorized" }, 0, "key", 401],
      ["401 after it took effect", { kind: "text", status: 401, text: "No", when: "after" }, 1, "key", 401],
      ["no credit", { kind: "no-credit" }, 0, "no-credit", 400],
      ["an error that carries an id", { kind: "error-with-contract" }, 1, "unwanted", 400],
      ["gone, as 404", { kind: "offer-gone", form: "404" }, 0, "offer-gone", 404],
      ["gone, as 410", { kind: "offer-gone", form: "410" }, 0, "offer-gone", 410],
      ["gone, as 400", { kind: "offer-gone", form: "400" }, 0, "offer-gone", 400],
      ["gone, as 200", { kind: "offer-gone", form: "200" }, 0, "offer-gone", 200],
    ])("%s", async (_what, fault, instances, outcome, status) => {
      await using service = await withFault("createInstance", fault);
      const answer = await service.client.createInstance(11, aConfig());
      const judged = judgeCreate(answer);
      expect([judged.kind === "refused" ? judged.refusal.code : judged.kind, answer.status]).toEqual([outcome, status]);
      expect(service.sim.journal.of("createInstance")).toHaveLength(1);
      // It is in the list, by which it is found and ended.
      const listed = await service.client.listInstances(undefined, aConfig().label);
      expect(listed).toHaveLength(instances);
      for (const { id } of listed) expect(await service.client.destroyInstance(id)).toBe("asked");
      expect(service.sim.books.billingNow()).toEqual([]);
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
      ["429", TOO_FREQUENT, RateLimitError],
      ["success: false", { kind: "status", status: 200, body: { success: false, msg: "Busy." } }, RequestRejectedError],
      ["403", { kind: "status", status: 403, body: { msg: "No." } }, PermissionError],
      ["an answer that is lost", { kind: "lose-answer" }, NoAnswerError],
      ["a session that ran out", EXPIRED, AuthenticationError],
    ])("%s", async (_what, fault, kind) => {
      await using service = await withFault("destroyInstance", fault);
      const id = await rent(service);
      await expect(service.client.destroyInstance(id)).rejects.toBeInstanceOf(kind);
      expect(service.sim.journal.of("destroyInstance")).toHaveLength(1);
    });

    test("404 with a page, as a gateway sends it, is no evidence that there is none", async () => {
      await using service = await withFault("destroyInstance", { kind: "text", status: 404, text: PAGE });
      const id = await rent(service);
      await expect(service.client.destroyInstance(id)).rejects.toBeInstanceOf(NotFoundError);
    });

    test("an answer that is not JSON is an answer", async () => {
      await using service = await withFault("destroyInstance", { kind: "text", text: "OK", when: "after" });
      const id = await rent(service);
      expect(await service.client.destroyInstance(id)).toBe("asked");
    });
  });
});
