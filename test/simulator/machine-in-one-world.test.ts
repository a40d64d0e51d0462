import { execFile } from "node:child_process";
import { mkdtempDisposableSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { startSimulator } from "../../simulator/start-simulator.ts";

const WITHIN = { timeout: 20_000, interval: 1 };

test("has one time for the service, GitHub, and children", async () => {
  await using simulator = await startSimulator({ factor: 1000, machines: false });
  const { clock, service, github } = simulator;
  // Far enough from real time that the one can't be taken for the other.
  await clock.sleep(600_000);
  const isInBetween = async (read: () => Promise<number>) => {
    const before = clock.now();
    const time = await read();
    const after = clock.now();
    // Times in headers have whole seconds.
    expect(time).toBeGreaterThanOrEqual(before - 1000);
    expect(time).toBeLessThanOrEqual(after);
  };
  // Time that this computer lost may be found out in between: then the clock stood still, and it is read again.
  const inSimulatedTime = (read: () => Promise<number>) => vi.waitFor(() => isInBetween(read), WITHIN);
  const dateOf = async (url: string) => Date.parse((await fetch(url)).headers.get("date") ?? "");
  await inSimulatedTime(() => dateOf(`${service.url}/api/v0/instances/`));
  await inSimulatedTime(() => dateOf(`${github.url}/repos/octo/gpu-lib`));
  await inSimulatedTime(async () => {
    const env = { PATH: process.env.PATH, ...simulator.childEnv() };
    return Number((await promisify(execFile)(process.execPath, ["-p", "Date.now()"], { env })).stdout);
  });
});

test("ends what it has started when a part can't start, and leaves a folder that is given empty", async () => {
  using root = mkdtempDisposableSync(join(tmpdir(), "simulator-test-"));
  await using first = await startSimulator({ machines: false });
  const servicePort = Number(new URL(first.service.url).port);
  await expect(startSimulator({ root: root.path, servicePort })).rejects.toThrow("EADDRINUSE");
  expect(readdirSync(root.path)).toEqual([]);
});
