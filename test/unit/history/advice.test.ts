import { describe, expect, test } from "vitest";
import { type AdviceFacts, adviceOf } from "../../../src/history/advice.ts";
import { markOf } from "../../../src/history/hosts.ts";
import type { PastKind, PastRun } from "../../../src/history/past-runs.ts";

const IDLE: PastKind = {
  ...{ kind: markOf("test"), machine: 40_211, samples: 360, useMedian: 31, usePeak: 98 },
  ...{ memoryPeakMib: 7372, memoryTotalMib: 24_564, throttledPercent: 0 },
};

function aRun(run: number, given: Partial<PastKind> = {}, of: Partial<PastRun> = {}): PastRun {
  return { run, attempt: 1, at: run, usd: 0.1, bytesUsd: 0.01, use: IDLE.kind, kinds: [{ ...IDLE, ...given }], ...of };
}

function threeRuns(given: Partial<PastKind> = {}, of: Partial<PastRun> = {}): PastRun[] {
  return [1, 2, 3].map((run) => aRun(run, given, of));
}

const SMALL = { machineId: 5, gpuName: "RTX 3060", gpuRamMb: 12_288, price: { total: 0.07 } };
const LARGE = { machineId: 6, gpuName: "RTX 4090", gpuRamMb: 24_564, price: { total: 0.05 } };

function advice(given: Partial<AdviceFacts> = {}): string[] {
  return adviceOf({ runs: threeRuns(), perHour: 0.35, hours: 0.1, offers: [SMALL, LARGE], imagePart: 1, ...given });
}

describe("a smaller GPU", () => {
  test("that was seen, with its price", () => {
    expect(advice()).toEqual([
      "Peak memory 7.2 of 24 GB, use 31%: an RTX 3060 (12 GB) would do; from 0.0700 USD an hour now, about 0.0280 USD a run less. Change gpu-name.",
    ]);
  });

  test("of which none was seen, by its size", () => {
    expect(advice({ offers: [LARGE] })).toEqual([
      "Peak memory 7.2 of 24 GB, use 31%: a GPU of 12 GB would do. Change gpu-name; with check: true its price is shown.",
    ]);
  });

  test("after one run only where it is far off", () => {
    expect(advice({ runs: [aRun(1)] })).toEqual([]);
    const farOff = { memoryPeakMib: 1000, usePeak: 20, useMedian: 5 };
    expect(advice({ runs: [aRun(1, farOff)] })).toHaveLength(1);
    expect(advice({ runs: [aRun(1, { ...farOff, samples: 59 })] })).toEqual([]);
  });

  test("for jobs at the very limits of the evidence", () => {
    expect(advice({ runs: threeRuns({ useMedian: 40, samples: 12 }) })).toHaveLength(1);
    // With the margin, a quarter of 24,564 MiB is needed.
    const farOff = { memoryPeakMib: 3936, usePeak: 25, useMedian: 25, samples: 60 };
    expect(advice({ runs: [aRun(1, farOff)] })).toHaveLength(1);
    expect(advice({ runs: [aRun(1, { ...farOff, usePeak: 26 })] })).toEqual([]);
    expect(advice({ runs: [aRun(1, { ...farOff, memoryPeakMib: 3937 })] })).toEqual([]);
  });

  test.each<[string, Partial<AdviceFacts>]>([
    ["two runs alone", { runs: threeRuns().slice(1) }],
    ["one of them needed more", { runs: [aRun(1, { memoryPeakMib: 20_000 }), ...threeRuns()] }],
    ["the GPU was busy", { runs: threeRuns({ useMedian: 41 }) }],
    ["memory was not reported", { runs: threeRuns({ memoryPeakMib: undefined }) }],
    ["use was not reported", { runs: threeRuns({ useMedian: undefined }) }],
    ["the last run's was not reported", { runs: [...threeRuns(), aRun(4, { memoryPeakMib: undefined })] }],
    ["a job too short to know", { runs: threeRuns({ samples: 11 }) }],
    ["runs of other kinds of job", { runs: [...threeRuns({ kind: markOf("other") }), aRun(4)] }],
    ["nothing ran", { runs: [] }],
  ])("none where: %s", (_why, given) => {
    expect(advice(given)).toEqual([]);
  });

  test("a dearer one saves nothing: its size alone is named", () => {
    expect(advice({ offers: [{ ...SMALL, price: { total: 0.3 } }] }).join()).not.toContain("3060");
  });

  test("a name that is foreign text is one line", () => {
    const [line = ""] = advice({ offers: [{ ...SMALL, gpuName: "RTX\n::error::x" }] });
    expect(line).not.toContain("\n");
  });
});

describe("a throttled host", () => {
  const slow = { useMedian: 90, throttledPercent: 30 };
  test("is named after three runs on it, or one by far", () => {
    const said = ["Throttled for 30% of the time: put 40211 into exclude-machines."];
    expect(advice({ runs: threeRuns(slow) })).toEqual(said);
    expect(advice({ runs: threeRuns(slow).slice(1) })).toEqual([]);
    expect(advice({ runs: [aRun(1, { ...slow, throttledPercent: 40 })] })).toEqual([said[0]?.replace("30%", "40%")]);
    expect(advice({ runs: [aRun(1, { ...slow, throttledPercent: 40, samples: 59 })] })).toEqual([]);
  });

  test("is not, where no other machine was seen, or its id is not known", () => {
    const only = [{ ...LARGE, machineId: 40_211 }];
    expect(advice({ runs: threeRuns(slow), offers: only })).toEqual([]);
    expect(advice({ runs: threeRuns({ ...slow, machine: undefined }) })).toEqual([]);
  });
});

describe("traffic", () => {
  const busy = { useMedian: 90 };
  test("that are most of the cost, and the image's", () => {
    const runs = threeRuns(busy, { usd: 0.1, bytesUsd: 0.061 });
    expect(advice({ runs })).toEqual([
      "61% of the cost is traffic: a smaller image saves more than a cheaper GPU. Change image.",
    ]);
    expect(advice({ runs: runs.slice(1) })).toEqual([]);
    expect(advice({ runs, imagePart: 0.4 })).toEqual([]);
    expect(advice({ runs, imagePart: undefined })).toEqual([]);
    expect(advice({ runs: [aRun(1, busy, { usd: 0.1, bytesUsd: 0.09 })] })).toHaveLength(1);
    expect(advice({ runs: threeRuns(busy, { bytesUsd: undefined }) })).toEqual([]);
  });
});
