import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
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

test("keeps the machines in a folder that is given, and leaves that folder empty", async () => {
  const root = mkdtempSync(join(tmpdir(), "simulator-test-"));
  {
    await using simulator = await startSimulator({ root });
    expect(simulator.machines?.root(1).startsWith(root)).toBe(true);
  }
  expect(readdirSync(root)).toEqual([]);
  rmSync(root, { recursive: true });
});

test("ends what it has started when a part can't start", async () => {
  const root = mkdtempSync(join(tmpdir(), "simulator-test-"));
  await using first = await startSimulator({ machines: false });
  const servicePort = Number(new URL(first.service.url).port);
  const { port } = new URL((await startAndEnd()).url);
  await expect(startSimulator({ root, servicePort, githubPort: Number(port) })).rejects.toThrow("EADDRINUSE");
  expect(existsSync(root) ? readdirSync(root) : []).toEqual([]);
  // The stand-in for GitHub, which had started, is gone again: its port is free.
  await using second = await startSimulator({ machines: false, githubPort: Number(port) });
  expect(second.github.url).toContain(`:${port}`);
  rmSync(root, { recursive: true });
});

/** Finds a port that is free. */
async function startAndEnd(): Promise<{ url: string }> {
  await using simulator = await startSimulator({ machines: false });
  return { url: simulator.github.url };
}
