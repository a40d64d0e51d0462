import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesIn, foldersIn, ROOT, textOf } from "./support/repository.ts";

/** Wanted by a file somewhere. A path stands for the room that it is in. */
const WANTED: Record<string, string> = {
  action: "src/action/run-main.ts",
  check: "src/action/check/check-only.ts",
  request: "src/action/request/fleet-request.ts",
  leaving: "src/action/leaving/leave-run.ts",
  report: "src/action/report/summary.ts",
  receipt: "src/action/receipt/receipt.ts",
  inputs: "src/action/inputs/inputs.ts",
  platform: "src/action/platform/ledger.ts",
  fleet: "src/fleet/run-fleet.ts",
  observe: "src/fleet/observe/observe.ts",
  plan: "src/fleet/plan/plan.ts",
  state: "src/fleet/state/fleet.ts",
  machine: "src/machine/label.ts",
  rent: "src/machine/rent/rent.ts",
  destroy: "src/machine/destroy/destroy.ts",
  market: "src/market/search.ts",
  rules: "src/market/rules/offer-rules.ts",
  history: "src/market/history/history.ts",
  money: "src/money/cost.ts",
  limits: "src/limits/lifetime.ts",
  jobs: "src/jobs/gpu-jobs.ts",
  sweep: "src/sweep/sweep.ts",
  github: "src/github/github-client.ts",
  runners: "src/github/runners/runners.ts",
  runs: "src/github/runs/runs.ts",
  service: "src/service/service-client.ts",
  onstart: "src/onstart/pack-onstart.ts",
  registry: "src/registry/image-size.ts",
  http: "src/http/loopback.ts",
  text: "src/text/foreign-text.ts",
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

const ROOMS = Object.keys(WANTED).slice(0, Object.keys(WANTED).indexOf("root"));

test("what a file may want to use is there", () => {
  const paths = Object.values(WANTED).filter((wanted) => wanted.endsWith(".ts"));
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

/** src/README.md as a table: where a file lies, and what it may use. */
const MAY_USE: Record<string, string[]> = {
  "src/main.ts": ["action", "check", "request", "leaving", "report", "receipt", "inputs", "platform"],
  "src/post.ts": ["action", "check", "request", "leaving", "report", "receipt", "inputs", "platform"],
  "src/sweep.ts": ["action", "check", "request", "leaving", "report", "receipt", "inputs", "platform"],
  "src/bundle.ts": ["entry"],
  "src/known-error.ts": [],
  "src/log.ts": [],
  "src/action/planted.ts": [...ROOMS, "root", "node", "zod"],
  "src/action/check/planted.ts": [
    "check",
    "request",
    "inputs",
    "platform",
    "report",
    "market",
    "history",
    "money",
    "limits",
    "state",
    "service",
    "http",
    "text",
    "time",
    "root",
    "node",
  ],
  "src/action/request/planted.ts": [
    "request",
    "inputs",
    "platform",
    "state",
    "market",
    "rules",
    "rent",
    "money",
    "onstart",
    "limits",
    "registry",
    "runners",
    "service",
    "http",
    "text",
    "time",
    "root",
    "node",
  ],
  "src/action/leaving/planted.ts": [
    "leaving",
    "platform",
    "inputs",
    "report",
    "state",
    "jobs",
    "machine",
    "destroy",
    "github",
    "runners",
    "runs",
    "http",
    "text",
    "time",
    "root",
    "node",
  ],
  "src/action/receipt/planted.ts": [
    "receipt",
    "inputs",
    "state",
    "machine",
    "money",
    "service",
    "http",
    "text",
    "time",
    "root",
    "node",
    "@actions/core",
    "zod",
  ],
  "src/action/report/planted.ts": [
    "report",
    "receipt",
    "platform",
    "inputs",
    "plan",
    "state",
    "sweep",
    "jobs",
    "machine",
    "destroy",
    "money",
    "http",
    "text",
    "time",
    "root",
    "node",
    "@actions/core",
  ],
  "src/action/inputs/planted.ts": [
    "inputs",
    "platform",
    "rules",
    "onstart",
    "registry",
    "service",
    "http",
    "text",
    "time",
    "root",
    "node",
    "@actions/core",
    "zod",
  ],
  "src/action/platform/planted.ts": [
    "platform",
    "github",
    "runners",
    "runs",
    "service",
    "machine",
    "history",
    "http",
    "text",
    "time",
    "root",
    "node",
    "@actions/core",
    "zod",
  ],
  "src/fleet/planted.ts": [
    "fleet",
    "observe",
    "plan",
    "state",
    "machine",
    "rent",
    "destroy",
    "market",
    "rules",
    "history",
    "money",
    "jobs",
    "limits",
    "http",
    "text",
    "time",
    "root",
    "node",
  ],
  "src/fleet/observe/planted.ts": [
    "observe",
    "plan",
    "state",
    "machine",
    "history",
    "jobs",
    "service",
    "http",
    "text",
    "time",
    "root",
    "node",
  ],
  "src/fleet/plan/planted.ts": ["plan", "state", "market", "history", "jobs", "http", "text", "time", "root", "node"],
  "src/fleet/state/planted.ts": [
    "state",
    "machine",
    "rent",
    "market",
    "rules",
    "money",
    "jobs",
    "limits",
    "http",
    "text",
    "time",
    "root",
    "node",
  ],
  "src/machine/planted.ts": [
    "machine",
    "rent",
    "destroy",
    "service",
    "money",
    "http",
    "text",
    "time",
    "root",
    "node",
    "zod",
  ],
  "src/machine/rent/planted.ts": [
    "rent",
    "service",
    "money",
    "limits",
    "machine",
    "http",
    "text",
    "time",
    "root",
    "node",
  ],
  "src/machine/destroy/planted.ts": ["destroy", "service", "machine", "http", "text", "time", "root", "node"],
  "src/market/planted.ts": ["market", "rules", "history", "service", "money", "http", "text", "time", "root", "node"],
  "src/market/rules/planted.ts": ["rules", "history", "service", "money", "http", "text", "time", "root", "node"],
  "src/market/history/planted.ts": [
    "history",
    "service",
    "limits",
    "money",
    "http",
    "text",
    "time",
    "root",
    "node",
    "zod",
  ],
  "src/money/planted.ts": ["money", "limits", "service", "http", "text", "time", "root", "node"],
  "src/limits/planted.ts": ["limits", "service", "http", "text", "time", "root", "node"],
  "src/jobs/planted.ts": ["jobs", "http", "text", "time", "root", "node"],
  "src/sweep/planted.ts": [
    "sweep",
    "machine",
    "destroy",
    "github",
    "runs",
    "service",
    "http",
    "text",
    "time",
    "root",
    "node",
  ],
  "src/github/planted.ts": [
    "github",
    "runners",
    "runs",
    "http",
    "text",
    "time",
    "root",
    "node",
    "@actions/github",
    "zod",
  ],
  "src/github/runners/planted.ts": ["runners", "github", "http", "text", "time", "root", "node", "zod"],
  "src/github/runs/planted.ts": ["runs", "github", "http", "text", "time", "root", "node", "zod"],
  "src/service/planted.ts": ["service", "http", "text", "time", "root", "node", "zod"],
  "src/service/endpoints/planted.ts": ["service", "zod", "node"],
  "src/service/account/planted.ts": ["service", "http", "text", "time", "root", "node"],
  "src/registry/planted.ts": ["registry", "http", "text", "time", "root", "node", "zod"],
  "src/onstart/planted.ts": ["onstart", "http", "text", "time", "root", "node"],
  "src/http/planted.ts": ["http", "root", "node", "undici"],
  "src/text/planted.ts": ["text", "node"],
  "src/time/planted.ts": ["time", "node"],
  "simulator/machine/planted.ts": ["simulator", "zod", "node"],
  "simulator/service/operations/keys/planted.ts": ["zod", "node"],
};

const READS_ENV = [
  ...["src/action", "src/action/check", "src/action/request", "src/action/leaving"].map(planted),
  ...["src/action/receipt", "src/action/report", "src/action/inputs", "src/action/platform"].map(planted),
  ...["simulator/machine", "simulator/service/operations/keys"].map(planted),
];

function planted(room: string): string {
  return `${room}/planted.ts`;
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), "walls-")));
/** The linter's findings, as `file:line`. */
let walls: Set<string>;
let envReads: Set<string>;
let circles: Set<string>;

