import type { Clock } from "./clock.ts";

/** How often to look, and until when (since the epoch). Milliseconds. */
interface PollOptions {
  clock: Clock;
  intervalMs: number;
  until: number;
  signal?: AbortSignal | undefined;
}

/** Looks at intervals, at least once, until a look returns more than false. Returns undefined if none did in time. */
export async function poll<T>(
  look: () => Promise<T | false | undefined>,
  options: PollOptions,
): Promise<T | undefined> {
  for (;;) {
    const answer = await look();
    if (answer !== undefined && answer !== false) return answer;
    const left = options.until - options.clock.now();
    if (left <= 0) return undefined;
    await options.clock.sleep(Math.min(options.intervalMs, left), options.signal);
  }
}
