import { type History, type HostFate, imageMark, NO_HISTORY, withFate } from "../../../src/history/hosts.ts";
import { type KeptFacts, NO_FACTS } from "../../../src/history/kept-facts.ts";
import type { PastRun } from "../../../src/history/past-runs.ts";
import type { Head } from "../../../src/history/records.ts";

/** The present, in milliseconds since the epoch: a whole second, as records have no others. */
export const NOW = 1_795_000_000_000;
export const DAY = 24 * 3_600_000;
export const MARK = imageMark({ name: "debian:13", bytes: undefined });

export function historyOf(...fates: HostFate[]): History {
  return fates.reduce(withFate, NO_HISTORY);
}

/** The facts of a history, but for what the test says. */
export function factsOf(given: Partial<KeptFacts> = {}): KeptFacts {
  return { ...NO_FACTS, ...given };
}

export function aHead(given: Partial<Head> = {}): Head {
  return { run: 123, attempt: 1, at: NOW - DAY, isWhole: true, ...given };
}

/** A run with all its figures, but for what the test says. */
export function aPastRun(given: Partial<PastRun> = {}): PastRun {
  return {
    ...{ run: 4711, attempt: 1, at: NOW - DAY, usd: 0.04, bytesUsd: 0.01, waitSeconds: 120, bootSeconds: 80 },
    use: MARK,
    kinds: [
      {
        ...{ kind: MARK, machine: 40_211, seconds: 3600, samples: 720, useMedian: 31, usePeak: 98 },
        ...{ memoryPeakMib: 7372, memoryTotalMib: 24_564, throttledPercent: 0 },
      },
    ],
    ...given,
  };
}
