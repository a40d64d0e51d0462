import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { availableParallelism } from "node:os";

/** Real time less that in which this computer could not keep up. Simulated time passes in it. */
export interface LivedTime extends Disposable {
  /** Real milliseconds since the epoch, less what was lost. */
  now(): number;
  /**
   * For processes that live in the same world, in microseconds: when it was written, and what was
   * lost until then. From then on time passes for HELD_MS, until it is written again.
   */
  readonly file: string;
}

/** How often it is looked at: what a clock shows beforehand is wrong by about that much. */
const TICK_MS = 20;
/** While this process can't run, nobody's time passes: who asks it can't be answered. */
const HELD_MS = 2 * TICK_MS;
/** The worlds' factors are such that three processes can share a core. */
const SHARING = 3;

/**
 * Counts it from now on, in `file`. With six processes to a core each runs a sixth of the time, not
 * a third as it needs, so half is lost: a story is the same on a busy computer, and takes longer.
 */
export function countLivedTime(file: string): LivedTime {
  let lost = 0;
  let seen = Date.now();
  const output = openSync(file, "w");
  const look = () => {
    const now = Date.now();
    lost += lostIn(now - seen, { runnable: countRunnable(), cores: availableParallelism() });
    seen = now;
    // Of fixed width and in place, so that there is always a whole text to read.
    writeSync(output, `${[seen, lost].map(toMicroseconds).join(" ")}\n`, 0);
  };
  look();
  const timer = setInterval(look, TICK_MS).unref();
  const end = () => {
    clearInterval(timer);
    closeSync(output);
  };
  return { now: () => Math.min(Date.now(), seen + HELD_MS) - lost, file, [Symbol.dispose]: end };
}

/** The part of the time between two looks that is lost when so many processes want a core. */
export function lostIn(elapsedMs: number, { runnable, cores }: { runnable: number; cores: number }): number {
  return elapsedMs - Math.min(elapsedMs, HELD_MS) * Math.min(1, (SHARING * cores) / Math.max(1, runnable));
}

function toMicroseconds(ms: number): string {
  return String(Math.round(ms * 1000)).padStart(16, "0");
}

/** The processes that run or could, but for the one that asks; 0 where no such file is. */
function countRunnable(): number {
  try {
    return Number(/ (\d+)\/\d+ /.exec(readFileSync("/proc/loadavg", "utf8"))?.[1] ?? 1) - 1;
  } catch {
    return 0;
  }
}
