import { describe, expect, test } from "vitest";
import type { Fault } from "../../simulator/scenario/fault.ts";
import {
  NoAnswerError,
  NotFoundError,
  RequestRejectedError,
  UnexpectedAnswerError,
} from "../../src/marketplace/errors.ts";
import { ENDPOINTS } from "../../src/marketplace/vast/endpoints.ts";
import { judgeCreate } from "../../src/marketplace/vast/refusals.ts";
import { until } from "../simulator/support/until.ts";
import { aConfig } from "../unit/support/an-instance-config.ts";
import { DIALECTS, rent, type ServiceUnderContract, startContract } from "./support/service-under-contract.ts";

const DEPRECATED = { operation: "listInstances", kind: "deprecated" } as const;
const OFFER_GONE = { kind: "refused", refusal: { code: "offer-gone" } };
const listPaths = ({ sim }: ServiceUnderContract) =>
  sim.journal.of("listInstances").map(({ path, status }) => `${path} ${status}`);

describe.each(DIALECTS)("dialect %s", (dialect) => {
  const isSeed = dialect === "seed";
  const start = (...faults: Fault[]) => startContract(dialect, { scenario: { faults } });
  const listing = (text: string) => start({ operation: "listInstances", kind: "text", text });

  test("create, get, list, destroy, and it is gone; its offer can be had again", async () => {
    await using service = await start();
    const { client, clock } = service;
    const id = await rent(service);
    const fresh = await client.getInstance(id);
    expect([fresh?.label, fresh?.actual_status]).toEqual([aConfig().label, undefined]);
    expect(judgeCreate(await client.createInstance(11, aConfig()))).toMatchObject(OFFER_GONE);
    clock.advance(60);
    expect(await client.getInstance(id)).toMatchObject({ actual_status: "running", ssh_port: expect.any(Number) });
    expect(await client.listInstances()).toMatchObject([{ id, label: aConfig().label, actual_status: "running" }]);
    expect(await client.destroyInstance(id)).toBe("asked");
    expect(await client.getInstance(id)).toBeUndefined();
    expect(await client.listInstances()).toEqual([]);
    expect(await client.destroyInstance(id)).toBe("absent");
    expect(service.sim.books.billingNow()).toEqual([]);
    expect(service.sim.journal.strays()).toEqual([]);
    await rent(service);
    expect(service.sim.instances()).toHaveLength(2);
  });

  test("a create gives the id and the instance's own key, which is masked before the caller sees the answer", async () => {
    await using service = await start();
    const masked: string[] = [];
    const client = service.connect({ mask: (secret) => masked.push(secret) });
    const answer = await client.createInstance(11, aConfig({ label: "mine" }));
    const [made] = service.sim.instances();
    expect(answer.json).toEqual({ success: true, new_contract: made?.id, instance_api_key: made?.apiKey });
    expect(made).toMatchObject({ label: "mine", offer: { id: 11 }, apiKey: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(masked).toEqual([made?.apiKey]);
  });

  test("a machine that is not available makes nothing: cancel_unavail", async () => {
    const offers = [{ id: 1, simulate: { unavailable: true } }];
    await using service = await startContract(dialect, { scenario: { offers } });
    const answer = await service.client.createInstance(1, aConfig({ cancel_unavail: true }));
    expect([answer.status, judgeCreate(answer)]).toMatchObject([410, OFFER_GONE]);
    expect(service.sim.instances()).toEqual([]);
  });

  test("stop and start", async () => {
    await using service = await start();
    const { client, clock } = service;
    const id = await rent(service);
    const status = async () => (await service.instance(id))?.actual_status;
    clock.advance(60);
    for (const state of ["running", "stopped", "stopped"] as const) await client.changeInstance(id, { state });
    const stopped = isSeed ? "stopped" : "exited";
    expect(await status()).toBe(stopped);
    expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 0 }]);
    await client.changeInstance(id, { state: "running" });
    // The old status is shown for a moment.
    expect(await status()).toBe(stopped);
    clock.advance(60);
    expect(await status()).toBe("running");
    expect(service.sim.instances()[0]?.events.map(({ kind }) => kind)).toEqual(["create", "stop", "start"]);
    await expect(client.changeInstance(9, { state: "stopped" })).rejects.toThrow(NotFoundError);
  });

  describe("the list", () => {
    test("of more instances than a page holds is whole", async () => {
      const offers = Array.from({ length: 60 }, (_none, index) => ({ id: index + 1 }));
      await using service = await startContract(dialect, { scenario: { offers } });
      const ids: number[] = [];
      for (const { id } of offers) ids.push(await rent(service, id));
      expect((await service.client.listInstances()).map(({ id }) => id).toSorted()).toEqual(ids);
      expect(listPaths(service)).toHaveLength(isSeed ? 2 : 3);
    });

    test("falls back to the form of the specification where there are no pages, and remembers it", async () => {
      await using service = await start();
      for (const _twice of [1, 2]) await service.client.listInstances();
      const [paged, whole] = ["/api/v1/instances/", "/api/v0/instances/"];
      const asked = isSeed ? [`${paged} 404`, `${whole} 200`, `${whole} 200`] : [`${paged} 200`, `${paged} 200`];
      expect(listPaths(service)).toEqual(asked);
    });

    test("a gateway's page in the place of the first list is no reason to stay without pages", async () => {
      await using service = await start({ operation: "listInstances", kind: "text", status: 404, text: "no", nth: 1 });
      for (const _twice of [1, 2]) await service.client.listInstances();
      expect(listPaths(service).at(2)).toMatch("/api/v1/instances/");
    });

    test.each([
      ["a page that repeats", '"next_token": "again"'],
      ...["25", "true", '{"id": 7}', '["7"]'].map((token) => [`the next page ${token}`, `"next_token": ${token}`]),
      ["a row that can't be read and could be ours", '"instances": [{"id": 7}, {"id": null}], "next_token": null'],
      ["fewer than total_instances", '"total_instances": 2, "next_token": null'],
    ])("%s: no whole list", async (_what, end) => {
      await using service = await listing(`{"success": true, "instances": [{"id": 7}], ${end}}`);
      const listed = service.client.listInstances();
      await expect(listed).rejects.toThrow(UnexpectedAnswerError);
      await expect(listed).rejects.toMatchObject({ refusal: { code: "unreadable" } });
      expect(listPaths(service).length).toBeLessThan(4);
    });

    test("a list that is shorter than its instances_found hides an instance, and does not pass for whole", async () => {
      const text = JSON.stringify({ instances_found: 2, instances: [{ id: 7, label: "one" }] });
      // The first is for the form with pages, which the letter does not have.
      await using service = await start({ operation: "listInstances", kind: "text", text, nth: isSeed ? 2 : 1 });
      const why = isSeed ? "instances_found: the list has fewer instances" : UnexpectedAnswerError;
      await expect(service.client.listInstances()).rejects.toThrow(why);
    });

    test("total_instances may have counted the others, where one label is asked for", async () => {
      const text = '{"total_instances": 2, "instances": [{"id": 7, "label": "one"}], "next_token": null}';
      await using service = await listing(text);
      expect(await service.client.listInstances(undefined, "one")).toMatchObject([{ id: 7 }]);
    });

    test("can be asked for one label only, where the service can filter, and for no environment", async () => {
      await using service = await start();
      for (const offer of [11, 12]) await rent(service, offer, aConfig({ label: `machine ${offer}` }));
      const listed = await service.client.listInstances(undefined, "machine 12");
      expect(listed.map(({ label }) => label)).toEqual(isSeed ? ["machine 11", "machine 12"] : ["machine 12"]);
      // It carries the runner's configuration.
      const paged = service.sim.journal.of("listInstances").filter(({ path }) => path.includes("/v1/"));
      for (const { query } of paged) expect(query.select_cols).not.toMatch(/extra_env|onstart|\*/);
    });
  });

  test("the client's own pace keeps the service's intervals, or comes back after a 429", async () => {
    await using service = await startContract(dialect, { scenario: { limits: true } });
    const { client, sim } = service;
    const ids = [await rent(service, 11), await rent(service, 12)];
    for (let round = 0; round < 3; round += 1) {
      await client.listInstances();
      for (const id of ids) await client.getInstance(id);
    }
    for (const id of ids) await client.destroyInstance(id);
    const limited = sim.journal.entries.filter(({ mark }) => mark === "rate-limited");
    // The deprecated list has an interval of its own, of which nothing is known.
    expect(limited.filter(({ path }) => path !== "/api/v0/instances/")).toEqual([]);
    expect(sim.books.billingNow()).toEqual([]);
  });

  test("a cancel ends a call at once, with its own reason; a call after it is not sent", async () => {
    await using service = await start({ operation: "currentUser", kind: "never-answer" });
    const reason = new Error("cancelled");
    const stop = new AbortController();
    const ended = expect(service.client.currentUser(stop.signal)).rejects.toBe(reason);
    await until(() => service.sim.journal.of("currentUser").length > 0);
    stop.abort(reason);
    await ended;
    await expect(service.client.currentUser(stop.signal)).rejects.toBe(reason);
    expect(service.sim.journal.of("currentUser")).toHaveLength(1);
  });

  test("no call is waited for after `until`, and one that has less time than others less", async () => {
    await using service = await start({ operation: "destroyInstance", kind: "never-answer" });
    const client = service.connect({ until: service.clock.now() + 20 });
    await expect(client.destroyInstance(7)).rejects.toBeInstanceOf(NoAnswerError);
    const hasty = { ...ENDPOINTS.destroyInstance, answersWithinMs: 20 };
    await expect(service.client.call(hasty, [7])).rejects.toBeInstanceOf(NoAnswerError);
  });
});

