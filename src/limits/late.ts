import { POLICY } from "./policy.ts";

const { leastMs, onlineMs, usual, unproven, proven } = POLICY.late;

/** What is known of a machine's past: `none` where no history is kept. */
export type Standing = "none" | "unproven" | "proven";

const FACTORS: Readonly<Record<Standing, number>> = { none: usual, unproven, proven };

/** From when on a machine that does not run is late, in milliseconds since its create was asked for. */
export function lateToRunMs(expectedMs: number, standing: Standing): number {
  return Math.max(leastMs, FACTORS[standing] * expectedMs);
}

/** How far a machine is that is not ready. Times in milliseconds since the epoch. */
export interface OnItsWay {
  askedAt: number;
  /** Undefined: it does not run. */
  runningAt?: number | undefined;
  /** What a boot of it was expected to take, in milliseconds. */
  expectedMs: number;
  standing: Standing;
  /** What the user's `setup` may take from running to online, in milliseconds. */
  setupMs?: number | undefined;
}

/** True when a second machine is likely to be ready before this one. */
export function isLate({ askedAt, runningAt, expectedMs, standing, setupMs = 0 }: OnItsWay, now: number): boolean {
  if (runningAt !== undefined) return now - runningAt > onlineMs + setupMs;
  return now - askedAt > lateToRunMs(expectedMs, standing);
}
