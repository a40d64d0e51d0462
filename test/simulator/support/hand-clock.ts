import type { SimClock } from "../../../simulator/clock/sim-clock.ts";
import type { Clock } from "../../../src/shared/clock.ts";

/** A clock that stands still until it is wound on by hand. */
export interface HandClock extends SimClock {
  advance(seconds: number): void;
}

/** Makes a hand-wound clock; callbacks that fall due run inside `advance`, in their order. */
export function handClock(): HandClock {
  let now = Date.UTC(2026, 10, 21);
  const timers = new Set<{ due: number; callback: () => void }>();
  const after: SimClock["after"] = (ms, callback) => {
    const timer = { due: now + ms, callback };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const advance = (seconds: number) => {
    const end = now + seconds * 1000;
    for (;;) {
      const [next] = [...timers].filter(({ due }) => due <= end).sort((left, right) => left.due - right.due);
      if (!next) break;
      timers.delete(next);
      now = Math.max(now, next.due);
      next.callback();
    }
    now = end;
  };
  const sleep: SimClock["sleep"] = (ms, signal) =>
    new Promise((resolve, reject) => {
      after(ms, resolve);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  return { factor: 1, now: () => now, after, sleep, childEnv: () => ({}), advance };
}

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
