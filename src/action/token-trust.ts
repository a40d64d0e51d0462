import { GithubRefusedError, GithubTokenError, GithubUnavailableError } from "../github/github-errors.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";

/**
 * The worth of an answer to `github-token`. One that has registered a runner and is refused later
 * has expired (an App's lives an hour): that says nothing of runners, and is told once.
 */
export class TokenTrust {
  readonly #clock: Clock;
  readonly #log: Log;
  #isProven = false;
  #isTold = false;
  #refusedSince: number | undefined;

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Start of a proven token's refusals, in ms since the epoch; undefined while it is accepted. */
  get refusedSince(): number | undefined {
    return this.#refusedSince;
  }

  /** Waits for what only a good token can do. A proven one's refusal is noted, and thrown. */
  async prove<T>(answer: Promise<T>): Promise<T> {
    try {
      const value = await answer;
      this.#isProven = true;
      this.#refusedSince = undefined;
      return value;
    } catch (error) {
      if (error instanceof GithubTokenError) this.#note(error);
      throw error;
    }
  }

  /** Undefined: GitHub could not be asked, or refuses a proven token. Other faults go on. */
  async orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      const value = await answer;
      this.#refusedSince = undefined;
      return value;
    } catch (error) {
      if (error instanceof GithubUnavailableError || (this.#isProven && error instanceof GithubRefusedError))
        return undefined;
      if (!this.#isProven || !(error instanceof GithubTokenError)) throw error;
      this.#note(error);
      return undefined;
    }
  }

  #note(error: GithubTokenError): void {
    if (!this.#isProven) return;
    this.#refusedSince ??= this.#clock.now();
    if (this.#isTold) return;
    this.#isTold = true;
    const since = new Date(this.#refusedSince).toISOString().slice(11, 16);
    this.#log.warning(
      `github-token is refused since ${since} UTC, after it had registered a runner. ${error.message} From now on runners can be neither seen nor ` +
        "removed: machines go when their jobs are over, or at their deadlines. A GitHub App's token lives an hour; for longer runs use a " +
        "fine-grained token.",
    );
  }
}
