import { expect, test } from "vitest";
import type { EarlierRuns } from "../../../src/history/earlier-runs.ts";
import { markOf } from "../../../src/history/hosts.ts";
import { mergeFacts, spentOf } from "../../../src/history/kept-facts.ts";
import { describeEarlier, KeptHistory } from "../../../src/history/kept-history.ts";
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
  expect(history.learn(aPastRun())).toEqual([before, aPastRun()]);
  expect(history.toHandOn(NOW).runs).toEqual([before, aPastRun()]);
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
  ["all is well", {}, `Known: 2 hosts, 1 ${FROM}`],
  ["a spoilt line", { lost: 1 }, `Known: 2 hosts, 1 ${FROM}; 1 line could not be used`],
  ["a gap", { facts: unread(4) }, `Known: 0 hosts, 0 ${FROM}; 1 run could not be read`],
  ["a first run", { head: undefined }, `${NONE}none of this workflow has left a history.`],
  ["a fault", { head: undefined, why: "GitHub refused." }, `${NONE}GitHub refused.`],
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
  ["nothing", factsOf(), { usd: 0, unread: 0, mean: 0 }],
  ["runs, and days of runs", factsOf({ runs, days }), { usd: 8, unread: 0, mean: 2 }],
  ["a gap counts as the mean", { ...unread(1, 2), runs, days }, { usd: 12, unread: 2, mean: 2 }],
  ["a gap of which no run is known", unread(1), { usd: 0, unread: 1, mean: 0 }],
])("what the workflow spent in 30 days: %s", (_what, facts, spent) => {
  expect(spentOf(facts)).toEqual(spent);
});