const CIRCLE = [
  ["src/time/one.ts", "src/time/other.ts"],
  ["src/time/other.ts", "src/time/one.ts"],
] as const;

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

function found(report: string, rule: string, group = "style"): Set<string> {
  const pattern = new RegExp(`title=lint/${group}/${rule},file=([^,]+),line=(\\d+)`, "g");
  return new Set(Array.from(report.matchAll(pattern), ([, file = "", line]) => `${relative(folder, file)}:${line}`));
}

beforeAll(() => {
  for (const file of ["biome.json", ".gitignore"]) cpSync(join(ROOT, file), join(folder, file));
  for (const place of Object.keys(MAY_USE)) {
    mkdirSync(join(folder, dirname(place)), { recursive: true });
    writeFileSync(join(folder, place), plantedText(place));
  }
  // Types alone are a circle, too: neither file can be read before the other.
  for (const [one, other] of CIRCLE)
    writeFileSync(join(folder, one), `import type { A } from "./${basename(other)}";\nexport type { A };\n`);
  const report = lint();
  circles = found(report, "noImportCycles", "suspicious");
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

test("no two files import each other", () => {
  expect([...circles]).toEqual(expect.arrayContaining(CIRCLE.map(([one]) => `${one}:1`)));
});

test("every room and every entry has its wall", () => {
  const places = Object.keys(MAY_USE);
  expect(foldersIn("src").filter((room) => !places.some((place) => place.startsWith(`${room}/`)))).toEqual([]);
  const entries = filesIn("src", ".ts").filter((file) => file.split("/").length === 2);
  expect(entries.filter((file) => !places.includes(file))).toEqual([]);
});

/** Rooms whose doors are their own: not the story of an action, and not those that are for all. */
const OWN_DOORS = Object.keys(MAY_USE).filter((place) => place.startsWith("src/") && place.split("/").length > 2);
const FOR_ALL = ["http", "text", "time", "root", "node"];

test.each(OWN_DOORS.filter((place) => place !== planted("src/action")))("%s has no door that nobody uses", (place) => {
  const room = dirname(place);
  const files = filesIn(room, ".ts");
  const used = files.flatMap((file) =>
    Array.from(textOf(file).matchAll(/ from "([^"]+)"/g), ([, to = ""]) =>
      to.startsWith(".") ? join(file, "..", to) : to,
    ),
  );
  const isUsed = (wanted: string) => {
    const path = WANTED[wanted] ?? "";
    if (!path.startsWith("src/")) return used.includes(path);
    return dirname(path) === room || used.some((to) => to.startsWith(`${dirname(path)}/`));
  };
  expect(MAY_USE[place]?.filter((wanted) => !FOR_ALL.includes(wanted) && !isUsed(wanted))).toEqual([]);
});
