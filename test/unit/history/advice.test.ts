import { expect, test } from "vitest";
import { type AdviceFacts, adviceOf } from "../../../src/history/advice.ts";
import type { PastKind, PastRun } from "../../../src/history/past-runs.ts";
import { aPastRun } from "./a-history.ts";

const [IDLE] = aPastRun().kinds as [PastKind];

function aRun(run: number, given: Partial<PastKind> = {}, of: Partial<PastRun> = {}): PastRun {
  return aPastRun({ run, at: run, usd: 0.1, kinds: [{ ...IDLE, samples: 360, ...given }], ...of });
}

function threeRuns(given: Partial<PastKind> = {}, of: Partial<PastRun> = {}): PastRun[] {
  return [1, 2, 3].map((run) => aRun(run, given, of));
}

const SMALL = { offer: { machineId: 5, gpuName: "RTX 3060", gpuRamMb: 12_288 }, price: { total: 0.07 } };
const LARGE = { offer: { machineId: 6, gpuName: "RTX 4090", gpuRamMb: 24_564 }, price: { total: 0.05 } };
const FOREIGN = { ...SMALL, offer: { ...SMALL.offer, gpuName: "RTX\n::error::x" } };
const SAME_HOST = { ...LARGE, offer: { ...LARGE.offer, machineId: 40_211 } };

function advice(given: Partial<AdviceFacts> = {}): string[] {
  return adviceOf({ runs: threeRuns(), perHour: 0.35, hours: 0.1, offers: [SMALL, LARGE], imagePart: 1, ...given });
}

const SEEN =
  "Peak memory 7.2 of 24 GB, use 31%: an RTX 3060 (12 GB) would do; from 0.0700 USD an hour now, about 0.0280 USD a run less. Change gpu-name.";
const BY_SIZE =
  "Peak memory 7.2 of 24 GB, use 31%: a GPU of 12 GB would do. Change gpu-name; with check: true its price is shown.";
const A_SMALLER_ONE = expect.stringMatching(/^Peak memory .* Change gpu-name\.$/);
/** Far off: one run is enough. With the margin, a quarter of 24,564 MiB is needed. */
const FAR_OFF = { memoryPeakMib: 3936, usePeak: 25, useMedian: 25, samples: 60 };
const SLOW = { useMedian: 90, throttledPercent: 30 };
const BY_FAR = { useMedian: 90, throttledPercent: 40, samples: 60 };
const throttled = (percent: number) => `Throttled for ${percent}% of the time: put 40211 into exclude-machines.`;
const BUSY = { useMedian: 90 };
const LOADING = threeRuns(BUSY, { bytesUsd: 0.061 });
const traffic = (percent: number) =>
  `${percent}% of the cost is traffic: a smaller image saves more than a cheaper GPU. Change image.`;

test.each<[string, Partial<AdviceFacts>, unknown[]]>([
  ["a smaller GPU that was seen, with its price", {}, [SEEN]],
  ["a dearer one saves nothing: its size alone is named", { offers: [{ ...SMALL, price: { total: 0.3 } }] }, [BY_SIZE]],
  ["a name that is foreign text is one line", { offers: [FOREIGN] }, [A_SMALLER_ONE]],
  ["at the very limits of the evidence", { runs: threeRuns({ useMedian: 40, samples: 12 }) }, [A_SMALLER_ONE]],
  ["after one run only where it is far off", { runs: [aRun(1, FAR_OFF)] }, [A_SMALLER_ONE]],
  ["too few samples of it", { runs: [aRun(1, { ...FAR_OFF, samples: 59 })] }, []],
  ["its peak is higher", { runs: [aRun(1, { ...FAR_OFF, usePeak: 26 })] }, []],
  ["it needed more", { runs: [aRun(1, { ...FAR_OFF, memoryPeakMib: 3937 })] }, []],
  ["one of them needed more", { runs: [aRun(1, { memoryPeakMib: 20_000 }), ...threeRuns()] }, []],
  ["the last run's was not reported", { runs: [...threeRuns(), aRun(4, { memoryPeakMib: undefined })] }, []],
  ["a job too short to know", { runs: threeRuns({ samples: 11 }) }, []],
  ["nothing ran", { runs: [] }, []],
  ["runs of other kinds of job", { runs: [...threeRuns({ kind: "0".repeat(16) }), aRun(4)] }, []],
  ["a throttled host, after three runs", { runs: threeRuns(SLOW) }, [throttled(30)]],
  ["two runs on it", { runs: threeRuns(SLOW).slice(1) }, []],
  ["its id is not known", { runs: threeRuns({ ...SLOW, machine: undefined }) }, []],
  ["one by far", { runs: [aRun(1, BY_FAR)] }, [throttled(40)]],
  ["one by far with too few samples", { runs: [aRun(1, { ...BY_FAR, samples: 59 })] }, []],
  ["no other machine was seen", { runs: threeRuns(SLOW), offers: [SAME_HOST] }, []],
  ["traffic that is most of the cost, and the image's", { runs: LOADING }, [traffic(61)]],
  ["not the image's", { runs: LOADING, imagePart: 0.4 }, []],
  ["nearly all of one run's cost", { runs: [aRun(1, BUSY, { bytesUsd: 0.09 })] }, [traffic(90)]],
])("%s", (_what, given, lines) => {
  expect(advice(given)).toEqual(lines);
});
