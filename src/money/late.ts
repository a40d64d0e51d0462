import { TUNING } from "./tuning.ts";

const { leastMs, usual, unproven, proven } = TUNING.late;

/** A machine's past: `none` where no history is kept. */
export type Standing = "none" | "unproven" | "proven";

const FACTORS: Readonly<Record<Standing, number>> = { none: usual, unproven, proven };

/** A machine that does not run by then is late, in milliseconds since its create was asked for. */
export function lateToRunMs(expectedMs: number, standing: Standing): number {
  return Math.max(leastMs, FACTORS[standing] * expectedMs);
}
