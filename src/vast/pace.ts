import type { Clock } from "../shared/clock.ts";

/** The service counts from arrival to arrival; a connection's first request travels longer. */
const INTERVAL_MARGIN_MS = 500;
const SHORTEST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** A pause that doubles each time, in ms: at least 1 s, at most 30 s unless `first` is more. */
export function growing(first: number, times: number): number {
  const start = Math.max(SHORTEST_PAUSE_MS, first);
  const pause = Math.max(start, Math.min(LONGEST_PAUSE_MS, start * 2 ** (times - 1)));
  // Jitter, so that the jobs of one run don't come back in step.
  return Math.ceil(pause * (1 + Math.random() * 0.3));
}

interface Lane {
  /** When the next call may leave, in milliseconds since the epoch. */
  freeAt: number;
  /** Answers 429, one after the other. */
  refusals: number;
  /** The end of the turn of whoever came last. */
  last: Promise<void>;
}

/** One turn: the latest time that it is worth waiting for, in ms since the epoch, and a signal. */
export interface Turn {
  intervalMs: number;
  until: number;
  signal?: AbortSignal | undefined;
}

/**
 * Keeps the service's minimum interval between calls of one operation, in the order of the calls: a
 * 429 costs more than the wait.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #lanes = new Map<string, Lane>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits for its turn; when the time is over, too: the last word is the service's. */
  async turn(operation: string, { intervalMs, until, signal }: Turn): Promise<void> {
    const lane = this.#lane(operation);
    const before = lane.last;
    let end = () => {};
    lane.last = new Promise((resolve) => {
      end = resolve;
    });
    try {
      await before;
      // Again after each sleep: an answer that came meanwhile may have moved it.
      for (let wait = this.#wait(lane, until); wait >= 1; wait = this.#wait(lane, until))
        await this.#clock.sleep(wait, signal);
      lane.freeAt = this.#clock.now() + (intervalMs === 0 ? 0 : intervalMs + INTERVAL_MARGIN_MS);
    } finally {
      end();
    }
  }

  /** An answer came. Another 429 keeps all calls of the operation back, each time for longer. */
  note(operation: string, tooFast: { waitMs: number } | undefined): void {
    const lane = this.#lane(operation);
    lane.refusals = tooFast === undefined ? 0 : lane.refusals + 1;
    if (tooFast) lane.freeAt = Math.max(lane.freeAt, this.#clock.now() + growing(tooFast.waitMs, lane.refusals));
  }

  #wait({ freeAt }: Lane, until: number): number {
    return Math.min(freeAt, until) - this.#clock.now();
  }

  #lane(operation: string): Lane {
    const lane = this.#lanes.get(operation) ?? { freeAt: 0, refusals: 0, last: Promise.resolve() };
    this.#lanes.set(operation, lane);
    return lane;
  }
}
