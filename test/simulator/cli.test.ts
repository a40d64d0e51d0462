import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readOptions } from "../../simulator/cli-options.ts";
import { findTagged } from "../../simulator/machine/tagged-processes.ts";
import { UsageError } from "../../simulator/scenario/read-scenario.ts";

const CLI = new URL("../../simulator/cli.ts", import.meta.url).pathname;
const run = promisify(execFile);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cli-test-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the command as a person does, and waits for its nine lines; the test's end kills it. */
async function startCli(...args: string[]) {
  // Its temporary files go into the folder of the test, so that what it leaves can be seen.
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, TMPDIR: folder };
  const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  await expect.poll(() => (child.exitCode === null ? lines.length : log)).toBe(9);
  const value = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.split(" ")[1] ?? "";
  const curls = lines.filter((line) => line.startsWith("curl "));
  return {
    ...{ child, lines, value, curls, log: () => log },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
    },
  };
}

/** Pastes a line into a shell. */
async function paste(line: string): Promise<unknown> {
  return JSON.parse((await run("bash", ["-c", line])).stdout);
}

test("takes ports and a scenario", () => {
  const file = join(folder, "scenario.json");
  writeFileSync(file, JSON.stringify({ apiKey: "key-of-the-scenario", offers: [{ id: 77 }] }));
  const read = readOptions(["--service-port", "8001", "--github-port=8002", "--factor", "20", "--scenario", file]);
  const scenario = { apiKey: "key-of-the-scenario", offers: [{ id: 77 }] };
  expect(read).toMatchObject({ servicePort: 8001, githubPort: 8002, factor: 20, scenario });
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "prints where all is, and ends it on %s, machines included",
  async (signal) => {
    await using cli = await startCli("--factor", "100");
    expect(cli.lines.slice(0, 5).map((line) => line.split(" ")[0])).toEqual([
      ...["service", "github", "api-key", "github-token", "job-token"],
    ]);
    const answers = (await Promise.all(cli.curls.map(paste))) as [{ offers: { id: number }[] }, ...object[]];
    expect(answers).toMatchObject([
      { offers: [{}, {}, {}] },
      { instances: [] },
      { total_count: 2 },
      { billingNow: [] },
    ]);
    const created = await fetch(`${cli.value("service")}/api/v0/asks/${answers[0].offers[0]?.id}/`, {
      method: "PUT",
      headers: { authorization: `Bearer ${cli.value("api-key")}`, "content-type": "application/json" },
      body: JSON.stringify({ image: "debian:12", onstart: "setsid sleep 987654321 & sleep 987654321 &" }),
    });
    expect(created.status).toBe(200);
    const machines = () => findTagged(`SIM_MACHINE=${folder}/`);
    await expect.poll(() => machines().length).toBeGreaterThanOrEqual(3);
    cli.child.kill(signal);
    expect(await once(cli.child, "exit")).toEqual([0, null]);
    expect([machines(), readdirSync(folder)]).toEqual([[], []]);
  },
);

test.each([
  [["--colour", "red"], "Unknown option '--colour'."],
  [["seed"], "Unexpected argument 'seed'."],
  [["--factor"], "Option '--factor <value>' argument missing."],
  [["--factor", "fast"], "--factor must be a number above 0, at most 10000."],
  [["--factor=0"], "--factor must be a number above 0, at most 10000."],
  [["--service-port="], "--service-port must be a port from 0 to 65535."],
  [["--github-port", "65536"], "--github-port must be a port from 0 to 65535."],
  [["--dialect", "latin"], "--dialect must be seed or observed."],
])("refuses %j with one sentence", (args, sentence) => {
  expect(() => readOptions(args)).toThrow(new UsageError(sentence));
});

test("refuses a scenario that is not there, not JSON, or has a typo, with one sentence", () => {
  const file = join(folder, "scenario.json");
  for (const [text, why] of [
    [undefined, "ENOENT.*"],
    ["{", ".*JSON.*"],
    ['{"offers": [{"id": 1, "simulate": {"machine": {"gpu": 1}}}]}', 'offers\\.0\\.simulate\\.machine: .*"gpu".*'],
  ]) {
    if (text !== undefined) writeFileSync(file, text);
    expect(() => readOptions(["--scenario", file])).toThrow(new RegExp(`^--scenario .*can't be used: ${why}$`));
  }
});

test("ends with such a sentence alone, and code 2", async () => {
  const ended = await run(process.execPath, [CLI, "--colour", "red"]).catch((fault) => fault);
  expect(ended).toMatchObject({ code: 2, stdout: "", stderr: "Unknown option '--colour'.\n" });
});
