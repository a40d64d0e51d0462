import type { Clock } from "./clock.ts";

/** One look. Returns what it found; false or undefined means nothing yet. */
export type PolledLook<T> = () => Promise<T | false | undefined>;

/**
 * How often to look, and until when. `intervalMs` in milliseconds, `until` in milliseconds since
 * the epoch.
 */
interface PollOptions {
  clock: Clock;
  intervalMs: number;
  until: number;
  signal?: AbortSignal | undefined;
}

/** Looks at intervals, at least once, until a look finds something. Returns undefined if none did in time. */
export async function poll<T>(look: PolledLook<T>, options: PollOptions): Promise<T | undefined> {
  for (;;) {
    const answer = await look();
    if (answer !== undefined && answer !== false) return answer;
    const left = options.until - options.clock.now();
    if (left <= 0) return undefined;
    await options.clock.sleep(Math.min(options.intervalMs, left), options.signal);
  }
}
