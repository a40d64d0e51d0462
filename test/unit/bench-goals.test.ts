import { describe, expect, test } from "vitest";
import { type Goal, verdicts } from "../bench/market/goals.ts";
import { rowOfSeeds, standardError } from "../bench/market/row.ts";
import { goalLine } from "../bench/market/table.ts";

const sample = (p95: number) => ({
  name: "a study",
  p50: 100,
  p95,
  p99: 600,
  within15: 1,
  started: 1.5,
  usd: 0.05,
  end95: 1000,
});
const judge = (goal: number, ...values: number[]) =>
  verdicts([rowOfSeeds(values.map(sample))], [{ study: "a study", what: "p95", goal }])[0];

describe("a figure of several seeds", () => {
  test("is their mean, with its standard error", () => {
    expect(standardError([400, 420, 440])).toBeCloseTo(20 / Math.sqrt(3), 9);
    expect(rowOfSeeds([400, 420, 440].map(sample))).toMatchObject({ p95: 420, p50: 100, error: { p50: 0 } });
    expect(standardError([400])).toBeNaN();
  });

  test("meets its goal by the mean; beyond two standard errors it misses it", () => {
    expect(judge(420, 400, 420, 440)).toMatchObject({ isMet: true, isMissed: false });
    expect(judge(400, 400, 420, 440)).toMatchObject({ isMet: false, isMissed: false });
    expect(judge(390, 400, 420, 440)).toMatchObject({ isMet: false, isMissed: true });
  });

  test("is said in words, with its unit", () => {
    const said = (what: Goal["what"], goal: number) =>
      verdicts([rowOfSeeds([400, 420, 440].map(sample))], [{ study: "a study", what, goal }]).map(goalLine);
    expect(said("p95", 425)).toEqual(["met: a study: p95 until all are ready 420 ± 12 s, at most 425 s"]);
    expect(said("within15", 0.998)).toEqual(["met: a study: ready within 15 min 100.0 ± 0.0%, at least 99.8%"]);
    expect(said("usd", 0.04)).toEqual(["MISSED: a study: a job costs 0.0500 ± 0.0000 USD, at most 0.0400 USD"]);
    expect(said("started", 1.5)).toEqual(["met: a study: machines started for a job 1.50 ± 0.00, at most 1.50"]);
    expect(said("end95", 820)).toEqual(["MISSED: a study: p95 until the last job is over 1000 ± 0 s, at most 820 s"]);
  });

  test("of a study that was not run meets none", () => {
    expect(verdicts([], [{ study: "a study", what: "p95", goal: 1 }])[0]).toMatchObject({
      isMet: false,
      isMissed: true,
    });
  });
});
