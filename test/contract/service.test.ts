import { describe, expect, test } from "vitest";
import type { Fault } from "../../simulator/scenario/fault.ts";
import { judgeInstance } from "../../src/machine/instance.ts";
import {
  NoAnswerError,
  NotFoundError,
  RequestRejectedError,
  UnexpectedAnswerError,
} from "../../src/marketplace/errors.ts";
import { ENDPOINTS } from "../../src/marketplace/vast/endpoints.ts";
import { judgeCreate } from "../../src/marketplace/vast/refusals.ts";
import { instanceOf } from "../../src/marketplace/vast/translate.ts";
import { sshAddress } from "../../src/report/outputs.ts";
import { until } from "../simulator/support/until.ts";
import { aConfig } from "../unit/support/an-instance-config.ts";
import { DIALECTS, rent, type ServiceUnderContract, startContract } from "./support/service-under-contract.ts";

const DEPRECATED = { operation: "listInstances", kind: "deprecated" } as const;
const listPaths = ({ sim }: ServiceUnderContract) =>
  sim.journal.of("listInstances").map(({ path, status }) => `${path} ${status}`);

describe.each(DIALECTS)("dialect %s", (dialect) => {
  const isSeed = dialect === "seed";
  const start = (...faults: Fault[]) => startContract(dialect, { scenario: { faults } });
  const listing = (text: string) => start({ operation: "listInstances", kind: "text", text });

  describe("the life of an instance", () => {
    test("create, get, list, destroy, and it is gone", async () => {
      await using service = await start();
      const { client, clock } = service;
      const id = await rent(service);
      const fresh = await client.getInstance(id);
      expect([fresh?.label, fresh?.actual_status]).toEqual([aConfig().label, undefined]);
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

    test("a create gives the id and the instance's own key, which is masked before the caller sees the answer", async () => {
      await using service = await start();
      const masked: string[] = [];
      const answer = await service
        .connect({ mask: (secret) => masked.push(secret) })
        .createInstance(11, aConfig({ label: "mine" }));
      const [made] = service.sim.instances();
      expect(answer.json).toEqual({ success: true, new_contract: made?.id, instance_api_key: made?.apiKey });
      expect(made).toMatchObject({ label: "mine", offer: { id: 11 }, apiKey: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(masked).toEqual([made?.apiKey]);
      const { headers } = await service.call("GET", `/api/v0/instances/${made?.id}/`);
      expect(headers.get("content-type")).toBe("application/json");
    });

    test("a template, a login and direct SSH arrive, and are read back", async () => {
      const hash = "4e17788f74f075dd";
      const templates = [{ id: 31, hash_id: hash, image: "ghcr.io/octo/torch", tag: "2.8", env: "-e MODE=train" }];
      await using service = await startContract(dialect, { scenario: { templates } });
      const { image: _, ...bare } = aConfig();
      const login = "-u octo -p the-token ghcr.io";
      const id = await rent(service, 11, {
        ...bare,
        template_hash_id: hash,
        image_login: login,
        runtype: "ssh_direct",
      });
      expect(service.sim.instances()[0]?.order).toMatchObject({
        image: "ghcr.io/octo/torch:2.8",
        image_login: login,
        runtype: "ssh_direct",
        disk: 32,
        onstart: "#!/bin/bash\n",
        env: { MODE: "train", GHR_JIT: "the-runner-configuration" },
      });
      service.clock.advance(60);
      const [listed] = await service.client.listInstances();
      for (const shown of [listed, await service.client.getInstance(id)]) {
        // The seed shows the proxy's address alone.
        const proxy = { host: shown?.ssh_host, port: String(shown?.ssh_port) };
        const direct = isSeed ? proxy : { host: "203.0.113.212", port: "41000" };
        expect(sshAddress(shown && instanceOf(shown).ssh, "ssh_direct")).toEqual(direct);
        expect(sshAddress(shown && instanceOf(shown).ssh, "ssh_proxy")).toEqual(proxy);
      }
      expect(JSON.stringify(service.sim.journal.entries)).not.toContain("the-token");
    });

    test("a template that nobody has is told from an offer that is gone", async () => {
      await using service = await start();
      const answer = await service.client.createInstance(11, aConfig({ template_hash_id: "0000000000000000" }));
      const refusal = { code: "no-template", sentence: expect.stringContaining("template") };
      expect(judgeCreate(answer)).toMatchObject({ kind: "refused", refusal });
    });

    test("an offer that is taken makes nothing, until its instance is given back", async () => {
      await using service = await start();
      const id = await rent(service);
      const gone = { kind: "refused", refusal: { code: "offer-gone" } };
      expect(judgeCreate(await service.client.createInstance(11, aConfig()))).toMatchObject(gone);
      await service.client.destroyInstance(id);
      await rent(service);
      expect(service.sim.instances()).toHaveLength(2);
    });

    test("on a machine that is not available cancel_unavail makes nothing; else a stopped instance, as observed", async () => {
      const offers = [{ id: 1, simulate: { unavailable: true } }];
      await using service = await startContract(dialect, { scenario: { offers } });
      const create = (body: object) => service.call("PUT", "/api/v0/asks/1/", { image: "a:1", ...body });
      expect((await create({ cancel_unavail: true })).status).toBe(410);
      // On demand it is true by default, as observed.
      expect((await create({})).status).toBe(isSeed ? 404 : 410);
      expect(service.sim.instances()).toEqual([]);
      expect((await create({ cancel_unavail: false })).status).toBe(isSeed ? 404 : 200);
      service.clock.advance(60);
      expect(service.sim.books.billingNow()).toMatchObject(isSeed ? [] : [{ actual_status: "exited", gpuPerHour: 0 }]);
    });

    test("stop and start", async () => {
      await using service = await start();
      const { client, clock } = service;
      const id = await rent(service);
      const status = async () => (await service.instance(id))?.actual_status;
      clock.advance(60);
      await client.changeInstance(id, { state: "running" });
      for (const _twice of [1, 2]) await client.changeInstance(id, { state: "stopped" });
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

    test("follows a test's hand: offline and back, outbid, destroyed by the machine's owner", async () => {
      await using service = await start();
      const id = await rent(service);
      service.clock.advance(60);
      for (const actual_status of ["offline", "running"]) {
        service.sim.update(id, { actual_status });
        expect((await service.client.getInstance(id))?.actual_status).toBe(actual_status);
      }
      service.sim.update(id, "outbid");
      expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 0 }]);
      service.sim.update(id, "destroyed");
      expect(await service.client.getInstance(id)).toBeUndefined();
      expect(() => service.sim.update(id, "outbid")).toThrow(`There is no instance ${id}`);
    });
  });

  describe("the list", () => {
    test("of more instances than a page holds is whole", async () => {
      const offers = Array.from({ length: 60 }, (_none, index) => ({ id: index + 1 }));
      await using service = await startContract(dialect, { scenario: { offers } });
      for (const { id } of offers) await rent(service, id, aConfig({ label: `machine ${id}` }));
      const listed = await service.client.listInstances();
      expect(listed.map(({ label }) => label).toSorted()).toEqual(offers.map(({ id }) => `machine ${id}`).toSorted());
      expect(listPaths(service)).toHaveLength(isSeed ? 2 : 3);
    });

    test("falls back to the form of the specification where there are no pages, and remembers it", async () => {
      await using service = await start();
      for (const _twice of [1, 2]) await service.client.listInstances();
      expect(listPaths(service)).toEqual(
        isSeed
          ? ["/api/v1/instances/ 404", "/api/v0/instances/ 200", "/api/v0/instances/ 200"]
          : ["/api/v1/instances/ 200", "/api/v1/instances/ 200"],
      );
    });

    test("without pages: empty when there are none, and all, with or without the slash at the end", async () => {
      await using service = await start();
      const list = async (path: string) => (await service.call("GET", path)).body;
      expect(await list("/api/v0/instances/")).toEqual({ instances_found: 0, instances: [] });
      const ids = [await rent(service, 11), await rent(service, 12)];
      for (const path of ["/api/v0/instances", "/api/v0/instances/?owner=me"])
        expect(await list(path)).toMatchObject({ instances_found: 2, instances: ids.map((id) => ({ id })) });
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
      await expect(service.client.listInstances()).rejects.toThrow(
        isSeed ? "instances_found: the list has fewer instances" : UnexpectedAnswerError,
      );
    });

    test("total_instances may have counted the others, where one label is asked for", async () => {
      await using service = await listing(
        '{"total_instances": 2, "instances": [{"id": 7, "label": "one"}], "next_token": null}',
      );
      expect(await service.client.listInstances(undefined, "one")).toMatchObject([{ id: 7 }]);
    });

    test("junk in a row does not hide the instance", async () => {
      const row = '{"id": "7", "label": 5, "ssh_port": null, "gpu_util": NaN}';
      await using service = await listing(`{"instances": [${row}], "next_token": null}`);
      expect(await service.client.listInstances()).toMatchObject([{ id: 7 }]);
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

  test("a base address with a path, or with slashes at its end", async () => {
    await using service = await start();
    await service.connect({ baseUrl: `${service.sim.url}//` }).currentUser();
    expect(service.sim.journal.of("currentUser")[0]?.path).toBe("/api/v0/users/current/");
  });

  describe("time", () => {
    const silent = (operation: "currentUser" | "destroyInstance") => start({ operation, kind: "never-answer" });

    test("a cancel ends a call at once, with its own reason; a call after it is not sent", async () => {
      await using service = await silent("currentUser");
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
      await using service = await silent("destroyInstance");
      const client = service.connect({ until: service.clock.now() + 20 });
      await expect(client.destroyInstance(7)).rejects.toBeInstanceOf(NoAnswerError);
      const hasty = { ...ENDPOINTS.destroyInstance, answersWithinMs: 20 };
      await expect(service.client.call(hasty, [7])).rejects.toBeInstanceOf(NoAnswerError);
    });
  });
});

describe("as observed", () => {
  test("the list without pages is there no more: one 404 of a gateway does not keep the client with it", async () => {
    const gateway = { operation: "listInstances", kind: "text", status: 404, text: "<html>", nth: 1 } as const;
    await using service = await startContract("observed", { scenario: { faults: [gateway, DEPRECATED] } });
    const id = await rent(service);
    await expect(service.client.listInstances()).rejects.toThrow("(410): deprecated_endpoint");
    expect((await service.client.listInstances()).map((each) => each.id)).toEqual([id]);
    expect(listPaths(service).at(-1)).toBe("/api/v1/instances/ 200");
  });

  test("the list in pages skips nothing when an instance of an earlier page goes, and keeps its order", async () => {
    const offers = Array.from({ length: 26 }, (_none, index) => ({ id: index + 1 }));
    await using service = await startContract("observed", { scenario: { offers } });
    for (const { id } of offers) await service.create(id, { label: id % 2 ? "odd" : "even" });
    const page = async (query: Record<string, string> = {}) => {
      const { body } = await service.call("GET", `/api/v1/instances/?${new URLSearchParams(query)}`);
      return body as { instances_found: number; next_token: string; instances: Record<string, unknown>[] };
    };
    expect([(await page()).instances_found, (await page({ limit: "0" })).instances_found]).toEqual([25, 5]);
    const first = await page({ limit: "3" });
    await service.client.destroyInstance(Number(first.instances[0]?.id));
    const second = await page({ limit: "3", after_token: first.next_token });
    expect(second.instances[0]?.id).toBe(Number(first.instances[2]?.id) + 1);
    const order_by = '[{"col": "label", "dir": "desc"}]';
    const odd = await page({ order_by, limit: "13" });
    const even = await page({ order_by, limit: "13", after_token: odd.next_token });
    const labels = [odd, even].map(({ instances }) => new Set(instances.map(({ label }) => label)));
    expect(labels).toEqual([new Set(["odd", "even"]), new Set(["even"])]);
    service.clock.advance(60);
    const id = service.sim.instances()[1]?.id;
    const filtered = (operator: string) =>
      page({ select_filters: JSON.stringify({ actual_status: { eq: "running" }, id: { [operator]: id } }) });
    expect((await filtered("eq")).instances).toMatchObject([{ id }]);
    expect((await filtered("lt")).instances_found).toBe(0);
    const columns = await page({ limit: "1", select_cols: '["id", "label", "shoe_size"]' });
    expect(columns.instances).toEqual([{ id, label: "even", shoe_size: null }]);
    expect((await page({ limit: "1", select_cols: '["*"]' })).instances[0]).toHaveProperty("extra_env");
  });

  test("shows blanks after addresses, no ports before running and a gpu_util of 0", async () => {
    await using service = await startContract("observed");
    const { id } = await service.create(11, { env: { A: "b", "-p 8000:8000": "1" }, runtype: "ssh_direct" });
    const before = await service.instance(id);
    expect(before).not.toHaveProperty("ports");
    const public_ipaddr = expect.stringMatching(/^203\.0\.113\.\d+ $/);
    const extra_env = Object.entries({ A: "b", "-p 8000:8000": "1" });
    expect(before).toMatchObject({ public_ipaddr, gpu_util: 0, disk_usage: -1, extra_env });
    service.clock.advance(10);
    const { ports } = (await service.instance(id)) ?? {};
    expect(ports).toMatchObject({ "22/tcp": [{ HostIp: "0.0.0.0", HostPort: expect.stringMatching(/^\d+$/) }] });
  });

  test("another label, beside a state or instead of one", async () => {
    await using service = await startContract("observed");
    const id = await rent(service);
    service.clock.advance(60);
    await service.client.changeInstance(id, { label: "other" });
    expect((await service.client.listInstances(undefined, "other")).map((each) => each.id)).toEqual([id]);
    await service.call("PUT", `/api/v0/instances/${id}/`, { label: "", state: "stopped" });
    expect(await service.instance(id)).toMatchObject({ label: "", intended_status: "stopped", cur_state: "stopped" });
  });

  test("a start that is queued says no, and a stop takes it back", async () => {
    await using service = await startContract("observed");
    const id = await rent(service);
    service.clock.advance(60);
    await service.client.changeInstance(id, { state: "stopped" });
    service.sim.setFaults([{ operation: "changeInstance", kind: "start-queued", seconds: 30, times: 1 }]);
    await expect(service.client.changeInstance(id, { state: "running" })).rejects.toThrow(/queued/);
    await service.client.changeInstance(id, { state: "stopped" });
    service.clock.advance(600);
    expect((await service.client.getInstance(id))?.intended_status).toBe("stopped");
  });

  test("several instances are stopped, started and destroyed at once", async () => {
    await using service = await startContract("observed");
    const ids = [await rent(service, 11), await rent(service, 12)];
    service.clock.advance(60);
    const bills = () => service.sim.books.billingNow().map(({ gpuPerHour }) => gpuPerHour > 0);
    expect((await service.call("PUT", "/api/v0/instances/", { ids, state: "stopped" })).body).toEqual({
      success: true,
    });
    expect(bills()).toEqual([false, false]);
    await service.call("PUT", "/api/v0/instances/", { ids, state: "running" });
    service.clock.advance(60);
    expect(bills()).toEqual([true, true]);
    await service.call("DELETE", "/api/v0/instances/", { instance_ids: ids });
    expect(bills()).toEqual([]);
  });

  test("of two creates on one offer the second dies on a port: failed, by the machine's fault", async () => {
    const offers = [{ id: 11, simulate: { takenTwiceWithin: 10 } }];
    await using service = await startContract("observed", { scenario: { offers } });
    const ids = [await rent(service), await rent(service)];
    service.clock.advance(60);
    const shown = await Promise.all(ids.map((id) => service.client.getInstance(id)));
    expect(shown.map((each) => each && judgeInstance(instanceOf(each)))).toMatchObject([
      { kind: "running" },
      { kind: "failed", blame: "machine", why: expect.stringContaining("port") },
    ]);
  });
});

test("a service that has neither list is told by its own words, and never taken for an empty one", async () => {
  await using service = await startContract("seed", { scenario: { faults: [DEPRECATED] } });
  await rent(service);
  const listed = service.client.listInstances();
  await expect(listed).rejects.toBeInstanceOf(RequestRejectedError);
  await expect(listed).rejects.toThrow("(410): deprecated_endpoint");
});
