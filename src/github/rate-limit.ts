/** The headers of an answer, by their names in small letters. */
export type Headers = Readonly<Record<string, unknown>>;

/** GitHub's clock may not be ours: what still holds after this is told again. */
const LONGEST_QUIET_MS = 60_000;

/** GitHub tells a rate limit by 429, or by 403 with a header or a sentence. */
export function isRateLimit(status: number, headers: Headers, sentence: string): boolean {
  if (status === 429) return true;
  return (
    status === 403 &&
    (String(headers["x-ratelimit-remaining"]) === "0" ||
      headers["retry-after"] !== undefined ||
      /rate limit/i.test(sentence))
  );
}

/** Keeps requests back for as long as GitHub asks: who goes on asking is kept out for longer. */
export class RateLimitQuiet {
  #until = 0;

  /** Takes in the refusal of a request for its rate limit. */
  note(headers: Headers, now: number): void {
    const resetMs = Number(headers["x-ratelimit-reset"] ?? Number.NaN) * 1000 - Date.parse(String(headers.date));
    const isUsedUp = String(headers["x-ratelimit-remaining"]) === "0";
    const asked = [Number(headers["retry-after"]) * 1000, isUsedUp ? resetMs : 0].find((ms) => ms > 0) ?? 0;
    this.#until = now + Math.min(LONGEST_QUIET_MS, asked);
  }

  /** How much longer to send nothing, in milliseconds. */
  leftMs(now: number): number {
    const left = this.#until - now;
    // More than the longest: the clock was set back meanwhile.
    return left > LONGEST_QUIET_MS ? 0 : Math.max(0, left);
  }
}
