import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startSimulator } from "../../simulator/start-simulator.ts";
import { textOf } from "./support/repository.ts";

const run = promisify(execFile);

test("docs/troubleshooting.md: its lines show what a run left, and end the bill", async () => {
  const lines = Array.from(textOf("docs/troubleshooting.md").matchAll(/^curl .+$/gm), ([line]) => line);
  expect(lines.length).toBe(2);
  await using sim = await startSimulator({ machines: false });
  const { id } = sim.service.leaveBehind("ghr1.88.77-1.abc123.1.1795000000");
  const byHand = async (line = "") => {
    const command = line.replace("https://console.vast.ai", sim.service.url).replace("/ID/", `/${id}/`);
    const { stdout } = await run("bash", ["-c", command], { env: { PATH: process.env.PATH, KEY: sim.service.apiKey } });
    return stdout;
  };
  expect(await byHand(lines[0])).toContain(`"label":"ghr1.88.77-1.abc123.1.1795000000"`);
  expect(sim.service.books.billingNow().length).toBe(1);
  expect(await byHand(lines[1])).toContain(`"success":true`);
  expect(sim.service.books.billingNow().length).toBe(0);
});
