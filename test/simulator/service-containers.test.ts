import { expect, test } from "vitest";
import type { MachineStart } from "../../simulator/service/containers/machine-host.ts";
import { underTest } from "./support/service.ts";
import { until } from "./support/until.ts";

/** Machines that write down what they were asked. */
function recordingHost() {
  const calls: string[] = [];
  const starts: MachineStart[] = [];
  const start = (machine: MachineStart) => {
    calls.push("start");
    starts.push(machine);
  };
  const later = async (call: string) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    calls.push(call);
  };
  return { calls, starts, start, stop: () => later("stop"), destroy: () => later("destroy") };
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
  await until(() => host.calls.length > 0);
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

test("ports are those of the runtype and of env, and the container knows them", async () => {
  const host = recordingHost();
  await using service = await underTest({ machines: host });
  const env = { "-p 8081:8081/udp": "1", "-p 70000:70000": "1" };
  const { id } = await service.create(11, { runtype: "jupyter_direct", env, lang_utf8: true, jupyter_dir: "/work" });
  service.clock.advance(60);
  const row = await service.instance(id);
  expect(Object.keys(row?.ports as object)).toEqual(["22/tcp", "8080/tcp", "8081/udp", "70000/tcp"]);
  expect(row?.jupyter_token).toEqual(expect.any(String));
  const names = ["VAST_TCP_PORT_22", "VAST_TCP_PORT_8080", "VAST_UDP_PORT_8081", "VAST_TCP_PORT_70000"];
  const seen = host.starts[0]?.env;
  expect(Object.keys(seen ?? {})).toEqual(expect.arrayContaining([...names, "JUPYTER_TOKEN"]));
  expect(seen).toMatchObject({ LANG: "C.UTF-8", JUPYTER_SERVER_ROOT: "/work" });
});

test.each([
  ["exited", { actual_status: "exited" }, ["start", "stop"]],
  ["offline", { actual_status: "offline" }, ["start", "stop"]],
  ["outbid", "outbid", ["start", "stop"]],
  ["not heard of any more, but running", { actual_status: "unknown" }, ["start"]],
] as const)("what becomes of the container of a machine that is %s", async (_what, update, calls) => {
  const host = recordingHost();
  await using service = await underTest({ machines: host });
  const { id } = await service.create(11);
  service.clock.advance(10);
  await until(() => host.calls.length === 1);
  service.sim.update(id, update);
  await until(() => host.calls.length === calls.length);
  service.sim.update(id, "destroyed");
  await until(() => host.calls.includes("destroy"));
  expect(host.calls).toEqual([...calls, "destroy"]);
});

test("with runtype args, or without an onstart, nothing starts by itself; a reboot ends the container and starts it again", async () => {
  const host = recordingHost();
  await using service = await underTest({ machines: host });
  const { id } = await service.create(11, { runtype: "args", onstart: "true" });
  await service.create(12);
  service.clock.advance(60);
  await service.call("PUT", `/api/v0/instances/reboot/${id}/`, {});
  expect(await service.instance(id)).toMatchObject({ actual_status: "rebooting", intended_status: "running" });
  service.clock.advance(60);
  await until(() => host.calls.length === 4);
  expect(host.calls.toSorted()).toEqual(["start", "start", "start", "stop"]);
  expect(host.starts.map(({ onstart }) => onstart)).toEqual(["", "", ""]);
});
