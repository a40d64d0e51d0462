import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesIn, foldersIn, ROOT } from "./support/repository.ts";

/** The one file of the service room that another room shares: nothing of the service is in it. */
const LOOPBACK = "what counts as this machine";

/** What a file may want to use. A path stands for the room that it is in. */
const WANTED: Record<string, string> = {
  action: "src/action/run-main.ts",
  provisioning: "src/provisioning/renter.ts",
  holding: "src/holding/hold.ts",
  github: "src/github/run-jobs.ts",
  service: "src/service/service-client.ts",
  onstart: "src/onstart/pack-onstart.ts",
  registry: "src/registry/image-size.ts",
  [LOOPBACK]: "src/service/loopback.ts",
  time: "src/time/clock.ts",
  root: "src/known-error.ts",
  entry: "src/main.ts",
  simulator: "simulator/start-simulator.ts",
  test: "test/support/use-of-action.ts",
  "@actions/core": "@actions/core",
  "@actions/github": "@actions/github",
  undici: "undici",
  zod: "zod",
  node: "node:fs/promises",
  "a package that nobody chose": "left-pad",
};

/** src/README.md as a table: where a file lies, and what it may use. */
const MAY_USE: Record<string, string[]> = {
  "src/main.ts": ["action"],
  "src/post.ts": ["action"],
  "src/sweep.ts": ["action"],
  "src/bundle.ts": ["entry"],
  "src/known-error.ts": [],
  "src/log.ts": [],
  "src/foreign-text.ts": [],
  "src/action/planted.ts": [
    "action",
    "provisioning",
    "holding",
    "github",
    "service",
    "onstart",
    "registry",
    LOOPBACK,
    "time",
    "root",
    "@actions/core",
    "zod",
    "node",
  ],
  "src/provisioning/planted.ts": ["provisioning", "service", LOOPBACK, "time", "root", "node"],
  "src/holding/planted.ts": ["holding", "time", "root", "node"],
  "src/github/planted.ts": ["github", "time", "root", "@actions/github", "zod", "node"],
  "src/service/planted.ts": ["service", LOOPBACK, "time", "root", "undici", "zod", "node"],
  "src/service/endpoints/planted.ts": ["service", LOOPBACK, "zod", "node"],
  "src/registry/planted.ts": ["registry", LOOPBACK, "root", "undici", "zod", "node"],
  "src/onstart/planted.ts": ["onstart", "root", "node"],
  "src/time/planted.ts": ["time", "node"],
  "simulator/service/operations/planted.ts": ["simulator", "zod", "node"],
};

const READS_ENV = ["src/action/planted.ts", "simulator/service/operations/planted.ts"];
const folder = realpathSync(mkdtempSync(join(tmpdir(), "walls-")));
/** What the linter found, as `file:line`. */
let walls: Set<string>;
let envReads: Set<string>;

/** One line a wish, so that a line is a wish; the last reads the environment. */
function plantedText(place: string): string {
  const specifiers = Object.values(WANTED).map((wanted) => {
    if (!/^(src|simulator|test)\//.test(wanted)) return wanted;
    const path = relative(dirname(place), wanted);
    return path.startsWith(".") ? path : `./${path}`;
  });
  const imports = specifiers.map((specifier, index) => `import type { Wanted as Wanted${index} } from "${specifier}";`);
  return [...imports, "export const home = process.env.HOME;", ""].join("\n");
}

/** The linter ends with 1 when it finds something, which is what we want. */
function lint(): string {
  try {
    return execFileSync(
      join(ROOT, "node_modules/.bin/biome"),
      ["lint", "--reporter=github", "--max-diagnostics=none", "."],
      {
        cwd: folder,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}

function found(report: string, rule: string): Set<string> {
  const pattern = new RegExp(`title=lint/style/${rule},file=([^,]+),line=(\\d+)`, "g");
  return new Set(Array.from(report.matchAll(pattern), ([, file = "", line]) => `${relative(folder, file)}:${line}`));
}

beforeAll(() => {
  for (const file of ["biome.json", ".gitignore"]) cpSync(join(ROOT, file), join(folder, file));
  for (const place of Object.keys(MAY_USE)) {
    mkdirSync(join(folder, dirname(place)), { recursive: true });
    writeFileSync(join(folder, place), plantedText(place));
  }
  const report = lint();
  walls = found(report, "noRestrictedImports");
  envReads = found(report, "noProcessEnv");
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each(Object.entries(MAY_USE))("%s may use its own rooms and packages, no others", (place, allowed) => {
  const open = Object.keys(WANTED).filter((_, index) => !walls.has(`${place}:${index + 1}`));
  expect(open).toEqual(Object.keys(WANTED).filter((wanted) => allowed.includes(wanted)));
});

test("only the action room and the simulator read the environment", () => {
  const line = Object.keys(WANTED).length + 1;
  expect(Object.keys(MAY_USE).filter((place) => !envReads.has(`${place}:${line}`))).toEqual(READS_ENV);
});

test("every room and every entry has its wall", () => {
  const places = Object.keys(MAY_USE);
  expect(foldersIn("src").filter((room) => !places.some((place) => place.startsWith(`${room}/`)))).toEqual([]);
  const entries = filesIn("src", ".ts").filter((file) => file.split("/").length === 2);
  expect(entries.filter((file) => !places.includes(file))).toEqual([]);
});
