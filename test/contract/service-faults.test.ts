import { describe, expect, test } from "vitest";
import type { Fault, ServiceOperation } from "../../simulator/scenario/fault.ts";
import * as errors from "../../src/marketplace/errors.ts";
import type { CallLimits } from "../../src/marketplace/marketplace.ts";
import { judgeCreate } from "../../src/marketplace/vast/refusals.ts";
import type { ServiceClient } from "../../src/marketplace/vast/service-client.ts";
import { seedQuery, wireQuery } from "../../src/marketplace/vast/translate.ts";
import { aConfig } from "../unit/support/an-instance-config.ts";
import { DIALECTS, QUERY, rent, startContract } from "./support/service-under-contract.ts";

const PAGE = "<html><h1>404 Not Found</h1><hr>nginx</html>";
const TOO_FREQUENT = { kind: "text", status: 429, text: "API requests too frequent: endpoint threshold=2.0*1.0" };
const EXPIRED = { kind: "status", status: 404, body: { msg: "Session expired." } };
const no = (status: number, msg = "No.") => ({ kind: "status", status, body: { success: false, msg } });

/** Every operation that only reads, and is sent again after a passing fault. */
const READS: [ServiceOperation, (client: ServiceClient, limits?: CallLimits) => Promise<unknown>][] = [
  ["searchOffers", (client, limits) => client.searchOffers(seedQuery(wireQuery(QUERY)), limits)],
  ["listInstances", (client, limits) => client.listInstances(limits)],
  ["getInstance", (client, limits) => client.getInstance(1, limits)],
  ["currentUser", (client, limits) => client.currentUser(limits)],
];

const gaps = (moments: readonly number[]) => moments.slice(1).map((at, index) => at - Number(moments[index]));

