import type { Clock } from "../shared/clock.ts";
import { GithubUnavailableError } from "./github-errors.ts";

const PAUSES_MS = [2000, 5000, 10_000];

/**
 * Asks again after 2, 5 and 10 seconds, not after `until`, while GitHub gives no answer, or one
 * that is none.
 */
export async function insist<T>(
  ask: () => Promise<T>,
  clock: Clock,
  { signal, until = Number.POSITIVE_INFINITY }: { signal?: AbortSignal | undefined; until?: number } = {},
): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof GithubUnavailableError) || clock.now() + pause >= until) throw error;
      await clock.sleep(pause, signal);
    }
  }
  return await ask();
}
