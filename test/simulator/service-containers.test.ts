import { expect, test } from "vitest";
import type { MachineHost, MachineStart } from "../../simulator/service/containers/machine-host.ts";
import { type UnderTest, underTest, until } from "./service-under-test.ts";

interface RecordingHost extends MachineHost {
  calls: string[];
  starts: MachineStart[];
}

function recordingHost(): RecordingHost {
  const calls: string[] = [];
  const starts: MachineStart[] = [];
  const later = async (call: string) => {
    calls.push(`${call} begins`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    calls.push(`${call} ends`);
  };
  return {
    calls,
    starts,
    start: (machine) => {
      calls.push("start");
      starts.push(machine);
    },
    stop: () => later("stop"),
    destroy: () => later("destroy"),
  };
}

function change(service: UnderTest, id: number, state: string) {
  return service.call("PUT", `/api/v0/instances/${id}/`, { state });
}

test("starts the container when running is reached, with what a real one sees", async () => {
  const host = recordingHost();
  const offers = [{ id: 1, num_gpus: 2, public_ipaddr: "203.0.113.9", simulate: { machine: { gpus: 1 } } }];
  await using service = await underTest({ machines: host, scenario: { offers } });
  const env = { GHR_JIT: "secret", "-p 8000:8000": "1", "-h": "bob" };
  const { id, key } = await service.create(1, { image: "debian:13", onstart: "echo hello", env });
  service.clock.advance(4.9);
  expect(host.calls).toEqual([]);
  service.clock.advance(0.1);
  await until("the container starts", () => host.calls.length > 0);
  expect(host.starts).toEqual([
    {
      instanceId: id,
      onstart: "echo hello",
      image: "debian:13",
      behaviour: { gpus: 1, gpuName: "NVIDIA GeForce RTX 4090", gpuMemoryMib: 24_564 },
      ssh: { keys: [expect.stringMatching(/^ssh-ed25519 /)], ports: [41_000, 21_000] },
      env: {
        GHR_JIT: "secret",
        CONTAINER_ID: String(id),
        CONTAINER_API_KEY: key,
        VAST_CONTAINERLABEL: `C.${id}`,
        PUBLIC_IPADDR: "203.0.113.9",
        GPU_COUNT: "2",
        DATA_DIRECTORY: "/workspace/",
        SSH_PUBLIC_KEY: expect.stringMatching(/^ssh-ed25519 /),
        VAST_TCP_PORT_22: expect.stringMatching(/^\d+$/),
        VAST_TCP_PORT_8000: expect.stringMatching(/^\d+$/),
      },
    },
  ]);
});

test("ends the container when it exits, goes offline or is outbid, and not when its heartbeat is lost", async () => {
  for (const [what, ends] of [
    ["exited", true],
    ["offline", true],
    ["outbid", true],
    ["unknown", false],
  ] as const) {
    const host = recordingHost();
    await using service = await underTest({ machines: host });
    const { id } = await service.create(11);
    service.clock.advance(10);
    await until("it starts", () => host.calls.length === 1);
    service.sim.update(id, what === "outbid" ? "outbid" : { actual_status: what });
    if (ends) await until(`${what} stops it`, () => host.calls.at(-1) === "stop ends");
    else expect(host.calls).toEqual(["start"]);
    service.sim.update(id, "destroyed");
    await until("it is destroyed", () => host.calls.at(-1) === "destroy ends");
  }
});

test("never starts what is stopped or destroyed before running, or stuck in loading", async () => {
  const host = recordingHost();
  const stuck = [{ after: 0, actual_status: "loading" }];
  const offers = [{ id: 1 }, { id: 2 }, { id: 3, simulate: { statuses: stuck } }];
  await using service = await underTest({ machines: host, scenario: { offers } });
  const stopped = await service.create(1);
  const destroyed = await service.create(2);
  await service.create(3);
  service.clock.advance(3);
  await change(service, stopped.id, "stopped");
  await service.call("DELETE", `/api/v0/instances/${destroyed.id}/`);
  service.clock.advance(3600);
  await new Promise((resolve) => setImmediate(resolve));
  expect(host.calls).toEqual([]);
});

test("gives a container no key or a wrong one where the scenario says so, and no onstart with runtype args", async () => {
  const host = recordingHost();
  const offers = [
    { id: 1, simulate: { instanceKey: "missing" as const } },
    { id: 2, simulate: { instanceKey: "wrong" as const } },
  ];
  await using service = await underTest({ machines: host, scenario: { offers } });
  await service.create(1);
  const { id, key } = await service.create(2, { runtype: "args", onstart: "true" });
  service.clock.advance(10);
  await until("both run", () => host.starts.length === 2);
  expect(host.starts[0]?.env).not.toHaveProperty("CONTAINER_API_KEY");
  const wrong = host.starts[1]?.env.CONTAINER_API_KEY ?? "";
  expect(wrong).not.toBe(key);
  expect((await service.call("GET", `/api/v0/instances/${id}/`, undefined, { key: wrong })).status).toBe(401);
  expect(host.starts[1]?.onstart).toBe("");
});

test.each(["ssh_proxy", "jupyter_proxy"])(
  "without an onstart nothing starts by itself, runtype %s",
  async (runtype) => {
    const host = recordingHost();
    await using service = await underTest({ machines: host });
    await service.create(11, { runtype });
    service.clock.advance(60);
    await until("it runs", () => host.starts.length > 0);
    expect(host.starts[0]?.onstart).toBe("");
  },
);

test("says so when the machine host fails, and goes on", async () => {
  const lines: string[] = [];
  const host = {
    ...recordingHost(),
    start: () => {
      throw new Error("no bash");
    },
  };
  await using service = await underTest({ machines: host, log: (line) => lines.push(line) });
  const { id } = await service.create(11);
  service.clock.advance(10);
  await until("the fault is told", () => lines.some((line) => line.includes("no bash")));
  expect(await service.instance(id)).toMatchObject({ actual_status: "running" });
});
