// Which room may import which, as one table. Prints each import that breaks it.
// Usage: walls.mjs [FOLDER], the folder of the repository (by default this one).
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Each room of src/ and the client, and what it may import besides itself: rooms, which stand before it here, packages, and `node`. */
const WALLS = {
  shared: "undici node",
  marketplace: "shared",
  "marketplace/vast": "marketplace shared zod",
  github: "shared @actions/github zod",
  image: "shared zod node",
  "gpu-figures": "shared zod",
  timing: "marketplace shared",
  money: "timing marketplace shared zod",
  history: "github money timing marketplace shared zod node",
  offers: "history money timing marketplace shared",
  machine: "money timing gpu-figures github marketplace shared zod node",
  release: "machine github marketplace shared zod",
  fleet: "release machine offers history money timing gpu-figures github marketplace shared node",
  runs: "fleet release github shared",
  report: "runs fleet release machine offers money timing gpu-figures github shared node",
  action:
    "report runs fleet release machine offers history money timing image github marketplace/vast marketplace shared @actions/core zod node",
  "bundle.ts": "action",
  client: "marketplace/vast marketplace shared zod",
};

const ROOMS = Object.keys(WALLS);
const SPECIFIER = /(?:\bfrom|\bimport|\bimport\()\s*"([^"]+)"/g;

/** The room of a path in the repository; of a path outside src/, its first folder. */
function roomOf(path) {
  const [folder, ...inner] = path.split("/");
  const rooms = folder === "src" ? ROOMS.filter((room) => `${inner.join("/")}/`.startsWith(`${room}/`)) : [folder];
  return rooms.sort((a, b) => b.length - a.length)[0] ?? path;
}

function targetOf(file, specifier) {
  if (specifier.startsWith("node:")) return "node";
  if (specifier.startsWith(".")) return roomOf(join(dirname(file), specifier));
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0];
}

/** What the rule is that forbids an import, or undefined. */
function brokenRule(file, room, to) {
  const open = WALLS[room]?.split(" ");
  if (open !== undefined) return to === room || open.includes(to) ? undefined : open.join(", ");
  if (file.startsWith("src/")) return "nothing, as it is no room of the table";
  // An independent second reading of the specification, and a package of its own: one file of it knows the client.
  return ROOMS.includes(to) && file !== "setup/service.ts" ? "nothing of src or client" : undefined;
}

process.chdir(process.argv[2] ?? ".");
const uphill = ROOMS.flatMap((room, n) =>
  WALLS[room]
    .split(" ")
    .filter((to) => ROOMS.indexOf(to) >= n)
    .map((to) => `${room} stands before ${to}, which it may use`),
);
const broken = globSync("{src,client,setup,simulator}/**/*.ts").flatMap((file) => {
  const room = roomOf(file);
  return [...readFileSync(file, "utf8").matchAll(SPECIFIER)].flatMap(([, specifier]) => {
    const rule = brokenRule(file, room, targetOf(file, specifier));
    return rule === undefined ? [] : [`${file} imports ${specifier}: ${room} may use ${rule}`];
  });
});
for (const line of [...uphill, ...broken]) console.error(line);
if (uphill.length + broken.length > 0) process.exit(1);
