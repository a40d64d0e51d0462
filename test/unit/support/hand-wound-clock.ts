import type { Clock } from "../../../src/shared/clock.ts";

/** So many turns of the clock without an end are a loop, not a long wait. */
const MOST_TURNS = 200_000;

interface Timer {
  due: number;
  ring: () => void;
}

/** A clock that stands still until its test winds it, from one sleeper to the next. */
export class HandWoundClock implements Clock {
  /** When every test begins, in milliseconds since the epoch. */
  readonly start = Date.UTC(2026, 0, 1);
  #now = this.start;
  #timers: Timer[] = [];

  now(): number {
    return this.#now;
  }

  /** Milliseconds since the test began. */
  get elapsed(): number {
    return this.#now - this.start;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
        reject(signal?.reason);
      };
      const ring = () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      };
      const timer = { due: this.#now + Math.max(0, milliseconds), ring };
      this.#timers.push(timer);
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  /** Has something happen so many ms after the start, before whoever begins to sleep until then. */
  at(milliseconds: number, happening: () => void): void {
    this.#timers.push({ due: this.start + milliseconds, ring: happening });
  }

  /** Winds the clock until the work is over. Throws when that waits for anything else. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      await everyoneElse();
      if (isOver) return await work;
      if (!this.#ringNext()) throw new Error("The work is not over, and nobody waits for the clock.");
    }
    throw new Error(`The work is not over after ${MOST_TURNS} turns of the clock.`);
  }

  /** Winds the clock on by so much, and wakes whoever is due by then. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await everyoneElse();
    while (this.#timers.some(({ due }) => due <= end)) {
      this.#ringNext();
      await everyoneElse();
    }
    this.#now = end;
  }

  #ringNext(): boolean {
    const [next] = this.#timers.toSorted((left, right) => left.due - right.due);
    if (next === undefined) return false;
    this.#timers = this.#timers.filter((timer) => timer !== next);
    this.#now = Math.max(this.#now, next.due);
    next.ring();
    return true;
  }
}

/** Lets everything run that does not wait for time. */
function everyoneElse(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
