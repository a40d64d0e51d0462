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

test.each(["observed", "seed"])("prints where all is, and curl lines that work, in the dialect %s", async (dialect) => {
  await using cli = await startCli("--dialect", dialect);
  const named = cli.lines.slice(0, 5).map((line) => line.replace(/\d+\.\d+\.\d+\.\d+:\d+/, "HERE").split(" "));
  expect(named.map(([name, value]) => `${name} ${value?.startsWith("http") ? value : "…"}`)).toEqual([
    ...["service http://HERE", "github http://HERE"],
    ...["api-key …", "github-token …", "job-token …"],
  ]);
  const [offers, instances, jobs, books] = await Promise.all(cli.curls.map(paste));
  expect(offers).toMatchObject({ offers: [{ gpu_name: "RTX 4090" }, {}, {}] });
  expect(instances).toMatchObject({ instances: [] });
  expect(jobs).toMatchObject({
    total_count: 2,
    jobs: [
      { name: "rent", status: "in_progress" },
      { name: "test", status: "queued", labels: ["gpu-1001-1"] },
    ],
  });
  expect(books).toMatchObject({ billingNow: [] });
});

test("takes ports and a scenario", async () => {
  const scenario = join(folder, "scenario.json");
  writeFileSync(
    scenario,
    JSON.stringify({ apiKey: "key-of-the-scenario", offers: [{ id: 77, gpu_name: "H100 SXM" }] }),
  );
  // Ports that were free a moment ago.
  const ports: string[] = [];
  {
    await using first = await startCli();
    for (const name of ["service", "github"]) ports.push(new URL(first.value(name)).port);
    first.child.kill("SIGTERM");
    await once(first.child, "exit");
  }
  const [service = "", github = ""] = ports;
  await using cli = await startCli("--service-port", service, "--github-port", github, "--scenario", scenario);
  expect(cli.value("service")).toBe(`http://127.0.0.1:${service}`);
  expect(cli.value("github")).toBe(`http://127.0.0.1:${github}`);
  expect(cli.value("api-key")).toBe("key-of-the-scenario");
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("ends everything on %s, machines included", async (signal) => {
  await using cli = await startCli("--factor", "100");
  const offers = (await paste(cli.curls[0] ?? "")) as { offers: { id: number }[] };
  const created = await fetch(`${cli.value("service")}/api/v0/asks/${offers.offers[0]?.id}/`, {
    method: "PUT",
    headers: { authorization: `Bearer ${cli.value("api-key")}`, "content-type": "application/json" },
    body: JSON.stringify({
      image: "debian:12",
      disk: 32,
      runtype: "ssh_direct",
      cancel_unavail: true,
      onstart: "setsid sleep 987654321 & sleep 987654321 &",
    }),
  });
  expect(created.status).toBe(200);
  const machines = () => findTagged(`SIM_MACHINE=${folder}/`);
  await expect.poll(() => machines().length).toBeGreaterThanOrEqual(3);
  cli.child.kill(signal);
  const [code] = await once(cli.child, "exit");
  expect(code).toBe(0);
  expect(machines()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

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
  const read = () => readOptions(["--scenario", file]);
  expect(read).toThrow(UsageError);
  expect(read).toThrow(/^--scenario .*scenario.json can't be used: ENOENT.*$/);
  writeFileSync(file, "{");
  expect(read).toThrow(/^--scenario .*scenario.json can't be used: .*JSON.*$/);
  writeFileSync(file, JSON.stringify({ offers: [{ id: 1, simulate: { machine: { gpu: 1 } } }] }));
  expect(read).toThrow(/^--scenario .* can't be used: offers\.0\.simulate\.machine: .*"gpu".*$/);
});

test("ends with such a sentence alone, and code 2; with 1 where a port is taken", async () => {
  const end = (...args: string[]) =>
    run(process.execPath, [CLI, ...args], { timeout: 150_000 }).catch((fault) => fault);
  expect(await end("--colour", "red")).toMatchObject({ code: 2, stdout: "", stderr: "Unknown option '--colour'.\n" });
  await using cli = await startCli();
  const taken = await end("--service-port", new URL(cli.value("service")).port);
  expect(taken).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("EADDRINUSE") });
});
