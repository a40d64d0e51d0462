// rent/action.yml, made from action.yml by the build: the same action under a path, because GitHub
// documents `uses: $/` only with one. `node scripts/rent-action.mjs` writes it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const HEAD = "# Made from action.yml by `npm run build`; change that. For gpu.yml, which needs a path after `$/`.\n";

/** Writes an action.yml anew for a folder next to it. @param {string} text */
export function rentAction(text) {
  const moved = text.replaceAll(/^( {2}(?:main|post): )(dist\/)/gm, "$1../$2");
  if (moved.split("../dist/").length !== 3) throw new Error("action.yml has another main and post than this knows.");
  return HEAD + moved;
}

/** Writes rent/action.yml of the repository in which it is called. */
export function writeRentAction() {
  mkdirSync("rent", { recursive: true });
  writeFileSync("rent/action.yml", rentAction(readFileSync("action.yml", "utf8")));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) writeRentAction();
