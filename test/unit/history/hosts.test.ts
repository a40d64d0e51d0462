import { expect, test } from "vitest";
import {
  type History,
  type HostFate,
  imageMark,
  merge,
  NO_HISTORY,
  prune,
  ratiosOf,
  withFate,
} from "../../../src/history/hosts.ts";
import { mergeRuns, type PastRun } from "../../../src/history/past-runs.ts";

const NOW = 1_795_000_000_000;
const DAY = 24 * 3_600_000;
const MARK = imageMark({ name: "debian:13", bytes: undefined });
const BOOT = { at: NOW - 5000, image: MARK, estimateMs: 180_000, actualMs: 171_234 };

function historyOf(...fates: HostFate[]): History {
  return fates.reduce(withFate, NO_HISTORY);
}

const RUN: PastRun = {
  ...{ run: 4711, attempt: 1, at: NOW - DAY, usd: 0.04, bytesUsd: 0.01, waitSeconds: 120, bootSeconds: 80 },
  use: MARK,
  kinds: [
    {
      kind: MARK,
      machine: 40_211,
      samples: 720,
      useMedian: 31,
      usePeak: 98,
      memoryPeakMib: 7372,
      memoryTotalMib: 24_564,
      throttledPercent: 0,
    },
  ],
};

const SOME = historyOf(
  { kind: "booted", machine: 40_211, ...BOOT },
  { kind: "served", machine: 40_211, at: NOW },
  { kind: "failed", machine: 40_305, at: NOW - DAY },
);

test("of runs, oldest first, one that both have counts once: its figures, and the more that it cost", () => {
  const runs = Array.from({ length: 9 }, (_none, index) => ({ ...RUN, run: index + 1, at: NOW - index }));
  const merged = mergeRuns(runs.slice(0, 6), runs.slice(4));
  expect(merged.map(({ run }) => run)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  const toldByPost = { ...RUN, usd: 9, bytesUsd: 1, kinds: [], waitSeconds: undefined };
  const whole = { ...RUN, usd: 9, bytesUsd: 1 };
  expect(mergeRuns([RUN], [toldByPost])).toEqual([whole]);
  expect(mergeRuns([toldByPost], [RUN])).toEqual([whole]);
  expect(mergeRuns([RUN], [{ ...RUN, attempt: 2 }])).toHaveLength(2);
});

test("a fate is added; the newest of a kind is kept, whatever comes first", () => {
  const twice = historyOf({ kind: "failed", machine: 7, at: NOW }, { kind: "failed", machine: 7, at: NOW - DAY });
  expect(twice.get(7)).toEqual({ failedAt: NOW, boots: [] });
  expect(SOME.get(40_211)).toEqual({ servedAt: NOW, boots: [BOOT] });
});

test.each([
  ["a clock that was set back", { actualMs: -3000 }],
  ["a line so slow that its estimate is no time", { estimateMs: 20 * 3_600_000 }],
])("a boot by %s is not kept: it would spoil the history", (_name, given) => {
  expect(historyOf({ kind: "booted", machine: 7, ...BOOT, ...given })).toEqual(NO_HISTORY);
});

test.each([0, -1, 1.5, 1e15, Number.NaN])("a machine_id of %d is none, and not kept", (machine) => {
  const history = historyOf({ kind: "served", machine, at: NOW }, { kind: "served", machine: 7, at: NOW });
  expect([...history.keys()]).toEqual([7]);
});

test("what two runs know is merged: nothing is lost, and nothing counts twice", () => {
  const later = { ...BOOT, at: NOW };
  const other = historyOf({ kind: "booted", machine: 40_211, ...later }, { kind: "served", machine: 9, at: NOW });
  const both = merge(SOME, other);
  expect([...both.keys()]).toEqual([40_211, 40_305, 9]);
  expect(both.get(40_211)).toEqual({ servedAt: NOW, boots: [BOOT, later] });
  expect(merge(both, other)).toEqual(both);
});

test("forgets what is older than 30 days, and all but the 500 that were heard of last", () => {
  const old = historyOf(
    { kind: "served", machine: 1, at: NOW - 31 * DAY },
    { kind: "served", machine: 2, at: NOW - 29 * DAY },
  );
  expect([...prune(old, NOW).keys()]).toEqual([2]);
  const many = historyOf(
    ...Array.from(
      { length: 600 },
      (_none, index): HostFate => ({ kind: "served", machine: index + 1, at: NOW - index }),
    ),
  );
  expect([...prune(many, NOW).keys()]).toEqual(Array.from({ length: 500 }, (_none, index) => index + 1));
});

test("the ratios of all machines' boots are in the order of their time, whichever machine comes first", () => {
  const boot = (machine: number, at: number, actualMs: number): HostFate => ({
    kind: "booted",
    machine,
    ...BOOT,
    at,
    actualMs,
  });
  const history = historyOf(boot(1, NOW - 1, 90_000), boot(2, NOW - 3, 180_000), boot(1, NOW - 2, 360_000));
  expect(ratiosOf(history)).toEqual([1, 2, 0.5]);
  const unknown: HostFate = { kind: "booted", machine: 3, ...BOOT, estimateMs: undefined };
  expect(ratiosOf(withFate(history, unknown))).toEqual([1, 2, 0.5]);
});
