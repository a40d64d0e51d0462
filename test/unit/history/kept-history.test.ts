import { expect, test } from "vitest";
import type { EarlierRuns } from "../../../src/history/earlier-runs.ts";
import { type HostFate, markOf, NO_HISTORY, prune, ratiosOf } from "../../../src/history/hosts.ts";
import { mergeFacts, spentOf } from "../../../src/history/kept-facts.ts";
import { describeEarlier, KeptHistory } from "../../../src/history/kept-history.ts";
import { mergeRuns } from "../../../src/history/past-runs.ts";
import { aHead, aPastRun, DAY, factsOf, historyOf, MARK, NOW } from "./a-history.ts";

function earlierRuns(given: Partial<EarlierRuns> = {}): EarlierRuns {
  const booted = { kind: "booted", at: NOW - DAY, image: MARK, actualMs: 45_000 } as const;
  const machines = historyOf({ ...booted, machine: 1 }, { kind: "served", machine: 2, at: NOW - DAY });
  return { facts: factsOf({ machines }), head: aHead({ at: NOW - 7_200_000 }), lost: 0, isWhole: true, ...given };
}

const unread = (...runs: number[]) => factsOf({ unread: new Map(runs.map((run) => [run, NOW])) });

test("what earlier runs knew comes beside what a session noted, whenever it arrives, and both are handed on", () => {
  const history = new KeptHistory();
  expect(history).toMatchObject({ known: new Map(), isKept: false });
  history.note({ kind: "served", machine: 7, at: NOW });
  expect([[...history.known.keys()], history.isKept]).toEqual([[7], false]);
  history.arrived(earlierRuns());
  history.note({ kind: "failed", machine: 2, at: NOW });
  expect([[...history.known.keys()], history.isKept]).toEqual([[1, 2, 7], true]);
  expect(history.known.get(2)).toEqual({ servedAt: NOW - DAY, failedAt: NOW, boots: [] });
  expect(new Map([...history.toHandOn(NOW).machines].toSorted(([one], [other]) => one - other))).toEqual(history.known);
});

test("a run is learnt behind those before it, and handed on with them", () => {
  const history = new KeptHistory();
  const before = aPastRun({ run: 4710, at: NOW - 2 * DAY });
  history.arrived(earlierRuns({ facts: factsOf({ runs: [before] }) }));
  for (const runs of [history.learn(aPastRun()), history.toHandOn(NOW).runs])
    expect(runs).toEqual([before, aPastRun()]);
});

test("how long a job usually takes: the middle of its newest five runs, by its name", () => {
  const history = new KeptHistory();
  const runs = [9000, 60, 70, 80, 100, 900].map((seconds, index) =>
    aPastRun({ run: index + 1, kinds: [{ kind: markOf("train"), seconds }, { kind: markOf("test") }] }),
  );
  expect(history.usualJobMs("train")).toBeUndefined();
  history.arrived(earlierRuns({ facts: factsOf({ runs }) }));
  expect(["train", "test", "other"].map((name) => history.usualJobMs(name))).toEqual([80_000, undefined, undefined]);
});

const NONE = "Nothing is known of earlier runs: ";
const FROM = "that have this image, from run 123 (2h ago)";
test.each<[string, Partial<EarlierRuns>, string]>([
  ["a spoilt line", { lost: 1 }, `Known: 2 hosts, 1 ${FROM}; 1 line could not be used`],
  ["a gap", { facts: unread(4) }, `Known: 0 hosts, 0 ${FROM}; 1 run could not be read`],
  ["a first run", { head: undefined }, `${NONE}none of this workflow has left a history.`],
])("one line of the log says what is known: %s", (_what, given, line) => {
  expect(describeEarlier(earlierRuns(given), MARK, NOW)).toBe(line);
});

test("two runs at once add the days up once: of each day the fuller sum", () => {
  const days = (...sums: [number, number][]) =>
    factsOf({ days: new Map(sums.map(([day, runs]) => [day, { runs, usd: runs }])) });
  expect(mergeFacts(days([1, 5], [2, 3]), days([1, 4], [2, 6], [3, 1]))).toEqual(days([1, 5], [2, 6], [3, 1]));
});

const runs = [aPastRun({ usd: 1 }), aPastRun({ run: 4712, usd: 3 })];
const days = new Map([[20_750, { runs: 2, usd: 4 }]]);
test.each([
  ["runs, and days of runs", factsOf({ runs, days }), { usd: 8, unread: 0, mean: 2 }],
  ["a gap counts as the mean", { ...unread(1, 2), runs, days }, { usd: 12, unread: 2, mean: 2 }],
  ["a gap of which no run is known", unread(1), { usd: 0, unread: 1, mean: 0 }],
])("what the workflow spent in 30 days: %s", (_what, facts, spent) => {
  expect(spentOf(facts)).toEqual(spent);
});

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

test("what would spoil the history is not kept: a clock that was set back, an estimate of a day, an id that is none", () => {
  const boots = [booted(7, { actualMs: -3000 }), booted(7, { estimateMs: 20 * 3_600_000 })];
  const ids = [0, -1, 1.5, 1e15, Number.NaN];
  expect(historyOf(...boots, ...ids.map((id) => served(id)))).toEqual(NO_HISTORY);
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
