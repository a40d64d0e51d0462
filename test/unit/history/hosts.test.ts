import { describe, expect, test } from "vitest";
import {
  type History,
  type HostFate,
  historyText,
  imageMark,
  type KeptFacts,
  MOST_HISTORY_BYTES,
  merge,
  NO_HISTORY,
  prune,
  ratiosOf,
  readHistoryText,
  withFate,
} from "../../../src/history/hosts.ts";
import { MOST_KINDS, MOST_PAST_RUNS, mergeRuns, type PastRun } from "../../../src/history/past-runs.ts";

const NOW = 1_795_000_000_000;
const DAY = 24 * 3_600_000;
const MARK = imageMark({ name: "debian:13", bytes: undefined });
const BOOT = { at: NOW - 5000, image: MARK, estimateMs: 180_000, actualMs: 171_234 };

function historyOf(...fates: HostFate[]): History {
  return fates.reduce(withFate, NO_HISTORY);
}

function kept(machines: History, runs: readonly PastRun[] = []): KeptFacts {
  return { machines, runs };
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

test("what is written is read again", () => {
  expect(readHistoryText(historyText(kept(SOME, [RUN])), NOW)).toEqual(kept(SOME, [RUN]));
});

test("of runs the newest 200 are kept, oldest first; one that both have counts once, as the later one has it", () => {
  const runs = Array.from({ length: 250 }, (_none, index) => ({ ...RUN, run: index + 1, at: NOW - index }));
  const merged = mergeRuns(runs.slice(0, 150), runs.slice(100));
  expect(merged.map(({ run }) => run)).toEqual(Array.from({ length: 200 }, (_none, index) => 200 - index));
  expect(mergeRuns([RUN], [{ ...RUN, usd: 9 }])).toEqual([{ ...RUN, usd: 9 }]);
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

test.each([0, -1, 1.5, 1e15, Number.NaN])(
  "a machine_id of %d is none, and not kept: the whole history would be refused",
  (machine) => {
    const history = historyOf({ kind: "served", machine, at: NOW }, { kind: "served", machine: 7, at: NOW });
    expect([...history.keys()]).toEqual([7]);
    expect(readHistoryText(historyText(kept(history)), NOW)).toEqual(kept(history));
  },
);

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

test("the biggest history that is kept fits by far", () => {
  const boots = Array.from({ length: 30 }, (_none, index) => ({ ...BOOT, at: NOW - index, actualMs: 123_456 }));
  const fates = Array.from({ length: 500 }, (_none, machine): HostFate[] => [
    { kind: "failed", machine: 999_999_999_999_000 + machine, at: NOW },
    { kind: "served", machine: 999_999_999_999_000 + machine, at: NOW },
    ...boots.map((boot): HostFate => ({ kind: "booted", machine: 999_999_999_999_000 + machine, ...boot })),
  ]);
  const { kinds, ...run } = RUN;
  const longest = {
    ...run,
    run: 999_999_999_999,
    usd: 0.012345678901234567,
    kinds: Array(MOST_KINDS).fill({ ...kinds[0], machine: 999_999_999_999_999 }),
  };
  const runs = Array<PastRun>(MOST_PAST_RUNS).fill(longest);
  const text = historyText(kept(prune(historyOf(...fates.flat().slice(0, 5000)), NOW), runs));
  expect(text.length).toBeLessThan(0.8 * MOST_HISTORY_BYTES);
});

describe("a text that is no history is refused whole, with a reason", () => {
  const withRun = (given: object) => JSON.stringify({ version: 2, machines: {}, runs: [{ ...RUN, ...given }] });
  const machines = (entry: unknown) => JSON.stringify({ version: 2, machines: { 7: entry }, runs: [] });
  test.each([
    ["nothing", "", "not a JSON object"],
    ["a list", "[]", "not a JSON object"],
    ["half a history", '{"version":2,"machines":{"7"', "not a JSON object"],
    ["another version", '{"version":3,"machines":{},"runs":[]}', "version is not 2"],
    ["no runs", '{"version":2,"machines":{}}', "runs can't be read"],
    ["a run with text of others", withRun({ kinds: [{ kind: "::error::x" }] }), "runs can't be read"],
    ["a run that cost NaN", withRun({ usd: "NaN" }), "runs can't be read"],
    ["a run above 100%", withRun({ kinds: [{ kind: MARK, usePeak: 101 }] }), "runs can't be read"],
    ["a run to come", withRun({ at: NOW + 2 * DAY }), "runs can't be read"],
    ["no machines", '{"version":2,"runs":[]}', "no machines"],
    ["too much", `{"version":2,"machines":{},"runs":[]}${" ".repeat(MOST_HISTORY_BYTES)}`, "more than 1 MB"],
    ["a prototype", '{"version":2,"machines":{"__proto__":{"boots":[]}},"runs":[]}', "machine number 1"],
    [
      "a machine that is no number",
      '{"version":2,"machines":{"::error::x":{"boots":[]}},"runs":[]}',
      "machine number 1",
    ],
    ["NaN", machines({ failedAt: Number.NaN, boots: [] }), "machine number 1"],
    [
      "NaN as some write it",
      '{"version":2,"machines":{"7":{"failedAt":NaN,"boots":[]}},"runs":[]}',
      "not a JSON object",
    ],
    ["a huge number", '{"version":2,"machines":{"7":{"failedAt":1e308,"boots":[]}},"runs":[]}', "machine number 1"],
    ["a time to come", machines({ servedAt: NOW + 2 * DAY, boots: [] }), "machine number 1"],
    ["a boot of no time", machines({ boots: [{ ...BOOT, actualMs: 0 }] }), "machine number 1"],
    ["a boot of a year", machines({ boots: [{ ...BOOT, estimateMs: 365 * DAY }] }), "machine number 1"],
    ["text of others", machines({ boots: [{ ...BOOT, image: "::add-mask::gpu" }] }), "machine number 1"],
    ["a field of others", machines({ boots: [], note: "::warning::x" }), "machine number 1"],
    ["no boots", machines({ failedAt: NOW }), "machine number 1"],
    ["boots that are none", machines({ boots: [null] }), "machine number 1"],
  ])("%s", (_what, text, reason) => {
    expect(readHistoryText(text, NOW)).toEqual(expect.stringContaining(reason));
  });
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
