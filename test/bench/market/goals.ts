import type { Row } from "./row.ts";

/** The goal of a study, for the mean over the seeds. */
export interface Goal {
  study: string;
  what: "p50" | "p95" | "end95" | "started" | "usd" | "within15";
  goal: number;
}

const GOALS: readonly Goal[] = [
  { study: "one machine, 40 offers", what: "p95", goal: 425 },
  { study: "one machine, 40 offers", what: "started", goal: 1.45 },
  { study: "one machine, 40 offers", what: "usd", goal: 0.0505 },
  { study: "one machine, 40 offers", what: "within15", goal: 0.998 },
  { study: "one machine, 5 offers", what: "p95", goal: 500 },
  { study: "one machine, 5 offers", what: "started", goal: 1.48 },
  { study: "with history, 40 offers", what: "p95", goal: 270 },
  { study: "with history, 40 offers", what: "started", goal: 1.4 },
  { study: "the second run, an hour later", what: "p50", goal: 130 },
  { study: "the second run, an hour later", what: "p95", goal: 350 },
  { study: "the twenty-first to thirtieth run", what: "p95", goal: 234 },
  { study: "the same, two of ten logs unreadable", what: "p95", goal: 257 },
  { study: "8 machines, 64 offers", what: "p95", goal: 370 },
  { study: "16 machines and spares, 64 offers", what: "p95", goal: 430 },
  { study: "16 jobs, machines: 16, 64 offers", what: "p95", goal: 1000 },
  { study: "32 jobs of 3 min, 16 machines, 4 jobs each", what: "end95", goal: 820 },
  { study: "32 jobs of 3 min, 16 machines, 4 jobs each", what: "usd", goal: 0.0232 },
];

/** How a goal came out. */
export interface Verdict {
  goal: Goal;
  value: number;
  error: number;
  isMet: boolean;
  /** Missed by more than twice the standard error: another set of seeds would say the same. */
  isMissed: boolean;
}

/** Judges every goal by the mean; a study that was not run meets none. */
export function verdicts(rows: readonly Row[], goals: readonly Goal[] = GOALS): Verdict[] {
  return goals.map((goal) => {
    const row = rows.find((each) => each.name === goal.study);
    const value = row?.[goal.what] ?? Number.NaN;
    const error = row?.error[goal.what] ?? Number.NaN;
    // A share is to be reached, all else not to be exceeded; what is not a number meets nothing.
    const missedBy = goal.what === "within15" ? goal.goal - value : value - goal.goal;
    return { goal, value, error, isMet: missedBy <= 0, isMissed: !(missedBy <= 2 * error) && !(missedBy <= 0) };
  });
}
