import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inFilesOfTheirOwn } from "../mutants/sample/compiles.ts";
import { type DrawnMutant, drawSample, type MadeMutant, mutated, named } from "../mutants/sample/draw-sample.ts";
import { figuresOf, toPlay } from "../mutants/sample/figures.ts";
import { missedIds, type Result, readResults, triedIds } from "../mutants/sample/results.ts";
import { endOf, placeOf } from "../mutants/sample/stryker-plugin.ts";

/** A mutant of `a < b` in a text, which stands there `nth` times. */
function lessOrEqual(text: string, nth = 1, fileName = "src/money/cost.ts"): MadeMutant {
  const at = text.split("a < b", nth).join("a < b").length;
  const line = text.slice(0, at).split("\n").length - 1;
  const column = at - (text.lastIndexOf("\n", at) + 1);
  const location = { start: { line, column }, end: { line, column: column + 5 } };
  return { fileName, mutatorName: "EqualityOperator", replacement: "a <= b", location };
}

const many = (count: number, fileName: string): DrawnMutant[] =>
  Array.from({ length: count }, (_none, index) => ({
    ...lessOrEqual("a < b", 1, fileName),
    id: `${fileName} ${index}`,
    name: "",
  }));

test("a mutant is its own text: it is the same on another line, and another one where it stands twice", () => {
  const text = "x(a < b);\ny(a < b);\n";
  const ids = named([lessOrEqual(text), lessOrEqual(text, 2)], text).map(({ id }) => id);
  expect(ids[0]).not.toBe(ids[1]);
  const moved = `// new\n${text}`;
  expect(named([lessOrEqual(moved), lessOrEqual(moved, 2)], moved).map(({ id }) => id)).toEqual(ids);
  expect(named([lessOrEqual(text, 2)], text)[0]?.name).toBe("src/money/cost.ts:2  a < b  →  a <= b");
  expect(mutated(text, lessOrEqual(text, 2))).toBe("x(a < b);\ny(a <= b);\n");
});

test("a sample is the seed's, has one mutant of each file, and keeps its others when a file changes", () => {
  const all = [...many(200, "src/a.ts"), ...many(200, "src/b.ts"), ...many(1, "src/c.ts")];
  const ids = (mutants: readonly DrawnMutant[]) => mutants.map(({ id }) => id);
  const drawn = ids(drawSample(all, 20, 7));
  expect(drawn).toHaveLength(20);
  expect(ids(drawSample(all.toReversed(), 20, 7))).toEqual(drawn);
  expect(ids(drawSample(all, 20, 8))).not.toEqual(drawn);
  expect(drawn).toContain("src/c.ts 0");
  const changed = all.filter(({ id }) => id !== drawn[0]);
  expect(ids(drawSample(changed, 20, 7))).toEqual(expect.arrayContaining(drawn.slice(1)));
});

test("StrykerJS's copy of a file is that file, whatever its folder", () => {
  const mutant = lessOrEqual("a < b");
  expect(placeOf({ ...mutant, fileName: "/tmp/src/sandbox/src/money/cost.ts" })).toBe(placeOf(mutant));
  const { start, end } = mutant.location;
  const longer = { start, end: { ...end, column: end.column + 5 } };
  expect(placeOf({ ...mutant, location: longer })).not.toBe(placeOf(mutant));
});

test.each([
  ["Killed", undefined, "caught"],
  ["Survived", undefined, "missed"],
  ["NoCoverage", undefined, "not reached"],
  ["Timeout", undefined, "hangs"],
  ["RuntimeError", "Test runner crashed: Process ran out of memory", "exhausts memory"],
  ["RuntimeError", "An error occurred outside of a test run", "caught"],
  ["CompileError", "not drawn", undefined],
])("%s of StrykerJS (%s) is %s", (status, statusReason, end) => {
  expect(endOf({ status, statusReason })).toBe(end);
});

const KINDS = ["unit", "contract"];
const result = (id: string, kind: string, end: string): Result => ({ id, kind, end });
const RESULTS = [
  ...[result("a", "unit", "caught"), result("a", "contract", "not reached")],
  ...[result("b", "unit", "missed"), result("b", "contract", "hangs")],
  ...[result("c", "unit", "missed"), result("c", "contract", "missed"), result("c", "compiler", "missed")],
  ...[result("d", "unit", "missed"), result("d", "contract", "missed"), result("d", "compiler", "no code")],
  // Not tried by each kind, or not drawn.
  ...[result("e", "unit", "caught"), result("z", "unit", "missed"), result("z", "contract", "missed")],
];

test("a killed run leaves a last line that is no result", () => {
  const folder = mkdtempSync(join(tmpdir(), "results-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "results");
  expect(readResults(file)).toEqual([]);
  writeFileSync(file, `${JSON.stringify(RESULTS[0])}\n{"id":"a","ki`);
  expect(readResults(file)).toEqual([RESULTS[0]]);
});

test("a mutant counts when each kind has tried it and it compiles; one that hangs is noticed", () => {
  expect(triedIds(RESULTS, KINDS)).toEqual(["a", "b", "c", "z"]);
  expect(missedIds(RESULTS, KINDS)).toEqual(["c", "z"]);
});

test("the figures have the share by kind and room, and name what nothing caught of money, release and evidence", () => {
  const sample = ["a", "b", "c", "d", "e"].map((id) => ({ id, name: `name of ${id}`, fileName: "src/money/cost.ts" }));
  const run = { commit: "1234", seed: 1, kinds: KINDS, others: ["stories", "scenarios"] };
  const figures = figuresOf(sample, RESULTS, run);
  expect(figures).toMatchObject({ drawn: 5, tried: 3, noCode: 1, hang: 1, exhaustMemory: 0 });
  expect(figures.caught).toEqual({ any: 66.7, unit: 33.3, contract: 33.3 });
  expect(figures.rooms).toEqual({ money: { tried: 3, caught: 2 } });
  expect(figures.survivors).toEqual(["name of c"]);
  const played = figuresOf(sample, [...RESULTS, result("c", "stories", "caught")], run);
  expect([played.survivors, played.played.stories]).toEqual([[], { tried: 1, caught: 1 }]);
  const elsewhere = sample.map((mutant) => ({ ...mutant, fileName: "src/report/gantt.ts" }));
  expect(figuresOf(elsewhere, RESULTS, run).survivors).toEqual([]);
});

test("what is played elsewhere was missed by each kind, and compiles", () => {
  const sample = ["z", "a", "c", "d"].map((id) => ({ id, name: id, fileName: "src/money/cost.ts" }));
  expect(toPlay(sample, RESULTS, KINDS).map(({ id }) => id)).toEqual(["c"]);
});

test("the compiler judges several at once, each in a file of its own", () => {
  const batches = inFilesOfTheirOwn([...many(2, "src/a.ts"), ...many(1, "src/b.ts")]);
  expect(batches.map((batch) => batch.map(({ id }) => id))).toEqual([["src/a.ts 0", "src/b.ts 0"], ["src/a.ts 1"]]);
});
