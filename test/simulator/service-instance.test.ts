import { describe, expect, test } from "vitest";
import { type UnderTest, underTest } from "./service-under-test.ts";

const observed = { dialect: "observed" } as const;
const seed = { dialect: "seed" } as const;

async function statuses(service: UnderTest, id: number, seconds: number) {
  const seen: unknown[] = [];
  for (let second = 0; second <= seconds; second += 1) {
    const status = (await service.instance(id))?.actual_status;
    if (seen.length === 0 || seen.at(-1) !== status) seen.push(status);
    service.clock.advance(1);
  }
  return seen;
}

async function change(service: UnderTest, id: number, body: unknown) {
  const { status, body: answer } = await service.call("PUT", `/api/v0/instances/${id}/`, body);
  return [status, answer];
}

describe("observed", () => {
  test("shows blanks after addresses, no ports before running and a gpu_util of 0", async () => {
    await using service = await underTest();
    const { id } = await service.create(11, { env: { A: "b", "-p 8000:8000": "1" }, runtype: "ssh_direct" });
    const before = await service.instance(id);
    expect(before).not.toHaveProperty("ports");
    expect(before).toMatchObject({
      public_ipaddr: expect.stringMatching(/^203\.0\.113\.\d+ $/),
      gpu_util: 0,
      disk_usage: -1,
      extra_env: [
        ["A", "b"],
        ["-p 8000:8000", "1"],
      ],
    });
    service.clock.advance(10);
    const { ports } = (await service.instance(id)) ?? {};
    expect(ports).toMatchObject({ "22/tcp": [{ HostIp: "0.0.0.0", HostPort: expect.stringMatching(/^\d+$/) }] });
  });

  test.each(["ssh_proxy", "ssh", "jupyter_proxy", "jupyter", "args"])(
    "shows no ports with runtype %s",
    async (runtype) => {
      await using service = await underTest();
      const { id } = await service.create(11, { runtype });
      service.clock.advance(10);
      expect(await service.instance(id)).toMatchObject({ actual_status: "running" });
      expect(await service.instance(id)).not.toHaveProperty("ports");
    },
  );

  test("refuses to destroy or change an instance that is gone with no_such_instance", async () => {
    await using service = await underTest();
    const { id } = await service.create(11);
    expect((await service.call("DELETE", `/api/v0/instances/${id}/`, {})).body).toEqual({ success: true });
    const gone = await service.call("DELETE", `/api/v0/instances/${id}/`);
    expect([gone.status, gone.body]).toEqual([404, expect.objectContaining({ error: "no_such_instance" })]);
    expect(await change(service, id, { state: "stopped" })).toEqual([404, gone.body]);
  });

  test("shows exited while stopped, the old status for a moment after a start, then running", async () => {
    await using service = await underTest();
    const { id } = await service.create(11);
    service.clock.advance(10);
    expect(await change(service, id, { state: "stopped" })).toEqual([200, { success: true }]);
    expect(await service.instance(id)).toMatchObject({
      actual_status: "exited",
      intended_status: "stopped",
      cur_state: "stopped",
      next_state: "stopped",
    });
    expect(await change(service, id, { state: "running" })).toEqual([200, { success: true }]);
    expect(await service.instance(id)).toMatchObject({ actual_status: "exited", intended_status: "running" });
    expect(await statuses(service, id, 5)).toEqual(["exited", "loading", "running"]);
  });

  test("takes a label beside a state, or instead of one, and nothing else", async () => {
    await using service = await underTest();
    const { id } = await service.create(11);
    service.clock.advance(10);
    expect(await change(service, id, { label: "a", state: "stopped" })).toEqual([200, { success: true }]);
    expect(await service.instance(id)).toMatchObject({ label: "a", intended_status: "stopped" });
    expect(await change(service, id, { label: "" })).toEqual([200, { success: true }]);
    expect(await service.instance(id)).toMatchObject({ label: "", intended_status: "stopped" });
    for (const wrong of [{}, { label: 5 }, { label: "b", colour: "red" }])
      expect((await change(service, id, wrong))[0]).toBe(400);
  });

  test("shows a new instance only after the visibility lag, though it exists and bills", async () => {
    await using service = await underTest({ scenario: { visibilityLagSeconds: 5 } });
    const { id } = await service.create(11);
    expect(await service.instance(id)).toBeUndefined();
    expect((await service.call("GET", "/api/v1/instances/")).body).toMatchObject({ instances: [] });
    expect(service.sim.books.billingNow()).toMatchObject([{ id }]);
    service.clock.advance(5);
    expect(await service.instance(id)).toMatchObject({ id });
    expect((await service.call("GET", "/api/v1/instances/")).body).toMatchObject({ instances: [{ id }] });
  });

  test("can be destroyed before it is shown", async () => {
    const fault = { operation: "createInstance", kind: "visibility-lag", seconds: 30 } as const;
    await using service = await underTest({ scenario: { faults: [fault] } });
    const { id } = await service.create(11);
    expect((await service.call("DELETE", `/api/v0/instances/${id}/`)).status).toBe(200);
    expect(service.sim.books.billingNow()).toEqual([]);
  });
});

