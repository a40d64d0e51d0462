import { mean } from "../statistics.ts";
import type { Figures, Sample } from "./studies.ts";

/** One row of the table: of each figure the mean over the seeds, and its standard error. */
export interface Row extends Figures {
  name: string;
  error: Figures;
}

const KEYS = ["p50", "p95", "p99", "within15", "started", "usd", "end95"] as const;

/** Puts the seeds of one study together. Of a single seed no error is known: NaN. */
export function rowOfSeeds(samples: readonly Sample[]): Row {
  const figures = (of: (values: number[]) => number) =>
    Object.fromEntries(KEYS.map((key) => [key, of(samples.map((sample) => sample[key]))])) as unknown as Figures;
  return { name: samples[0]?.name ?? "", ...figures(mean), error: figures(standardError) };
}

/** Of the mean of these values. */
function standardError(values: readonly number[]): number {
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}
