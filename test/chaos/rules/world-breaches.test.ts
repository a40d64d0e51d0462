import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { startSimulator } from "../../../simulator/start-simulator.ts";
import { ProcessList } from "../world/process-list.ts";
import { secretsOf, worldBreaches } from "./world-breaches.ts";

async function call(sim: { service: { url: string; apiKey: string } }, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${sim.service.apiKey}`, "content-type": "application/json" };
  await fetch(`${sim.service.url}${path}`, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
}

test("somebody else's machine that is destroyed is reported", async () => {
  await using sim = await startSimulator({ machines: false });
  const bystanders = [sim.service.leaveBehind("somebody-elses")];
  expect(worldBreaches(sim, { results: [], bystanders })).toEqual([]);
  const id = bystanders[0]?.id;
  await call(sim, "DELETE", `/api/v0/instances/${id}/`);
  expect(worldBreaches(sim, { results: [], bystanders })).toEqual([
    `Somebody else's instance ${id} (somebody-elses) was destroyed.`,
    `Somebody else's instance was meant by DELETE /api/v0/instances/${id}/.`,
  ]);
});

test("a secret of the account in an order, and a runner configuration that is used twice, are reported", async () => {
  await using sim = await startSimulator({ machines: false });
  const order = (GHR_JIT: string, more = {}) => ({ image: "a:1", label: "x", disk: 8, env: { GHR_JIT, ...more } });
  await call(sim, "PUT", "/api/v0/asks/11/", order("configuration-1"));
  expect(worldBreaches(sim, { results: [], bystanders: [] })).toEqual([]);
  await call(sim, "PUT", "/api/v0/asks/12/", order("configuration-1", { TOKEN: sim.service.apiKey }));
  const breaches = worldBreaches(sim, { results: [], bystanders: [] });
  expect(breaches).toContain("A secret of the account stands in the order of instance 7001002.");
  expect(breaches).toContain("Instance 7001002 has a used runner configuration.");
});

test("two instances of one create may have the same configurations", async () => {
  await using sim = await startSimulator({ machines: false });
  sim.service.setFaults([{ operation: "createInstance", kind: "twin", seconds: 0 }]);
  await call(sim, "PUT", "/api/v0/asks/11/", { image: "a:1", label: "x", disk: 8, env: { GHR_JIT: "first" } });
  expect(sim.service.instances()).toHaveLength(2);
  expect(worldBreaches(sim, { results: [], bystanders: [] })).toEqual([]);
});

test("a configuration for a further job that another machine has, too, is reported", async () => {
  await using sim = await startSimulator({ machines: false });
  const order = (env: Record<string, string>) => ({ image: "a:1", label: "x", disk: 8, env });
  await call(sim, "PUT", "/api/v0/asks/11/", order({ GHR_JIT: "first", GHR_JIT_2: "second" }));
  expect(worldBreaches(sim, { results: [], bystanders: [] })).toEqual([]);
  expect(Object.values(secretsOf(sim))).toEqual(expect.arrayContaining(["first", "second"]));
  await call(sim, "PUT", "/api/v0/asks/12/", order({ GHR_JIT: "third", GHR_JIT_2: "second" }));
  expect(worldBreaches(sim, { results: [], bystanders: [] })).toContain(
    "Instance 7001002 has a used runner configuration.",
  );
});

test("a secret in the arguments of a process is reported", async () => {
  await using sim = await startSimulator({ machines: false });
  using processes = new ProcessList();
  const seen = new Set<string>();
  const unwatch = processes.watch(
    () => secretsOf(sim),
    (breach) => seen.add(breach),
  );
  const child = spawn("sleep", ["20"], { argv0: `curl ${sim.service.apiKey}` });
  try {
    while (seen.size === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  } finally {
    child.kill();
    unwatch();
  }
  expect([...seen]).toEqual(["the API key stands in the list of processes."]);
});
