import { setTimeout as sleepFor } from "node:timers/promises";

/** Gives the time and waits. All other code does both only through a clock, so that tests can set the time by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Waits that many milliseconds; rejects with the signal's reason as soon as it aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Makes readings of `wall` that can't jump: it is read once, and then the time that has passed counts. In ms. */
export function steady(wall: () => number, passed: () => number): () => number {
  const origin = wall() - passed();
  return () => Math.round(origin + passed());
}

/** The clock of the machine that this process runs on. */
export const systemClock: Clock = {
  now: steady(
    () => Date.now(),
    () => performance.now(),
  ),
  async sleep(milliseconds, signal) {
    signal?.throwIfAborted();
    try {
      await sleepFor(Math.max(0, milliseconds), undefined, signal ? { signal } : {});
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
