// Which room of src/ may import which, as one table. Writes the linter's rules into biome.walls.json;
// with `--check` it says instead whether that file is what the table makes.
import { readFileSync, writeFileSync } from "node:fs";

const FILE = "biome.walls.json";

/** Each room and what it may import in addition to itself: other rooms, packages, and `node`. From the bottom up. */
const WALLS = {
  shared: ["undici", "node"],
  marketplace: ["shared"],
  vast: ["marketplace", "shared", "zod", "node"],
  registry: ["shared", "zod", "node"],
  github: ["shared", "@actions/github", "zod", "node"],
  money: ["marketplace", "shared", "node"],
  market: ["money", "marketplace", "shared", "zod", "node"],
  "machine-script": ["shared", "node"],
  create: ["money", "machine-script", "github", "marketplace", "shared", "zod", "node"],
  fleet: ["create", "market", "money", "github", "marketplace", "shared", "node"],
  teardown: ["fleet", "create", "github", "marketplace", "shared", "zod", "node"],
  sweep: ["create", "github", "marketplace", "shared", "node"],
  report: ["teardown", "sweep", "fleet", "create", "market", "money", "github", "shared", "node"],
};

/** The folders inside a room, which open to each other. */
const INNER = { fleet: ["decide"] };

const PACKAGES = {
  "@actions/core": ["!@actions/core"],
  "@actions/github": ["!@actions/github", "!@actions/github/**"],
  undici: ["!undici"],
  zod: ["!zod"],
};
const MESSAGE = "A wall: the table in scripts/walls.mjs says which room may use which.";

/** Files of the same room are always open to each other; `../x.ts` is the room of a folder inside it. */
function patternsOf(room, mayUse) {
  const rooms = [...mayUse.filter((name) => name in WALLS || name === "action"), room];
  const open = rooms.flatMap((name) => [`!../${name}/**`, `!../../${name}/**`]);
  const packages = mayUse.flatMap((name) => (name === "node" ? ["!node:*", "!node:*/*"] : (PACKAGES[name] ?? [])));
  return ["**", "!./**", "!../*.ts", ...(INNER[room] ?? []).map((folder) => `!../${folder}/**`), ...open, ...packages];
}

function rule(includes, group) {
  const options = { patterns: [{ group, message: MESSAGE }] };
  return { includes, linter: { rules: { style: { noRestrictedImports: { level: "error", options } } } } };
}

const overrides = [
  ...Object.entries(WALLS).map(([room, mayUse]) => rule([`src/${room}/**`], patternsOf(room, mayUse))),
  rule(["src/bundle.ts"], ["**", "!./action/**"]),
  // An independent second reading of the specification: it shares no code with the first.
  rule(["simulator/**"], ["**/src/**"]),
  // The client may change its shape: one file of set-up knows it.
  rule(["setup/**", "!setup/service.ts"], ["**/src/**"]),
];
const text = `${JSON.stringify({ overrides }, undefined, 2)}\n`;

if (!process.argv.includes("--check")) writeFileSync(FILE, text);
else if (readFileSync(FILE, "utf8") !== text) {
  console.error(`${FILE} is not what scripts/walls.mjs makes. Run npm run format.`);
  process.exitCode = 1;
}
