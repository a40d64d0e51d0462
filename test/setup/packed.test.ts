import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
// `SETUP_NODE=/usr/bin npx vitest run test/setup/packed.test.ts` runs it by the Node of that folder.
import { test } from "./support/setup-world.ts";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "packed-"));
  const words = ["scripts/pack-setup.mjs", folder, "acme/ephemeral-gpu-runner", COMMIT];
  execFileSync(process.execPath, words, { encoding: "utf8" });
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the packed file has the program, its licences, and nothing to download", () => {
  const file = join(folder, "setup.tgz");
  const names = execFileSync("tar", ["-tzf", file], { encoding: "utf8" }).trim().split("\n");
  expect(names.filter((name) => !/\.js$|\/$/.test(name)).sort()).toEqual(
    ["LICENSE", "licenses.txt", "package.json", "release.json"].map((name) => `package/${name}`),
  );
  const packed = JSON.parse(execFileSync("tar", ["-xzOf", file, "package/package.json"], { encoding: "utf8" }));
  expect(packed).toMatchObject({ engines: { node: ">=20.12" }, bin: { "ephemeral-gpu-runner": "index.js" } });
  expect(packed.dependencies).toBe(undefined);
  const licences = execFileSync("tar", ["-xzOf", file, "package/licenses.txt"], { encoding: "utf8" });
  for (const name of ["@clack/prompts", "yaml", "zod"]) expect(licences).toMatch(new RegExp(`^${name} \\S+ \\(`, "m"));
  expect(readFileSync(file).length).toBeLessThan(2_000_000);
});

test("npx runs it from an address, without a registry, at its release's commit", async ({ world }) => {
  const file = readFileSync(join(folder, "setup.tgz"));
  const server = createServer((_request, response) => response.end(file)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/setup.tgz`;
  const env = world.env({
    ACTION_REPOSITORY: undefined,
    // npx starts the program by a shell, and wants Node on PATH.
    PATH: `${join(world.folder, "bin")}:${process.env.SETUP_NODE ?? ""}:${process.env.PATH}`,
    NODE_OPTIONS: undefined,
    RUNNER_TOKEN: world.github.runnerToken,
    // Nothing answers there: a package that it lacked would be an error.
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_cache: join(world.folder, "npm"),
    npm_config_userconfig: join(world.folder, "npmrc"),
    npm_config_min_release_age: "0",
  });
  const child = spawn("npx", ["--yes", url, "--yes", "--commit", "none"], { cwd: world.repo, env });
  let said = "";
  for (const output of [child.stdout, child.stderr]) output.on("data", (bytes: Buffer) => (said += bytes));
  child.stdin.end();
  const [code] = await once(child, "close");
  server.close();
  expect(code, said).toBe(0);
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const use = `uses: acme/ephemeral-gpu-runner@${COMMIT} # v${version}`;
  expect(world.read(".github/workflows/gpu.yml")).toContain(use);
});
