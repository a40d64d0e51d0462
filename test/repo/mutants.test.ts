import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { applyMutant } from "../mutants/apply.ts";
import { drawMutants } from "../mutants/draw.ts";
import { MUTANTS } from "../mutants/table.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mutants-"));
  mkdirSync(join(root, "src/fleet"), { recursive: true });
  writeFileSync(join(root, "src/fleet/end.ts"), "const isOver = left < 1;\nconst isLast = left === 1;\n");
  writeFileSync(join(root, "src/post.ts"), "// isLast\n");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const row = { name: "x", rule: "The end", replace: "$& = true" };
const source = () => readFileSync(join(root, "src/fleet/end.ts"), "utf8");

test("a mutant changes the one place where its text stands", () => {
  applyMutant({ ...row, find: "isOver = left < 1" }, root);
  expect(source()).toBe("const $& = true;\nconst isLast = left === 1;\n");
});

test("one whose text stands nowhere, or twice, says which row to renew", () => {
  expect(() => applyMutant({ ...row, find: "isFirst" }, root)).toThrow(/stands nowhere .*\(rule: The end\)/);
  expect(() => applyMutant({ ...row, find: "isLast" }, root)).toThrow(/stands 2 times/);
});

test("drawn ones are the same for a seed, and each applies", () => {
  const drawn = drawMutants(2, 7, root);
  expect(drawMutants(2, 7, root)).toEqual(drawn);
  for (const mutant of drawn) applyMutant(mutant, root);
  expect(source()).toBe("const isOver = left <= 1;\nconst isLast = left !== 1;\n");
});

test("the list's names are unique, and every row breaks something", () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  expect(MUTANTS.filter(({ find, replace }) => find === replace)).toEqual([]);
});
