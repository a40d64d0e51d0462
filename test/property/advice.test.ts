import fc from "fast-check";
import { expect, test } from "vitest";
import { adviceOf } from "../../src/history/advice.ts";
import type { PastKind, PastRun } from "../../src/history/past-runs.ts";
import { always } from "./support/always.ts";
import { orNone } from "./support/hostile.ts";

const KIND = "0123456789abcdef";
const HAS = 24_564;

/** A kind of job: what it truly needs in each run, and how much of that the driver was seen to show. */
const story = fc.record({
  need: fc.integer({ min: 200, max: HAS }),
  runs: fc.array(
    fc.record({
      part: fc.double({ min: 0.8, max: 1, noNaN: true }),
      seen: fc.double({ min: 0.8, max: 1, noNaN: true }),
      useMedian: orNone(fc.nat({ max: 60 })),
      usePeak: fc.integer({ min: 0, max: 100 }),
      samples: fc.nat({ max: 400 }),
      isReported: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  sizes: fc.array(fc.constantFrom(4096, 6144, 8192, 10_240, 12_288, 16_376, 20_475, 24_564), { maxLength: 5 }),
});

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

function runsOf({ need, runs }: Story): PastRun[] {
  return runs.map(({ isReported, part, samples, seen, useMedian, usePeak }, index) => ({
    ...{ run: index + 1, attempt: 1, at: index + 1, usd: 0.1, use: KIND },
    kinds: [
      {
        kind: KIND,
        ...(isReported && {
          ...{ samples, usePeak, memoryPeakMib: Math.floor(need * part * seen), memoryTotalMib: HAS },
          ...(useMedian === undefined ? {} : { useMedian: Math.min(useMedian, usePeak) }),
        }),
      },
    ],
  }));
}

/** Runs that hold less than its need, and of that four fifths are seen: the next may hold a fifth more. */
test("who follows the advice for a smaller GPU has no job fail that fitted", () =>
  always(5000, [story], (drawn) => {
    const offers = drawn.sizes.map((gpuRamMb) => ({
      offer: { machineId: 1, gpuName: `GPU ${gpuRamMb}`, gpuRamMb },
      price: { total: 0.1 },
    }));
    const [line] = adviceOf({ runs: runsOf(drawn), perHour: 0.35, hours: 1, offers, imagePart: undefined });
    if (line === undefined) return;
    const seen = /GPU (\d{4,})/.exec(line)?.[1];
    const size = /a GPU of (\d+) GB/.exec(line)?.[1];
    const room = seen === undefined ? Number(size) * 1000 : Number(seen);
    const held = Math.max(...drawn.runs.filter(({ isReported }) => isReported).map(({ part }) => drawn.need * part));
    expect(room).toBeGreaterThanOrEqual(held);
    expect(line).toContain("Change gpu-name");
  }));

test("no advice on less evidence: three runs that were reported, or one that is far off", () =>
  always(5000, [story], (drawn) => {
    const runs = runsOf(drawn);
    if (adviceOf({ runs, perHour: 0.35, hours: 1, offers: [], imagePart: undefined }).length === 0) return;
    const kinds = runs.flatMap((run) => run.kinds);
    const isWhole = ({ memoryPeakMib, samples = 0, useMedian }: PastKind) =>
      memoryPeakMib !== undefined && useMedian !== undefined && samples >= 12;
    const reported = kinds.filter(isWhole);
    const isFarOff = reported.every(
      ({ memoryPeakMib = HAS, usePeak = 100 }) => memoryPeakMib < HAS / 4 && usePeak <= 25,
    );
    expect(reported.length >= 3 || (reported.length > 0 && isFarOff)).toBe(true);
    expect(kinds.at(-1)?.memoryPeakMib).toBeDefined();
  }));
