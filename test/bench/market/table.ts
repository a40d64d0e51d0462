import type { Goal, Verdict } from "./goals.ts";
import type { Row } from "./row.ts";
import type { Figures } from "./studies.ts";

const NAME = 46;

/** A column: its heading, and how its figure and the error are written. */
const COLUMNS: readonly { key: keyof Figures; heading: string; width: number; write: (value: number) => string }[] = [
  { key: "p50", heading: "p50", width: 10, write: (value) => value.toFixed(0) },
  { key: "p95", heading: "p95", width: 11, write: (value) => value.toFixed(0) },
  { key: "p99", heading: "p99", width: 12, write: (value) => value.toFixed(0) },
  { key: "within15", heading: "15 min %", width: 13, write: (value) => (value * 100).toFixed(1) },
  { key: "started", heading: "started", width: 14, write: (value) => value.toFixed(2) },
  { key: "usd", heading: "USD", width: 18, write: (value) => value.toFixed(4) },
  { key: "end95", heading: "last end", width: 11, write: (value) => value.toFixed(0) },
];

export const HEADING = `${"".padEnd(NAME)}${COLUMNS.map(({ heading, width }) => heading.padStart(width)).join("")}`;

/** A figure with its standard error: `430 ± 10`; of a single seed there is none. */
export function withError(key: keyof Figures, value: number, error: number): string {
  const { write } = COLUMNS.find((column) => column.key === key) ?? { write: String };
  return Number.isFinite(error) ? `${write(value)} ± ${write(error)}` : write(value);
}

/** A study in a line: when machines were ready, how many were started, the job's cost. */
export function line(row: Row): string {
  const cells = COLUMNS.map(({ key, width }) => withError(key, row[key], row.error[key]).padStart(width));
  return `${row.name.padEnd(NAME)}${cells.join("")}`;
}

/** What a goal is about. */
const GOALS_IN_WORDS: Readonly<Record<Goal["what"], { words: string; unit: string }>> = {
  p50: { words: "half are ready", unit: " s" },
  p95: { words: "p95 until all are ready", unit: " s" },
  within15: { words: "ready within 15 min", unit: "%" },
  started: { words: "machines started for a job", unit: "" },
  usd: { words: "a job costs", unit: " USD" },
  end95: { words: "p95 until the last job is over", unit: " s" },
};

/** One goal in a line. */
export function goalLine({ goal, value, error, isMet, isMissed }: Verdict): string {
  const { unit, words } = GOALS_IN_WORDS[goal.what];
  const sign = goal.what === "within15" ? "at least" : "at most";
  const near = isMissed ? "MISSED" : "missed, within two standard errors";
  const bound = withError(goal.what, goal.goal, Number.NaN);
  return `${isMet ? "met" : near}: ${goal.study}: ${words} ${withError(goal.what, value, error)}${unit}, ${sign} ${bound}${unit}`;
}
