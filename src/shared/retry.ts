import type { Clock } from "./clock.ts";
import { isPassing } from "./user-error.ts";

/** How long to retry. Times in milliseconds, `until` since the epoch. */
interface RetryOptions {
  clock: Clock;
  /** The moment by which the last attempt must begin. */
  until?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Returns the pause before the next attempt; undefined if the error is thrown. `attempt` counts from 1. */
  pauseAfter?: (error: unknown, attempt: number) => number | undefined;
}

const RETRY_PAUSES_MS = [2000, 5000, 10_000];
/** SPEC-SILENT: how long a caller without a limit waits where it is asked to. */
const LONGEST_RETRY_MS = 600_000;

/** Repeats work that fails: by default a passing fault, after 2, 5 and 10 s or the longer time that it asks for. */
export async function withRetry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, pauseAfter = pauseWhilePassing, signal, until = options.clock.now() + LONGEST_RETRY_MS } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const pause = pauseAfter(error, attempt);
      if (pause === undefined || clock.now() + pause >= until) throw error;
      await clock.sleep(pause, signal);
    }
  }
}

function pauseWhilePassing(error: unknown, attempt: number): number | undefined {
  const pause = RETRY_PAUSES_MS[attempt - 1];
  return isPassing(error) && pause !== undefined ? Math.max(pause, error.waitMs) : undefined;
}
