import { expect, test } from "vitest";
import { type HostFate, merge, NO_HISTORY, prune, ratiosOf } from "../../../src/history/hosts.ts";
import { mergeRuns } from "../../../src/history/past-runs.ts";
import { aPastRun, DAY, historyOf, MARK, NOW } from "./a-history.ts";

const BOOT = { at: NOW - 5000, image: MARK, estimateMs: 180_000, actualMs: 171_234 };

const booted = (machine: number, given: Partial<typeof BOOT> = {}) =>
  ({ kind: "booted", machine, ...BOOT, ...given }) as const;
const served = (machine: number, at = NOW): HostFate => ({ kind: "served", machine, at });
const failed = (machine: number, at = NOW): HostFate => ({ kind: "failed", machine, at });

const SOME = historyOf(booted(40_211), served(40_211), failed(40_305, NOW - DAY));

test("of runs, oldest first, one that both have counts once: its figures, and the more that it cost", () => {
  const runs = Array.from({ length: 9 }, (_none, index) => aPastRun({ run: index + 1, at: NOW - index }));
  const merged = mergeRuns(runs.slice(0, 6), runs.slice(4));
  expect(merged.map(({ run }) => run)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  const [known, toldByPost] = [aPastRun(), aPastRun({ usd: 9, bytesUsd: 1, kinds: [], waitSeconds: undefined })];
  const whole = aPastRun({ usd: 9, bytesUsd: 1 });
  expect(mergeRuns([known], [toldByPost])).toEqual([whole]);
  expect(mergeRuns([toldByPost], [known])).toEqual([whole]);
  expect(mergeRuns([known], [aPastRun({ attempt: 2 })])).toHaveLength(2);
});

test("a fate is added; the newest of a kind is kept, whatever comes first", () => {
  expect(historyOf(failed(7), failed(7, NOW - DAY)).get(7)).toEqual({ failedAt: NOW, boots: [] });
  expect(SOME.get(40_211)).toEqual({ servedAt: NOW, boots: [BOOT] });
});

test.each<[string, HostFate]>([
  ["a boot by a clock that was set back", booted(7, { actualMs: -3000 })],
  ["a line so slow that its estimate is no time", booted(7, { estimateMs: 20 * 3_600_000 })],
  ...[0, -1, 1.5, 1e15, Number.NaN].map((id): [string, HostFate] => [`the machine_id ${id}`, served(id)]),
])("%s is not kept: it would spoil the history", (_what, fate) => {
  expect(historyOf(fate)).toEqual(NO_HISTORY);
});

test("what two runs know is merged: nothing is lost, and nothing counts twice", () => {
  const other = historyOf(booted(40_211, { at: NOW }), served(9));
  const both = merge(SOME, other);
  expect([...both.keys()]).toEqual([40_211, 40_305, 9]);
  expect(both.get(40_211)).toEqual({ servedAt: NOW, boots: [BOOT, { ...BOOT, at: NOW }] });
  expect(merge(both, other)).toEqual(both);
});

test("forgets what is older than 30 days, and all but the 500 that were heard of last", () => {
  const old = historyOf(served(1, NOW - 31 * DAY), served(2, NOW - 29 * DAY));
  expect([...prune(old, NOW).keys()]).toEqual([2]);
  const many = historyOf(...Array.from({ length: 600 }, (_none, index) => served(index + 1, NOW - index)));
  expect([...prune(many, NOW).keys()]).toEqual(Array.from({ length: 500 }, (_none, index) => index + 1));
});

test("the ratios of all machines' boots are in the order of their time; one without an estimate has none", () => {
  const boot = (machine: number, ago: number, actualMs: number) => booted(machine, { at: NOW - ago, actualMs });
  const unknown: HostFate = { ...booted(3), estimateMs: undefined };
  const history = historyOf(boot(1, 1, 90_000), boot(2, 3, 180_000), boot(1, 2, 360_000), unknown);
  expect(ratiosOf(history)).toEqual([1, 2, 0.5]);
});
