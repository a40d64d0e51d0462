import type { Clock } from "../time/clock.ts";
import { GithubDoubtError } from "./github-errors.ts";

const TRIES = 4;
const FIRST_PAUSE_MS = 2000;

/** Asks again after 2, 4 and 8 seconds while GitHub gives no answer, or one that is none. */
export async function insist<T>(ask: () => Promise<T>, clock: Clock, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (attempt >= TRIES || !(error instanceof GithubDoubtError)) throw error;
      await clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1), signal);
    }
  }
}
