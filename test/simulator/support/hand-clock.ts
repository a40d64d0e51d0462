import type { SimClock } from "../../../simulator/clock/sim-clock.ts";

/** A clock that stands still until it is wound on by hand. */
export interface HandClock extends SimClock {
  advance(seconds: number): void;
}

/** Makes a hand-wound clock; callbacks that fall due run inside `advance`, in their order. */
export function handClock(): HandClock {
  let now = Date.UTC(2026, 10, 21);
  let timers: { due: number; callback: () => void }[] = [];
  const after: SimClock["after"] = (ms, callback) => {
    const timer = { due: now + ms, callback };
    timers.push(timer);
    return () => {
      timers = timers.filter((each) => each !== timer);
    };
  };
  const advance = (seconds: number) => {
    const end = now + seconds * 1000;
    for (;;) {
      const next = timers.filter(({ due }) => due <= end).toSorted((left, right) => left.due - right.due)[0];
      if (!next) break;
      timers = timers.filter((each) => each !== next);
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
