import { describe, expect, test } from "vitest";
import { readFigures, replayed } from "../bench/market/figures.ts";
import { verdicts } from "../bench/market/goals.ts";
import { STUDIES } from "../bench/market/studies.ts";
import { goalLine, HEADING, line, withError } from "../bench/market/table.ts";
import { section } from "./support/markdown.ts";
import { textOf } from "./support/repository.ts";

const RECORDED = readFigures();
const PAGE = section(textOf("docs/internals/bill.md"), "## In a bad market");
const rowOf = (name: string) => {
  const row = RECORDED.rows.find((each) => each.name === name);
  if (row === undefined) throw new Error(`No study ${name} was recorded.`);
  return row;
};

describe("docs/internals/bill.md quotes the market", () => {
  test("as it was recorded, with every study of the bench in its order", () => {
    const [, block = ""] = /```text\n([\s\S]*?)\n```/.exec(PAGE) ?? [];
    expect(RECORDED.rows.map(({ name }) => name)).toEqual(STUDIES.map(({ name }) => name));
    expect(block.split("\n")).toEqual([HEADING, ...RECORDED.rows.map(line)]);
  });

  test("and every goal, with how it came out", () => {
    const blocks = Array.from(PAGE.matchAll(/```text\n([\s\S]*?)\n```/g), ([, block = ""]) => block);
    expect(blocks[1]?.split("\n")).toEqual(verdicts(RECORDED.rows).map(goalLine));
  });

  test("and says by its first sentences what was measured", () => {
    const text = PAGE.split("```text")[0] ?? "";
    const figuresOf = (name: string) => {
      const row = rowOf(name);
      const figure = (key: "p50" | "p95" | "usd") => withError(key, row[key], row.error[key]);
      return [`${figure("p50")} s`, `${figure("p95")} s`, `${figure("usd")} USD`];
    };
    const figures = Array.from(text.matchAll(/\d+ ± \d+ s\b|\d\.\d{4} ± \d\.\d{4} USD/g), ([figure]) => figure);
    expect(figures).toEqual([...figuresOf("one machine, 40 offers"), ...figuresOf("plain failover, 40 offers")]);
    expect(text).toContain(`${RECORDED.seeds.length} seeds of ${RECORDED.trials} trials`);
  });
});

// Red: a rule has changed what becomes of the market. `npm run bench -- market --record`, then quote it.
test("the recorded figures are those of today's rules: a few trials of each study come out the same", async () => {
  expect(RECORDED.seeds.length).toBeGreaterThanOrEqual(8);
  expect(await replayed()).toEqual(RECORDED.replayed);
  // A guard against hanging: it computes for some 7 s alone, and no simulated time stands still for it.
}, 600_000);
