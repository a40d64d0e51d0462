import type { Verdict } from "./goals.ts";
import type { Row } from "./studies.ts";

const NAME = 46;
/** A bar for 25 min, the end of a trial. */
const BAR = 30;
const LONGEST = 1500;

export const HEADING = `${"".padEnd(NAME)}${"p50".padStart(6)}${"p95".padStart(6)}${"p99".padStart(6)}  15 min  started     USD  last end`;

/** A study in a line: when machines were ready (bars for p50 and p95), how many, the job's cost. */
export function line(row: Row): string {
  const figures = [row.p50, row.p95, row.p99].map((value) => String(Math.round(value)).padStart(6)).join("");
  const share = `${(row.within15 * 100).toFixed(1)}%`.padStart(8);
  const started = row.started.toFixed(2).padStart(9);
  const usd = row.usd.toFixed(4).padStart(8);
  const end = String(Math.round(row.end95)).padStart(10);
  return `${row.name.padEnd(NAME)}${figures}${share}${started}${usd}${end}  ${bar(row)}`.trimEnd();
}

function bar({ p50, p95 }: Row): string {
  const [half, most] = [p50, p95].map((value) => Math.min(BAR, Math.round((value / LONGEST) * BAR)));
  return "█".repeat(half ?? 0) + "░".repeat(Math.max(0, (most ?? 0) - (half ?? 0)));
}

/** One goal in a line. */
export function goalLine({ goal, value, bound, isMet, isMissed }: Verdict): string {
  const digits = { p95: 0, end95: 0, started: 2, usd: 4, within15: 3 }[goal.what];
  const sign = goal.what === "within15" ? "at least" : "at most";
  const near = isMissed ? "MISSED" : "missed, within the tolerance";
  return `${isMet ? "met" : near}: ${goal.study}, ${goal.what} ${value.toFixed(digits)}, ${sign} ${bound.toFixed(digits)}`;
}
