// Format, lint, types and walls, side by side. `check.mjs --sizes` prints the files and lines of each
// room instead, and how many decisions of a kind the fleet has.
import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";

const CHECKS = ["node scripts/walls.mjs", "biome ci .", "tsc -p tsconfig.json"];

function run(command) {
  const [program, ...options] = command.split(" ");
  const { promise, resolve } = Promise.withResolvers();
  spawn(program, options, { stdio: "inherit" }).once("close", resolve);
  return promise;
}

/** Prints the files and lines of each folder, those of folders inside it included. */
function printSizes() {
  const sizes = new Map();
  for (const file of globSync("{src,client,onstart,setup,simulator,test,scripts}/**/*.{ts,mjs,sh}")) {
    const lines = readFileSync(file, "utf8").split("\n").length - 1;
    const [top, room, inner] = file.split("/").slice(0, -1);
    const folders = top === "src" ? [top, room && `${top}/${room}`, inner && `${top}/${room}/${inner}`] : [top];
    for (const folder of folders.filter(Boolean)) {
      const { files = 0, lines: before = 0 } = sizes.get(folder) ?? {};
      sizes.set(folder, { files: files + 1, lines: before + lines });
    }
  }
  console.table(Object.fromEntries([...sizes].sort()));
}

/**
 * Functions that answer yes or no, and times that are written as numbers, wherever: in a constant, a row of a table or a
 * sum. Each is a decision of its own. What names another one, or is computed of it, is none.
 */
const DECISIONS = {
  predicates: /^(?:export )?function (?:(?!^\}$)[\s\S])*?\): (?:boolean|\w+ is [^{]+) \{$/gm,
  times: /(?:_MS = |: |[-+*] )\d[\d_]{2,}\b|\b\d+ \* (?:SECOND|MINUTE|HOUR|DAY)/g,
};

const COMMENTS = /\/\*[\s\S]*?\*\/|\/\/.*$/gm;

/** Prints how many decisions of each kind the fleet has. */
function printDecisions() {
  const text = globSync("src/fleet/**/*.ts").map((file) => readFileSync(file, "utf8").replace(COMMENTS, ""));
  const count = (pattern) => text.reduce((sum, each) => sum + (each.match(pattern)?.length ?? 0), 0);
  console.table({ "src/fleet": Object.fromEntries(Object.entries(DECISIONS).map(([kind, of]) => [kind, count(of)])) });
}

if (process.argv.includes("--sizes")) {
  printSizes();
  printDecisions();
} else process.exitCode = Math.max(...(await Promise.all(CHECKS.map(run))).map((code) => code ?? 1));
