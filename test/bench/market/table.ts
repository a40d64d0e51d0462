import type { Verdict } from "./goals.ts";
import type { Row } from "./row.ts";
import type { Figures } from "./studies.ts";

const NAME = 46;

/** A column: its heading, how its figure is written, and what a goal of it says. */
interface Column {
  key: keyof Figures;
  heading: string;
  width: number;
  digits: number;
  words?: string;
  unit?: string;
}

const COLUMNS: readonly Column[] = [
  { key: "p50", heading: "p50", width: 10, digits: 0, words: "half are ready", unit: " s" },
  { key: "p95", heading: "p95", width: 11, digits: 0, words: "p95 until all are ready", unit: " s" },
  { key: "p99", heading: "p99", width: 12, digits: 0 },
  { key: "within15", heading: "15 min %", width: 13, digits: 1, words: "ready within 15 min", unit: "%" },
  { key: "started", heading: "started", width: 14, digits: 2, words: "machines started for a job" },
  { key: "usd", heading: "USD", width: 18, digits: 4, words: "a job costs", unit: " USD" },
  { key: "end95", heading: "last end", width: 11, digits: 0, words: "p95 until the last job is over", unit: " s" },
];

export const HEADING = `${"".padEnd(NAME)}${COLUMNS.map(({ heading, width }) => heading.padStart(width)).join("")}`;

const columnOf = (key: keyof Figures) => COLUMNS.find((column) => column.key === key);

/** A figure with its standard error: `430 ± 10`; of a single seed there is none. */
export function withError(key: keyof Figures, value: number, error: number): string {
  const write = (figure: number) => (key === "within15" ? figure * 100 : figure).toFixed(columnOf(key)?.digits);
  return Number.isFinite(error) ? `${write(value)} ± ${write(error)}` : write(value);
}

/** A study in a line: when machines were ready, how many were started, the job's cost. */
export function line(row: Row): string {
  const cells = COLUMNS.map(({ key, width }) => withError(key, row[key], row.error[key]).padStart(width));
  return `${row.name.padEnd(NAME)}${cells.join("")}`;
}

/** One goal in a line. */
export function goalLine({ goal, value, error, isMet, isMissed }: Verdict): string {
  const { unit = "", words } = columnOf(goal.what) ?? {};
  const sign = goal.what === "within15" ? "at least" : "at most";
  const near = isMissed ? "MISSED" : "missed, within two standard errors";
  const bound = withError(goal.what, goal.goal, Number.NaN);
  return `${isMet ? "met" : near}: ${goal.study}: ${words} ${withError(goal.what, value, error)}${unit}, ${sign} ${bound}${unit}`;
}