describe("seed", () => {
  test("goes null, loading, running and shows the five fields of the seed", async () => {
    await using service = await underTest(seed);
    const { id } = await service.create(11, { label: "a" });
    expect(await statuses(service, id, 10)).toEqual([null, "loading", "running"]);
    expect(await service.instance(id)).toEqual({
      id,
      label: "a",
      actual_status: "running",
      ssh_host: expect.any(String),
      ssh_port: expect.any(Number),
    });
  });

  test("shows stopped after a stop, and starts again", async () => {
    await using service = await underTest(seed);
    const { id } = await service.create(11);
    service.clock.advance(10);
    expect(await change(service, id, { state: "stopped" })).toEqual([200, { success: true }]);
    expect(await service.instance(id)).toMatchObject({ actual_status: "stopped" });
    await change(service, id, { state: "running" });
    service.clock.advance(10);
    expect(await service.instance(id)).toMatchObject({ actual_status: "running" });
  });

  test("answers 404 for an instance that is gone, and knows no change of the label", async () => {
    await using service = await underTest(seed);
    const { id } = await service.create(11);
    expect((await change(service, id, { label: "b" }))[0]).toBe(400);
    expect((await service.call("DELETE", `/api/v0/instances/${id}/`)).body).toEqual({ success: true });
    for (const method of ["GET", "DELETE"]) {
      const { status, body } = await service.call(method, `/api/v0/instances/${id}/`);
      expect([status, body]).toEqual([404, expect.objectContaining({ success: false, error: "not_found" })]);
    }
  });
});

describe.each([observed, seed])("in dialect $dialect", (dialect) => {
  test("stays loading where the scenario says so", async () => {
    const statuses = [
      { after: 0, actual_status: null },
      { after: 3, actual_status: "loading", status_msg: "error response from daemon: manifest unknown" },
    ];
    await using service = await underTest({ ...dialect, scenario: { offers: [{ id: 1, simulate: { statuses } }] } });
    const { id } = await service.create(1);
    service.clock.advance(3600);
    expect(await service.instance(id)).toMatchObject({ actual_status: "loading" });
  });

  test("follows a test's hand: offline and back, outbid, destroyed by the machine's owner", async () => {
    await using service = await underTest(dialect);
    const { id } = await service.create(11);
    service.clock.advance(10);
    service.sim.update(id, { actual_status: "offline" });
    expect(await service.instance(id)).toMatchObject({ actual_status: "offline" });
    service.sim.update(id, { actual_status: "running" });
    expect(await service.instance(id)).toMatchObject({ actual_status: "running" });
    service.sim.update(id, "outbid");
    expect(["exited", "stopped"]).toContain((await service.instance(id))?.actual_status);
    expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 0 }]);
    service.sim.update(id, "destroyed");
    expect(await service.instance(id)).toBeUndefined();
    expect(() => service.sim.update(id, "outbid")).toThrow(`There is no instance ${id}`);
  });

  test("refuses a destroy with a body", async () => {
    await using service = await underTest(dialect);
    const { id } = await service.create(11);
    expect((await service.call("DELETE", `/api/v0/instances/${id}/`, { force: true })).status).toBe(400);
    expect(service.sim.books.billingNow()).toHaveLength(1);
  });

  test("does nothing on a start of a running instance or a stop of a stopped one", async () => {
    await using service = await underTest(dialect);
    const { id } = await service.create(11);
    service.clock.advance(10);
    await change(service, id, { state: "running" });
    expect(await service.instance(id)).toMatchObject({ actual_status: "running" });
    await change(service, id, { state: "stopped" });
    await change(service, id, { state: "stopped" });
    expect(service.sim.instances()[0]?.events.map(({ kind }) => kind)).toEqual(["create", "stop"]);
  });
});

test("a machine can be left behind under a label: it bills, is listed, and its offer is taken", async () => {
  await using service = await underTest(observed);
  const first = service.sim.leaveBehind("left");
  const second = service.sim.leaveBehind("left, too");
  expect(first.offer.id).not.toBe(second.offer.id);
  expect(await service.instance(first.id)).toMatchObject({ label: "left" });
  expect(service.sim.books.billingNow()).toHaveLength(2);
  const { status } = await service.call("PUT", `/api/v0/asks/${first.offer.id}/`, { image: "debian:13" });
  expect(status).toBeGreaterThanOrEqual(400);
});
