import { describe, expect, test } from "vitest";
import { verdicts } from "../bench/market/goals.ts";
import { type Row, STUDIES } from "../bench/market/studies.ts";
import { HEADING } from "../bench/market/table.ts";
import { section } from "./support/markdown.ts";
import { textOf } from "./support/repository.ts";

/** The lines of the first block of text below a heading: the heading of a table, then its rows. */
function quoted(page: string, heading: string): string[] {
  const [, block = ""] = /```text\n([\s\S]*?)\n```/.exec(section(textOf(page), heading)) ?? [];
  return block.split("\n");
}

/** A row of the bench, as `table.ts` writes it. */
function readRow(line: string): Row {
  const found = /^(.+?) {2,}(\d+) +(\d+) +(\d+) +([\d.]+)% +([\d.]+) +([\d.]+) +(\d+)/.exec(line);
  if (found === null) throw new Error(`No row: ${line}`);
  const [p50 = 0, p95 = 0, p99 = 0, share = 0, started = 0, usd = 0, end95 = 0] = found.slice(2).map(Number);
  return { name: found[1] ?? "", p50, p95, p99, within15: share / 100, started, usd, end95 };
}

const [heading, ...lines] = quoted("docs/costs.md", "## In a bad market");

describe("docs/costs.md quotes the market", () => {
  test("with every study of the bench, in its order", () => {
    expect(heading).toBe(HEADING);
    expect(lines.map((line) => readRow(line).name)).toEqual(STUDIES.map(({ name }) => name));
  });

  test("and names each goal that is missed: none by more than the tolerance", () => {
    const judged = verdicts(lines.map(readRow));
    expect(judged.filter(({ isMissed }) => isMissed)).toEqual([]);
    const missed = judged.filter(({ isMet }) => !isMet).map(({ goal }) => `${goal.study}: ${goal.what}`);
    expect(missed).toEqual([
      "one machine, 40 offers: usd",
      "with history, 40 offers: p95",
      "with history, 40 offers: started",
    ]);
    expect(judged.length - missed.length).toBe(9);
  });

  test("and says by its first sentences what was measured, and when", () => {
    const told = section(textOf("docs/costs.md"), "## In a bad market").split("```text")[0] ?? "";
    const figuresOf = (name: string) => {
      const row = lines.map(readRow).find((each) => each.name === name);
      return [`${row?.p50} s`, `${row?.p95} s`, `${row?.usd.toFixed(4)} USD`];
    };
    const figures = Array.from(told.matchAll(/\d+ s\b|\d\.\d{4} USD/g), ([figure]) => figure);
    expect(figures).toEqual([...figuresOf("one machine, 40 offers"), ...figuresOf("plain failover, 40 offers")]);
    expect(told).toMatch(/2,000 trials, seed 1, 2026-11-22/);
  });
});
