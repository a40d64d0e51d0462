// src → lib (tsc) → dist (ncc): ncc's own TypeScript loader breaks on TypeScript 7. dist holds one
// readable bundle, a chunk of it that is loaded when GitHub is first asked, and one two-line entry
// a step. `build.mjs FOLDER` builds into an empty folder instead.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { licencesOfDependencies } from "./licenses.mjs";

const ENTRIES = ["main", "post", "sweep"];
const LEFT_OUT = ["@actions/http-client", "@actions/exec"];
const out = process.argv[2] ?? "dist";

rmSync("lib", { recursive: true, force: true });
if (out === "dist") rmSync(out, { recursive: true, force: true });
execFileSync("tsc", ["-p", "scripts/tsconfig/build.json"], { stdio: "inherit" });
// Packed here, once: dist has the texts as they are sent, and no code that makes them.
const packed = Object.entries(await import("../lib/machine/script/packed.js"));
const constants = packed.map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};\n`);
writeFileSync("lib/machine/script/packed.js", constants.join(""));
// A copy of @actions/core within lib, where it finds stand-ins for what it would load at each start
// and never use here.
cpSync("node_modules/@actions/core", "lib/node_modules/@actions/core", { recursive: true });
for (const name of LEFT_OUT) cpSync("scripts/left-out", `lib/node_modules/${name}`, { recursive: true });
execFileSync("ncc", ["build", "lib/bundle.js", "--out", out, "--no-cache", "--quiet"], { stdio: "inherit" });
writeFileSync(`${out}/licenses.txt`, licencesOfDependencies());
for (const entry of ENTRIES) {
  writeFileSync(`${out}/${entry}.js`, `import { ${entry} } from "./index.js";\nawait ${entry}();\n`);
}
const files = readdirSync(out);
for (const file of files.filter((name) => name.endsWith(".js"))) {
  // A path of the machine that built it would make every build differ.
  if (readFileSync(`${out}/${file}`, "utf8").includes(process.cwd()))
    throw new Error(`${out}/${file} names this folder.`);
}
const bytes = files.reduce((sum, file) => sum + statSync(`${out}/${file}`).size, 0);
console.log(`${out}: ${files.length} files, ${(bytes / 1e6).toFixed(2)} MB`);
