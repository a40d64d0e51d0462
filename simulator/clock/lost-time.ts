import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { availableParallelism } from "node:os";

/** Real time in which this computer could not keep up: for a simulated world it does not pass. */
export interface LostTime extends Disposable {
  /** Real milliseconds so far; never fewer than before. */
  ms(): number;
  /** Has the same in whole microseconds, for processes that live in that world. */
  readonly file: string;
}

/** How often it is looked at: what a clock shows beforehand is wrong by that much at most. */
const TICK_MS = 20;
/** A look that comes so much later shows that this process could not run. */
const BLOCKED_MS = 3 * TICK_MS;

/**
 * Counts it from now on, in `file`. With three processes to a core each runs a third of the time,
 * so two thirds are lost: a story is then the same on a busy computer, where it only takes longer.
 */
export function countLostTime(file: string): LostTime {
  let lost = 0;
  let before = performance.now();
  const output = openSync(file, "w");
  const look = () => {
    const now = performance.now();
    lost += lostIn(now - before, { runnable: countRunnable(), cores: availableParallelism() });
    before = now;
    // Of fixed width and in place, so that there is always a whole number to read.
    writeSync(output, `${String(Math.round(lost * 1000)).padStart(16, "0")}\n`, 0);
  };
  look();
  const timer = setInterval(look, TICK_MS).unref();
  const end = () => {
    clearInterval(timer);
    closeSync(output);
  };
  return { ms: () => lost, file, [Symbol.dispose]: end };
}

/** The part of the time between two looks that is lost when so many processes want a core. */
export function lostIn(elapsedMs: number, { runnable, cores }: { runnable: number; cores: number }): number {
  const lived = elapsedMs > BLOCKED_MS ? TICK_MS : elapsedMs;
  return elapsedMs - lived * Math.min(1, cores / Math.max(1, runnable));
}

/** The processes that run or could, but for the one that asks; 0 where no such file is. */
function countRunnable(): number {
  try {
    return Number(/ (\d+)\/\d+ /.exec(readFileSync("/proc/loadavg", "utf8"))?.[1] ?? 1) - 1;
  } catch {
    return 0;
  }
}
