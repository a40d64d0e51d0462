import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { section } from "../repo/support/markdown.ts";
import { ROOT, textOf } from "../repo/support/repository.ts";
import { DIALECTS } from "./support/service-under-contract.ts";

const run = promisify(execFile);
const folder = realpathSync(mkdtempSync(join(tmpdir(), "client-package-")));
const user = join(folder, "user");
const installed = join(user, "node_modules/ephemeral-gpu-runner");
const SLOW = 120_000;

/** Needed by the client at run time, or for its types; nothing else is installed beside it. */
const NEEDED = ["undici", "zod", "@types", "undici-types"];

function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`, ...more };
}

/** Packs a copy of the repository, so that no build beside it is disturbed, and unpacks that. */
async function install(): Promise<void> {
  const source = join(folder, "source");
  for (const path of ["package.json", "tsconfig.json", "README.md", "LICENSE", "docs", "scripts", "src", "client"]) {
    cpSync(join(ROOT, path), join(source, path), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(source, "node_modules"));
  const pack = ["pack", "--ignore-scripts=false", "--pack-destination", folder];
  await run("npm", pack, { cwd: source, env: environment() });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  mkdirSync(installed, { recursive: true });
  await run("tar", ["-xzf", join(folder, tarball), "--strip-components=1", "-C", installed]);
  for (const name of NEEDED) symlinkSync(join(ROOT, "node_modules", name), join(user, "node_modules", name));
}

/** The lines of a page, which are as good JavaScript as TypeScript. */
function linesOf(page: string, heading: string): string {
  const code = /```ts\n(.*?)```/s.exec(section(textOf(page), heading))?.[1];
  if (code === undefined) throw new Error(`${page} has no example.`);
  return code;
}

const EXAMPLE = linesOf("docs/client.md", "## Rent, wait, give back");
const VOLUME = linesOf("docs/client.md", "## Make a volume");

beforeAll(async () => {
  await install();
  for (const ending of ["mjs", "mts"]) {
    writeFileSync(join(user, `example.${ending}`), EXAMPLE);
    writeFileSync(join(user, `volume.${ending}`), VOLUME);
  }
}, SLOW);

afterAll(() => rmSync(folder, { recursive: true }));

test("the package holds the client, its page and its types, and nothing of the action", () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
  const allowed =
    /^(lib\/client\/(client|src\/(marketplace(\/vast)?|shared))\/[a-z-]+\.(js|d\.ts)|docs\/client\.md|README\.md|LICENSE|package\.json)$/;
  expect(files).toContain("lib/client/client/client.d.ts");
  expect(files.filter((file) => !allowed.test(file))).toEqual([]);
});

test("the page names the oldest Node that undici runs on", () => {
  const { engines } = JSON.parse(textOf("node_modules/undici/package.json")) as { engines: { node: string } };
  const [, oldest] = /^>=(\d+\.\d+)\.0$/.exec(engines.node) ?? [];
  expect(textOf("docs/client.md")).toContain(`It needs Node ${oldest} or newer,`);
});

test("the example has twenty lines, and the compiler finds nothing in it and in the recipe's", {
  timeout: SLOW,
}, async () => {
  expect(EXAMPLE.match(/^.+$/gm)).toHaveLength(20);
  // That it finds nothing says something only if the types are there.
  writeFileSync(join(user, "wrong.mts"), EXAMPLE.replaceAll("dph_total", "no_such_field.length"));
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--types", "node"];
  const files = ["--lib", "es2024,esnext.disposable", "example.mts", "volume.mts", "wrong.mts"];
  const { stdout } = await run("tsc", [...options, ...files], { cwd: user, env: environment() }).catch(
    (fault) => fault,
  );
  expect(stdout).toContain("'offer.no_such_field'");
  expect(stdout).not.toMatch(/(?:example|volume)\.mts/);
});

/** Runs a page's lines against this world; what they print. */
async function runPage(sim: Simulator, file: string): Promise<string> {
  const { url, apiKey } = sim.service;
  const env = environment({ ...sim.childEnv(), SERVICE_URL: url, SERVICE_API_KEY: apiKey });
  return (await run(process.execPath, [file], { cwd: user, env })).stdout;
}

test.each(DIALECTS)(
  "the example rents, waits until it runs, and leaves nothing behind: %s",
  { timeout: SLOW },
  async (dialect) => {
    await using sim = await startSimulator({ dialect, factor: 20 });
    const said = await runPage(sim, "example.mjs");
    // Its first look is at one of the states before it runs, by how fast this computer is.
    expect(said).toMatch(/^instance \d+ at [\d.]+ USD per hour: (provisioning|created|loading)$/m);
    expect(said).toMatch(/USD per hour: running\n$/);
    expect(sim.service.instances()).toHaveLength(1);
    expect(sim.service.journal.strays().map(({ path }) => path)).toEqual([]);
    expect(sim.service.books.billingNow()).toEqual([]);
  },
);

test("the recipe's lines make one volume, on the most reliable machine that fits", { timeout: SLOW }, async () => {
  const hosts: [machine: number, price: number, reliability: number, storage: number][] = [
    [501, 0.2, 0.97, 0.1],
    [502, 0.3, 0.99, 0.15],
    [503, 0.3, 0.999, 0.3],
  ];
  const offers = hosts.map(([id, dph_base, reliability]) => ({ id, machine_id: id, dph_base, reliability }));
  const room = { disk_space: 500 };
  const volumeOffers = hosts.map(([id, , , storage_cost]) => ({ id: id + 500, machine_id: id, ...room, storage_cost }));
  await using sim = await startSimulator({ dialect: "observed", factor: 20, scenario: { offers, volumeOffers } });
  const said = await runPage(sim, "volume.mjs");
  const [made, ...others] = sim.service.books.volumesNow();
  expect([made?.machine_id, others]).toEqual([502, []]);
  expect(said).toBe(`volume-id: ${made?.id} # on machine 502, for 15.00 USD a month\n`);
  expect(sim.service.instances()).toEqual([]);
});
