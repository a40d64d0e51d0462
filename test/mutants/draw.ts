import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Mutant } from "./table.ts";

/** What a drawn mutant does to one line. */
const CHANGES: readonly (readonly [RegExp, string])[] = [
  [/ < /, " <= "],
  [/ <= /, " < "],
  [/ > /, " >= "],
  [/ >= /, " > "],
  [/ === /, " !== "],
  [/ !== /, " === "],
  [/ && /, " || "],
  [/ \|\| /, " && "],
  [/\btrue\b/, "false"],
  [/\bfalse\b/, "true"],
  [/ \+ 1\b/, " + 2"],
  [/Math\.max\(/, "Math.min("],
  [/Math\.min\(/, "Math.max("],
  [/if \(!/, "if ("],
];
const IS_NO_CODE = /^\s*(\/\/|\*|\/\*|import |export type |type |interface )|=>.*;$.*\btype\b/;

/** Draws mutants of lines that stand once in src/: the same seed gives the same ones. */
export function drawMutants(count: number, seed: number, root: string): Mutant[] {
  const lines = globSync("src/{fleet,release,runs,machine,money,timing,offers}/**/*.ts", { cwd: root })
    .toSorted()
    .flatMap((file) => readFileSync(join(root, file), "utf8").split("\n"));
  const times = Map.groupBy(lines, (line) => line);
  const candidates = lines
    .filter(
      (line) =>
        !IS_NO_CODE.test(line) &&
        times.get(line)?.length === 1 &&
        !lines.some((each) => each !== line && each.includes(line)),
    )
    .flatMap((line) => CHANGES.filter(([from]) => from.test(line)).map((change) => ({ line, change })));
  const drawn = fc.sample(fc.shuffledSubarray(candidates, { minLength: count, maxLength: count }), {
    seed,
    numRuns: 1,
  });
  return (drawn[0] ?? []).map(({ line, change: [from, to] }) => ({
    name: `${line.trim()}  →  ${line.replace(from, to).trim()}`,
    rule: "drawn",
    find: line,
    replace: line.replace(from, to),
  }));
}
