import type { Clock } from "../../../src/shared/clock.ts";
import type { HandClock } from "../../simulator/support/hand-clock.ts";

/** Whoever sleeps on this clock winds the simulator's on instead: no test waits. */
export function windingClock(clock: HandClock): Clock {
  return {
    now: () => clock.now(),
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted();
      clock.advance(Math.max(0, milliseconds) / 1000);
    },
  };
}