describe("as observed", () => {
  test("shows blanks after addresses, no ports before running and a gpu_util of 0", async () => {
    await using service = await startContract("observed");
    const env = { A: "b", "-p 8000:8000": "1" };
    const { id } = await service.create(11, { env, runtype: "ssh_direct" });
    const before = await service.instance(id);
    expect(before).not.toHaveProperty("ports");
    const public_ipaddr = expect.stringMatching(/^203\.0\.113\.\d+ $/);
    expect(before).toMatchObject({ public_ipaddr, gpu_util: 0, disk_usage: -1, extra_env: Object.entries(env) });
    service.clock.advance(10);
    const mapped = { HostIp: "0.0.0.0", HostPort: expect.stringMatching(/^\d+$/) };
    expect(await service.instance(id)).toMatchObject({ ports: { "22/tcp": [mapped] } });
  });

  test("another label, beside a state or instead of one", async () => {
    await using service = await startContract("observed");
    const id = await rent(service);
    await service.client.changeInstance(id, { label: "other" });
    expect((await service.client.listInstances(undefined, "other")).map((each) => each.id)).toEqual([id]);
    await service.call("PUT", `/api/v0/instances/${id}/`, { label: "", state: "stopped" });
    expect(await service.instance(id)).toMatchObject({ label: "", intended_status: "stopped" });
  });
});

test("a service that has neither list is told by its own words, and never taken for an empty one", async () => {
  await using service = await startContract("seed", { scenario: { faults: [DEPRECATED] } });
  await rent(service);
  const listed = service.client.listInstances();
  await expect(listed).rejects.toBeInstanceOf(RequestRejectedError);
  await expect(listed).rejects.toThrow("(410): deprecated_endpoint");
});
