import type { Row } from "./studies.ts";

/** The goal of a study. `of`: a multiple of another row's figure. */
export interface Goal {
  study: string;
  what: "p95" | "end95" | "started" | "usd" | "within15";
  goal: number;
  of?: string;
}

/** A study may miss its goal by so much: trials are drawn. */
export const TOLERANCE = 0.05;

/** The limits for N machines in the model's own study, in seconds: 386 / 1.04 and 439 / 0.98. */
const LIMITS = { eight: 371, sixteen: 448 };

export const GOALS: readonly Goal[] = [
  { study: "one machine, 40 offers", what: "p95", goal: 1, of: "H: plain failover, 40 offers, none broken" },
  { study: "one machine, 40 offers", what: "started", goal: 1.5 },
  { study: "one machine, 40 offers", what: "usd", goal: 0.051 },
  { study: "one machine, 40 offers", what: "within15", goal: 0.998 },
  { study: "one machine, 5 offers", what: "p95", goal: 1.15, of: "H5: plain failover, 5 offers, none broken" },
  { study: "one machine, 5 offers", what: "started", goal: 1.5 },
  { study: "with history, 40 offers", what: "p95", goal: 1.15 * 244 },
  { study: "with history, 40 offers", what: "started", goal: 1.45 },
  { study: "8 machines, 64 offers", what: "p95", goal: 1.1 * LIMITS.eight },
  { study: "16 machines and spares, 64 offers", what: "p95", goal: LIMITS.sixteen },
  { study: "32 jobs of 3 min, 16 machines, 4 jobs each", what: "end95", goal: 950 },
  { study: "32 jobs of 3 min, 16 machines, 4 jobs each", what: "usd", goal: 0.027 },
];

/** How a goal came out. */
export interface Verdict {
  goal: Goal;
  value: number;
  bound: number;
  isMet: boolean;
  /** Missed by more than the tolerance. */
  isMissed: boolean;
}

/** Judges every goal; a study that was not run meets none. */
export function verdicts(rows: readonly Row[], goals: readonly Goal[] = GOALS): Verdict[] {
  const row = (name: string) => rows.find((each) => each.name === name);
  return goals.map((goal) => {
    const value = row(goal.study)?.[goal.what] ?? Number.NaN;
    const bound = goal.goal * (goal.of === undefined ? 1 : (row(goal.of)?.p95 ?? Number.NaN));
    // A share is to be reached, all else not to be exceeded; what is not a number meets nothing.
    const isAtMost = goal.what !== "within15";
    const isMet = isAtMost ? value <= bound : value >= bound;
    const isNear = isAtMost ? value <= bound * (1 + TOLERANCE) : value >= bound * (1 - TOLERANCE);
    return { goal, value, bound, isMet, isMissed: !isNear };
  });
}
