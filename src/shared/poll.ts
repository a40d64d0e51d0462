import type { Clock } from "./clock.ts";

/** Brings what it decided; false or undefined: nothing yet. */
export type Look<T> = () => Promise<T | false | undefined>;

/** How often to look, and until when. All in milliseconds; `until` since the epoch. */
interface PollOptions {
  clock: Clock;
  intervalMs: number;
  until: number;
  signal?: AbortSignal | undefined;
}

/** Looks, at least once, until it is decided; undefined when the time is over. */
export async function poll<T>(look: Look<T>, options: PollOptions): Promise<T | undefined> {
  for (;;) {
    const answer = await look();
    if (answer !== undefined && answer !== false) return answer;
    const left = options.until - options.clock.now();
    if (left <= 0) return undefined;
    await options.clock.sleep(Math.min(options.intervalMs, left), options.signal);
  }
}

/** Looks at these times after the start, in ms; undefined when the last decided nothing. */
export async function lookAt<T>(
  moments: readonly number[],
  look: Look<T>,
  options: Pick<PollOptions, "clock" | "signal">,
): Promise<T | undefined> {
  const start = options.clock.now();
  for (const moment of moments) {
    await options.clock.sleep(start + moment - options.clock.now(), options.signal);
    const answer = await look();
    if (answer !== undefined && answer !== false) return answer;
  }
  return undefined;
}
