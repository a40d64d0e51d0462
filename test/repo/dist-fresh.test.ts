import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ONSTART, WORK } from "../../src/machine/script/packed.ts";
import { ACTION } from "../support/built-action.ts";
import { ROOT, textOf } from "./support/repository.ts";

const DIST = join(ROOT, "dist");
const MOST_BYTES = 4_000_000;
const ALLOWED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"];

test("dist is what `npm run build` makes of this source, byte by byte", () => {
  const fresh = join(ACTION, "dist");
  expect(fresh, "this run has built it anew").not.toBe(DIST);
  expect(readdirSync(DIST).sort()).toEqual(readdirSync(fresh).sort());
  const isFresh = (file: string) => readFileSync(join(DIST, file)).equals(readFileSync(join(fresh, file)));
  const stale = readdirSync(fresh).filter((file) => !isFresh(file));
  expect(stale, "run `npm run build` and commit dist").toEqual([]);
});

test("dist stays small", () => {
  const bytes = readdirSync(DIST).reduce((sum, file) => sum + statSync(join(DIST, file)).size, 0);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});

test("dist carries the machine's scripts as they are sent, and no code that packs them", () => {
  const bundle = textOf("dist/index.js");
  expect(bundle).toContain(JSON.stringify(ONSTART));
  expect(bundle).toContain(JSON.stringify(WORK));
  expect(bundle).not.toContain("stripScript");
  expect(readdirSync(DIST).filter((file) => file.endsWith(".sh"))).toEqual([]);
});

test("every package that is in dist is in dist/licenses.txt, under a licence that allows it", () => {
  const { packages } = JSON.parse(textOf("package-lock.json")) as { packages: Record<string, { version: string }> };
  // The bundle names the modules that it joined: `./node_modules/@actions/core/lib/core.js`.
  const bundle = readdirSync(DIST)
    .filter((file) => file.endsWith(".js"))
    .map((file) => textOf(`dist/${file}`))
    .join("\n");
  const named = bundle.matchAll(/\.\/((?:node_modules\/(?:@[\w.-]+\/)?[\w.-]+\/)+)/g);
  const paths = new Set(Array.from(named, ([, path = ""]) => path.slice(0, -1)));
  const bundled = Array.from(paths, (path) => `${path.split("node_modules/").at(-1)} ${packages[path]?.version}`);
  const heads = textOf("dist/licenses.txt").matchAll(/^(@?[\w./-]+ \d+\.\d+\.\d+\S*) \((.+)\)\n\n/gm);
  const listed = new Map(Array.from(heads, ([, name = "", licence = ""]) => [name, licence]));
  expect(bundled.length).toBeGreaterThan(10);
  expect(bundled.filter((name) => !listed.has(name))).toEqual([]);
  expect([...listed].filter(([, licence]) => !ALLOWED.includes(licence))).toEqual([]);
});