/** Every shape of a fault on the wire: the client's reading of it, and how often it asks. */
describe.each(DIALECTS)("dialect %s", (dialect) => {
  /** A service of which one operation always goes wrong. */
  const withFault = (operation: ServiceOperation, fault: Record<string, unknown>) =>
    startContract(dialect, { scenario: { faults: [{ operation, ...fault } as Fault] } });

  describe.each(READS)("%s", (operation, read) => {
    test.each([
      ["5xx", { kind: "status", status: 502, body: { msg: "Bad Gateway" } }],
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
      ["5xx", { kind: "status", status: 500 }, errors.ServerError],
      ["429", TOO_FREQUENT, errors.RateLimitError],
      ["a connection that breaks", { kind: "refuse" }, errors.NoAnswerError],
    ])(
      "is asked for three quarters of a minute when %s does not pass, ever more seldom",
      async (_what, fault, kind) => {
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
      await expect(read(service.client, { until: start + 600_000 })).rejects.toBeInstanceOf(errors.ServerError);
      const asked = service.sim.journal.of(operation).map(({ at }) => at - start);
      expect(asked.at(-1)).toBeGreaterThan(550_000);
      expect(asked.at(-1)).toBeLessThanOrEqual(600_000);
      // Never more seldom than every 39 s: a service that is back is seen soon.
      expect(Math.max(...gaps(asked))).toBeLessThanOrEqual(39_000);
      await expect(read(service.client, { until: start })).rejects.toBeInstanceOf(errors.ServerError);
      expect(service.sim.journal.of(operation)).toHaveLength(asked.length + 1);
    });

    test.each([
      ["401 that is not JSON", { kind: "text", status: 401, text: "Unauthorized" }, errors.AuthenticationError],
      ["403", no(403), errors.PermissionError],
      ["400", no(400), errors.RequestRejectedError],
      ["a redirect", { kind: "status", status: 308 }, errors.RequestRejectedError],
      ["200 that says no", no(200), errors.RequestRejectedError],
      ["200 that is not JSON", { kind: "text", text: "<html>Welcome</html>" }, errors.UnexpectedAnswerError],
      ["200 of another shape", { kind: "status", status: 200, body: [] }, errors.UnexpectedAnswerError],
      ["a session that ran out", EXPIRED, errors.AuthenticationError],
    ])("is asked once when it answers %s", async (_fault, fault, kind) => {
      await using service = await withFault(operation, fault);
      await expect(read(service.client)).rejects.toBeInstanceOf(kind);
      expect(service.sim.journal.of(operation)).toHaveLength(1);
    });

    test("a service that never answers is no answer", async () => {
      await using service = await withFault(operation, { kind: "never-answer" });
      await expect(read(service.connect({ answerTimeoutMs: 20 }))).rejects.toBeInstanceOf(errors.NoAnswerError);
    });
  });

  test.each([
    ["null", { kind: "status", status: 200, body: { instances: null } }],
    ["404", { kind: "status", status: 404, body: { success: false, error: "no_such_instance" } }],
  ])("an instance for which %s comes is gone", async (_form, fault) => {
    await using service = await withFault("getInstance", fault);
    expect(await service.client.getInstance(7)).toBeUndefined();
  });

  test.each([
    ["an empty object", { kind: "status", status: 200, body: {} }, errors.UnexpectedAnswerError],
    ["an empty list", { kind: "status", status: 200, body: { instances: [] } }, errors.UnexpectedAnswerError],
    ["one without an id", { kind: "status", status: 200, body: { instances: {} } }, errors.UnexpectedAnswerError],
    ["404 with a gateway's page", { kind: "text", status: 404, text: PAGE }, errors.NotFoundError],
    ["404 with a word", { kind: "text", status: 404, text: "404 page not found" }, errors.NotFoundError],
    ["404 with nothing", { kind: "text", status: 404, text: "" }, errors.NotFoundError],
  ])("%s is no evidence that an instance is gone", async (_form, fault, kind) => {
    await using service = await withFault("getInstance", fault);
    await expect(service.client.getInstance(7)).rejects.toBeInstanceOf(kind);
  });

  describe("create instance is sent once, whatever becomes of it", () => {
    const TOO_FAST = { kind: "text", status: 429, text: "API requests too frequent: endpoint threshold=4.5*1.0" };

    test.each([
      ["5xx", { kind: "status", status: 502 }, 0, "uncertain"],
      ["5xx after it took effect", { kind: "status", status: 502, when: "after" }, 1, "uncertain"],
      ["a success that is not JSON", { kind: "text", text: '{"success": tr', when: "after" }, 1, "uncertain"],
      ["429", TOO_FAST, 0, "too-fast"],
      ["429 after it took effect", { ...TOO_FAST, when: "after" }, 1, "too-fast"],
      ["401", { kind: "text", status: 401, text: "Unauthorized" }, 0, "key"],
      ["401 after it took effect", { kind: "text", status: 401, text: "No", when: "after" }, 1, "key"],
      ["no credit", { kind: "no-credit" }, 0, "no-credit"],
      ["an error that carries an id", { kind: "error-with-contract" }, 1, "unwanted"],
      ["gone, as 404", { kind: "offer-gone", form: "404" }, 0, "offer-gone"],
      ["gone, as 410", { kind: "offer-gone", form: "410" }, 0, "offer-gone"],
      ["gone, as 400", { kind: "offer-gone", form: "400" }, 0, "offer-gone"],
      ["gone, as 200", { kind: "offer-gone", form: "200" }, 0, "offer-gone"],
    ])("%s", async (what, fault, instances, outcome) => {
      await using service = await withFault("createInstance", fault);
      const answer = await service.client.createInstance(11, aConfig());
      const judged = judgeCreate(answer);
      expect(judged.kind === "refused" ? judged.refusal.code : judged.kind).toBe(outcome);
      if (what.startsWith("gone")) expect(`gone, as ${answer.status}`).toBe(what);
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
      await expect(client.createInstance(11, aConfig())).rejects.toBeInstanceOf(errors.NoAnswerError);
      expect(service.sim.journal.of("createInstance")).toHaveLength(1);
      expect(service.sim.instances()).toHaveLength(instances);
    });
  });

  test.each([
    ["5xx", { kind: "status", status: 500 }, errors.ServerError],
    ["429", TOO_FREQUENT, errors.RateLimitError],
    ["success: false", no(200, "Busy."), errors.RequestRejectedError],
    ["403", no(403), errors.PermissionError],
    ["an answer that is lost", { kind: "lose-answer" }, errors.NoAnswerError],
    ["a session that ran out", EXPIRED, errors.AuthenticationError],
    ["404 with a page, which is no evidence", { kind: "text", status: 404, text: PAGE }, errors.NotFoundError],
  ])("destroy an instance is sent once, its caller decides how long to insist: %s", async (_what, fault, kind) => {
    await using service = await withFault("destroyInstance", fault);
    const id = await rent(service);
    await expect(service.client.destroyInstance(id)).rejects.toBeInstanceOf(kind);
    expect(service.sim.journal.of("destroyInstance")).toHaveLength(1);
  });

  test("an answer to destroy that is not JSON is an answer", async () => {
    await using service = await withFault("destroyInstance", { kind: "text", text: "OK", when: "after" });
    expect(await service.client.destroyInstance(await rent(service))).toBe("asked");
  });
});
