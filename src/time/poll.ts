import type { Clock } from "./clock.ts";

/** One look's word: not decided yet, or decided with a value. */
export type Look<T> = { state: "pending" } | { state: "done"; value: T };

/** The answer of a look that decided nothing. */
export const PENDING = { state: "pending" } as const;

/** The answer of a look that decided. */
export function done<T>(value: T): Look<T> {
  return { state: "done", value };
}

/** How often to look, and until when. All in milliseconds; `until` since the epoch. */
export interface PollOptions {
  clock: Clock;
  intervalMs: number;
  until: number;
  signal?: AbortSignal;
}

/** Looks, at least once, until it is decided; undefined when the time is over. */
export async function poll<T>(look: () => Promise<Look<T>>, options: PollOptions): Promise<T | undefined> {
  for (;;) {
    const answer = await look();
    if (answer.state === "done") return answer.value;
    const left = options.until - options.clock.now();
    if (left <= 0) return undefined;
    await options.clock.sleep(Math.min(options.intervalMs, left), options.signal);
  }
}

/** Looks at these times after the start, in ms; undefined when the last decided nothing. */
export async function lookAt<T>(
  moments: readonly number[],
  look: () => Promise<Look<T>>,
  options: Pick<PollOptions, "clock" | "signal">,
): Promise<T | undefined> {
  const start = options.clock.now();
  for (const moment of moments) {
    await options.clock.sleep(start + moment - options.clock.now(), options.signal);
    const answer = await look();
    if (answer.state === "done") return answer.value;
  }
  return undefined;
}
