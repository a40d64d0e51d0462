import { describe, expect, test } from "vitest";
import { verdicts } from "../bench/market/goals.ts";
import { rowOfSeeds, standardError } from "../bench/market/row.ts";

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

  test("of a study that was not run meets none", () => {
    expect(verdicts([], [{ study: "a study", what: "p95", goal: 1 }])[0]).toMatchObject({
      isMet: false,
      isMissed: true,
    });
  });
});
