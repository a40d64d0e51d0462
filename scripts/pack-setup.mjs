// Packs the set-up program for `npx`: one bundle that needs Node 20.12 and nothing else. The same bytes
// wherever and whenever. Usage: pack-setup.mjs FOLDER [OWNER/NAME COMMIT], the latter of a release.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { licencesOf } from "./licenses.mjs";

const [folder = "", repository, commit] = process.argv.slice(2);
if (folder === "" || (commit !== undefined && !/^[0-9a-f]{40}$/.test(commit)))
  throw new Error("Usage: pack-setup.mjs FOLDER [OWNER/NAME COMMIT], with 40 hex digits");

const BUNDLED = [
  "@clack/core",
  "@clack/prompts",
  "fast-string-truncated-width",
  "fast-string-width",
  "fast-wrap-ansi",
  "sisteransi",
  "undici-of-node-20",
  "yaml",
  "zod",
];
const work = ".tmp/setup";
const out = `${work}/package`;
const { version } = JSON.parse(readFileSync("package.json", "utf8"));

rmSync(work, { recursive: true, force: true });
execFileSync("tsc", ["-p", "scripts/tsconfig/setup.json"], { stdio: "inherit" });
// The action's own undici wants a newer Node than people have.
cpSync("node_modules/undici-of-node-20", `${work}/lib/node_modules/undici`, { recursive: true });
execFileSync("ncc", ["build", `${work}/lib/setup/main.js`, "--out", out, "--no-cache", "--quiet"], {
  stdio: "inherit",
});
const bundle = readFileSync(`${out}/index.js`, "utf8");
if (bundle.includes(process.cwd())) throw new Error("The bundle names this folder.");
writeFileSync(`${out}/index.js`, `#!/usr/bin/env node\n${bundle}`, { mode: 0o755 });
writeJson("package.json", {
  name: "ephemeral-gpu-runner-setup",
  version,
  description: "From nothing to a green GPU job, by one command.",
  license: "MIT",
  type: "module",
  bin: { "ephemeral-gpu-runner": "index.js" },
  engines: { node: ">=20.12" },
});
writeJson("release.json", { version, ...(repository && { repository }), ...(commit && { commit }) });
cpSync("LICENSE", `${out}/LICENSE`);
writeFileSync(
  `${out}/licenses.txt`,
  licencesOf((path) => BUNDLED.includes(path.replace("node_modules/", ""))),
);

mkdirSync(folder, { recursive: true });
const tar = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
const packed = execFileSync("tar", [...tar, "-C", work, "-cf", "-", "package"], { maxBuffer: 64e6 });
writeFileSync(`${folder}/setup.tgz`, execFileSync("gzip", ["-9n"], { input: packed, maxBuffer: 64e6 }));
console.log(`${resolve(folder)}/setup.tgz`);

function writeJson(name, value) {
  writeFileSync(`${out}/${name}`, `${JSON.stringify(value, undefined, 2)}\n`);
}
