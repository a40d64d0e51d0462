import type { LivedTime } from "./lived-time.ts";

/** Simulated time: it starts with the wall clock at `origin` and runs `factor` times as fast. */
export interface SimClock {
  /** Simulated milliseconds that pass in one real millisecond. */
  readonly factor: number;
  /** Simulated milliseconds since the epoch: origin + (lived now - origin) * factor. */
  now(): number;
  /** Calls back after simulated ms, never early by `now()`; returns a cancel. Holds no process. */
  after(ms: number, callback: () => void): () => void;
  /** Resolves after simulated `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** The variables by which a child (preload.mjs, the machine's `date`, `sleep`) follows it. */
  childEnv(): Record<string, string>;
}

/** Node fires a longer timer at once, so a longer wait is made of several. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A clock `factor` times as fast as the wall clock, or `lived`, since `origin` (real ms). */
export function scaledClock(factor = 1, origin = Date.now(), lived?: Pick<LivedTime, "now" | "file">): SimClock {
  if (!(Number.isFinite(factor) && factor > 0)) throw new Error(`The clock's factor must be above 0, not ${factor}.`);
  const real = lived?.now ?? Date.now;
  let latest = 0;
  const now = () => {
    // It stands still rather than go back when more turns out to be lost.
    latest = Math.max(latest, origin + (real() - origin) * factor);
    return latest;
  };
  const after = (ms: number, callback: () => void) => {
    const due = now() + ms;
    let handle: NodeJS.Timeout;
    // Arms again while time is left: Node's timers may be 1 ms early, which a factor multiplies.
    const arm = () => {
      const realMs = Math.max(Math.ceil((due - now()) / factor), 0);
      handle = setTimeout(() => (now() < due ? arm() : callback()), Math.min(realMs, LONGEST_TIMER_MS)).unref();
    };
    arm();
    return () => clearTimeout(handle);
  };
  return {
    factor,
    now,
    after,
    sleep: (ms, signal) => sleepUntilDone(after, ms, signal),
    childEnv: () => ({
      SIM_TIME_FACTOR: String(factor),
      SIM_TIME_ORIGIN: String(origin),
      ...(lived && { SIM_TIME_LIVED: lived.file }),
    }),
  };
}

function sleepUntilDone(after: SimClock["after"], ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const cancel = after(ms, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    const stop = () => {
      cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}
