// src → lib (tsc) → dist (ncc): ncc's own TypeScript loader breaks on TypeScript 7. dist holds one readable bundle, a chunk of it that
// is loaded when GitHub is first asked, and one two-line entry a step.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";

const ENTRIES = ["main", "post"];

rmSync("lib", { recursive: true, force: true });
rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
execFileSync("ncc", ["build", "lib/bundle.js", "--out", "dist", "--license", "licenses.txt", "--quiet"], { stdio: "inherit" });
for (const entry of ENTRIES) {
  writeFileSync(`dist/${entry}.js`, `import { ${entry} } from "./index.js";\nawait ${entry}();\n`);
}
const files = readdirSync("dist");
for (const file of files.filter((name) => name.endsWith(".js"))) {
  // A path of the machine that built it would make every build differ.
  if (readFileSync(`dist/${file}`, "utf8").includes(process.cwd())) throw new Error(`dist/${file} names this folder.`);
}
const bytes = files.reduce((sum, file) => sum + statSync(`dist/${file}`).size, 0);
console.log(`dist: ${files.length} files, ${(bytes / 1e6).toFixed(2)} MB`);
