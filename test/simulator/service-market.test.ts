import { describe, expect, test } from "vitest";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { underTest } from "./service-under-test.ts";

const offers = [{ id: 11, dph_base: 0.6, min_bid: 0.2, storage_cost: 0 }];

describe("an interruptible instance", () => {
  test("is the only kind that is outbid", async () => {
    await using service = await underTest({ scenario: { offers: [{ id: 11, simulate: { outbidAfter: 10 } }] } });
    const { id } = await service.create(11);
    service.clock.advance(60);
    expect(await service.instance(id)).toMatchObject({ actual_status: "running", is_bid: false });
  });

  test("can be outbid by hand, from outside", async () => {
    await using service = await underTest({ scenario: { offers } });
    const { id } = await service.create(11, { price: 0.3 });
    service.clock.advance(10);
    expect((await service.call("POST", `/_control/instances/${id}`, '"outbid"')).body).toEqual({ changed: id });
    expect(await service.instance(id)).toMatchObject({ intended_status: "stopped" });
    expect((await service.call("POST", "/_control/instances/9", '"outbid"')).status).toBe(404);
    expect((await service.call("POST", `/_control/instances/${id}`, '"sold"')).status).toBe(400);
  });
});

describe("credit", () => {
  test("at zero stops every instance, whose disk bills on", async () => {
    const statuses = [{ after: 0, actual_status: "running" }];
    await using service = await underTest({
      scenario: { offers: [...offers, { id: 12, storage_cost: 0.72, dph_base: 0.6 }], statuses, user: { credit: 0.6 } },
    });
    const { id } = await service.create(11);
    const other = await service.create(12);
    service.clock.advance(1700);
    expect(await service.instance(id)).toMatchObject({ intended_status: "running" });
    service.clock.advance(200);
    for (const each of [id, other.id]) {
      expect(await service.instance(each)).toMatchObject({ intended_status: "stopped", cur_state: "stopped" });
    }
    const { billingNow, total } = service.sim.books;
    expect(billingNow().map(({ gpuPerHour }) => gpuPerHour)).toEqual([0, 0]);
    expect(total()).toBeCloseTo(0.6, 2);
    expect((await service.call("PUT", "/api/v0/asks/11/", { image: "a:1" })).body).toMatchObject({
      error: "insufficient_credit",
    });
    expect(service.sim.instances().map(destruction)).toEqual([undefined, undefined]);
  });
});

test("a reboot ends the container and starts it again", async () => {
  const seen: string[] = [];
  const machines = {
    start: () => void seen.push("start"),
    stop: async () => void seen.push("stop"),
    destroy: async () => void seen.push("destroy"),
  };
  await using service = await underTest({ machines });
  const { id } = await service.create(11);
  service.clock.advance(60);
  expect((await service.call("PUT", `/api/v0/instances/reboot/${id}/`, {})).body).toEqual({ success: true });
  expect(await service.instance(id)).toMatchObject({ actual_status: "rebooting", intended_status: "running" });
  service.clock.advance(60);
  expect(await service.instance(id)).toMatchObject({ actual_status: "running" });
  expect((await service.call("PUT", "/api/v0/instances/recycle/9/", {})).status).toBe(404);
  expect(seen).toEqual(["start", "stop", "start"]);
});

test("several instances are stopped, started and destroyed at once, or none of them", async () => {
  await using service = await underTest();
  const ids = [(await service.create(11)).id, (await service.create(12)).id];
  service.clock.advance(60);
  const put = (state: string, of = ids) => service.call("PUT", "/api/v0/instances/", { ids: of, state });
  expect((await put("stopped", [...ids, 9])).status).toBe(404);
  expect(service.sim.books.billingNow().map(({ gpuPerHour }) => gpuPerHour > 0)).toEqual([true, true]);
  expect((await put("stopped")).body).toEqual({ success: true });
  expect(service.sim.books.billingNow().map(({ gpuPerHour }) => gpuPerHour)).toEqual([0, 0]);
  expect((await put("running")).body).toEqual({ success: true });
  expect((await put("paused")).status).toBe(400);
  const remove = (of: number[]) => service.call("DELETE", "/api/v0/instances/", { instance_ids: of });
  expect((await remove([...ids, 9])).status).toBe(404);
  expect((await remove(ids)).body).toEqual({ success: true });
  expect(service.sim.books.billingNow()).toEqual([]);
});

test("offers are searched for under their other address, too", async () => {
  await using service = await underTest();
  const body = { select_cols: ["*"], q: { gpu_name: { eq: "H100 SXM" } } };
  expect((await service.call("PUT", "/api/v0/search/asks/", body)).body).toMatchObject({ offers: [{ id: 19 }] });
  expect((await service.call("PUT", "/api/v0/search/asks/", {})).status).toBe(400);
});

test("ports are those of the runtype and of env, and the container knows them", async () => {
  const envs: Record<string, string>[] = [];
  const machines = {
    start: ({ env }: { env: Record<string, string> }) => void envs.push(env),
    stop: async () => {},
    destroy: async () => {},
  };
  await using service = await underTest({ machines });
  const env = { "-p 8081:8081/udp": "1", "-p 70000:70000": "1" };
  const { id } = await service.create(11, { runtype: "jupyter_direct", env, lang_utf8: true, jupyter_dir: "/work" });
  service.clock.advance(60);
  const row = await service.instance(id);
  expect(Object.keys(row?.ports as object)).toEqual(["22/tcp", "8080/tcp", "8081/udp", "70000/tcp"]);
  expect(row?.jupyter_token).toEqual(expect.any(String));
  const names = ["VAST_TCP_PORT_22", "VAST_TCP_PORT_8080", "VAST_UDP_PORT_8081", "VAST_TCP_PORT_70000"];
  expect(Object.keys(envs[0] ?? {})).toEqual(expect.arrayContaining([...names, "JUPYTER_TOKEN"]));
  expect(envs[0]).toMatchObject({ LANG: "C.UTF-8", JUPYTER_SERVER_ROOT: "/work" });
});

describe("SSH keys", () => {
  const key = "ssh-ed25519 AAAA me@example.com";

  test("are attached to an instance, and needed for a virtual machine", async () => {
    await using service = await underTest({ scenario: { user: { ssh_key: null } } });
    expect((await service.call("PUT", "/api/v0/asks/11/", { image: "a:1", vm: true })).body).toMatchObject({
      error: "no_ssh_key_for_vm",
    });
    const { id } = await service.create(11);
    expect((await service.call("POST", `/api/v0/instances/${id}/ssh/`, { ssh_key: key })).status).toBe(200);
    expect((await service.call("POST", "/api/v0/instances/9/ssh/", { ssh_key: key })).status).toBe(404);
  });
});

test("a restricted key needs the permission of each route", async () => {
  const keys = [{ key: "reader", scopes: ["instance_read", "user_read"] as const }];
  await using service = await underTest({ keys });
  const status = async (method: string, path: string) => {
    const body = method === "GET" ? undefined : {};
    return (await service.call(method, path, body, { key: "reader" })).status;
  };
  expect(await status("GET", "/api/v0/volumes/")).toBe(200);
  expect(await status("GET", "/api/v0/ssh/")).toBe(200);
  expect(await status("POST", "/api/v0/volumes/search/")).toBe(403);
  expect(await status("PUT", "/api/v0/volumes/")).toBe(403);
  expect(await status("POST", "/api/v0/ssh/")).toBe(403);
  expect(await status("PUT", "/api/v0/instances/reboot/7/")).toBe(403);
});
