import { deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type HostFate, markOf } from "../../../src/history/hosts.ts";
import { readRecords, recordKey, recordLines, recordOfCost, type Scope } from "../../../src/history/records.ts";
import { sign } from "../../../src/shared/signature.ts";
import { aHead, aPastRun, DAY, factsOf, historyOf, MARK, NOW } from "./a-history.ts";

const SCOPE: Scope = { apiKey: "the-api-key", repositoryId: 1, workflow: ".github/workflows/gpu.yml" };
const KEY = recordKey(SCOPE);
const FACTS = factsOf({
  machines: historyOf(
    { kind: "booted", machine: 40_211, at: NOW - 5000, image: MARK, estimateMs: 180_000, actualMs: 171_000 },
    { kind: "booted", machine: 40_211, at: NOW - 4000, image: MARK, actualMs: 45_000 },
    { kind: "served", machine: 40_211, at: NOW },
    { kind: "failed", machine: 40_305, at: NOW - DAY },
  ),
  runs: [aPastRun(), aPastRun({ run: 4712, at: NOW, kinds: [] })],
  days: new Map([[20_750, { runs: 14, usd: 0.61 }]]),
  unread: new Map([[4700, NOW - 2 * DAY]]),
});
const NOTHING = { facts: factsOf(), head: undefined, used: 0, lost: 0 };

/** As GitHub stores what post printed. */
function stored(lines: readonly string[]): string {
  return lines.map((line) => `2026-11-26T12:00:00.1234567Z ${line}\n`).join("");
}

function read(lines: readonly string[], key = KEY) {
  return readRecords(stored(["##[group]What the next run knows", ...lines, "##[endgroup]"]), key, NOW);
}

/** A record of any text, as whoever has the key could write it. */
function recordOf(text: string): string {
  return `known-${sign(KEY, "record", deflateRawSync(text).toString("base64url"))}`;
}

test("what post adds of the cost alone counts for its run", () => {
  const own = aPastRun({ usd: 0.05, kinds: [], waitSeconds: undefined, bootSeconds: undefined });
  const { facts, head } = read([...recordOfCost(own, KEY), ...recordLines(FACTS, aHead(), KEY)]);
  expect(facts.runs).toEqual([aPastRun({ usd: 0.05 }), FACTS.runs[1]]);
  expect(head).toEqual(aHead());
});

test("the biggest history fits: no line is longer than 1,000 characters, and the newest facts are in it", () => {
  const numbers = (length: number) => Array.from({ length }, (_none, index) => index);
  const boots = (machine: number) =>
    numbers(8).map((k): HostFate => {
      const [estimateMs, actualMs] = [1000 * (machine + k), 7000 * (k + 1)];
      return { kind: "booted", machine, at: NOW - 1000 * (k + machine * 4000), image: MARK, estimateMs, actualMs };
    });
  const machines = historyOf(...numbers(500).flatMap((index) => boots(index + 1)));
  const runs = numbers(600).map((index) => {
    const run = 16_000_000_000 + ((index * 7919) % 100_003);
    return aPastRun({ run, at: NOW - (600 - index) * 3_600_000, usd: 0.1, use: markOf(String(index)) });
  });
  const lines = recordLines(factsOf({ machines, runs }), aHead(), KEY);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(1000);
  expect(lines.join("\n").length).toBeLessThanOrEqual(48 * 1024);
  const { facts, lost } = read(lines);
  expect(lost).toBe(0);
  expect(facts.machines.size).toBeGreaterThan(150);
  expect([...facts.machines.keys()]).toEqual(Array.from(facts.machines, (_machine, index) => index + 1));
  expect(facts.runs.at(-1)).toEqual(runs.at(-1));
  expect(facts.runs.length).toBeLessThan(500);
  // Of those that have no room their cost is kept, so that the sum of 30 days stays whole.
  const sums = [...facts.days.values()];
  expect(facts.runs.length + sums.reduce((count, { runs: of }) => count + of, 0)).toBe(600);
  expect(sums.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(0.1 * (600 - facts.runs.length));
});

test("a masked secret in a line costs that line alone, and is counted", () => {
  const [first = "", ...others] = recordLines(FACTS, aHead(), KEY).toReversed();
  const { facts, head, lost, used } = read([first.replace(/.{8}$/, "***"), ...others]);
  expect({ lost, used }).toEqual({ lost: 1, used: others.length });
  expect(facts).toEqual({ ...FACTS, machines: new Map() });
  expect(head).toEqual(aHead());
});

test.each<Partial<Scope>>([
  { apiKey: "the-api-kez" },
  { repositoryId: 2 },
  { workflow: ".github/workflows/other.yml" },
])("records that are not this workflow's are as if they were not there: %j", (given) => {
  const lines = recordLines(FACTS, aHead(), recordKey({ ...SCOPE, ...given }));
  expect(read(lines)).toEqual({ ...NOTHING, lost: lines.length });
});

describe("a record that can't be used counts as not there, and nothing of it is repeated", () => {
  const second = NOW / 1000;
  const machine = (entry: object) => JSON.stringify({ machines: [[40_211, { boots: [], ...entry }]] });
  const minute = { at: second, image: MARK, estimateMs: 60, actualMs: 60 };
  const boot = (given: object) => machine({ boots: [{ ...minute, ...given }] });
  const run = (given: object) => JSON.stringify({ runs: [{ ...aPastRun(), at: second, ...given }] });

  test("the forms below are those of good records", () => {
    const good = [run({}), machine({ servedAt: second }), boot({})].map(recordOf);
    expect(read(good)).toMatchObject({ used: 3, lost: 0 });
  });

  test.each<[string, string]>([
    ["an unsigned one", `known-1.${"A".repeat(22)}.${deflateRawSync(run({})).toString("base64url")}`],
    ["one that unpacks to 600 KB, as much as a line can", recordOf("[".repeat(600_000))],
    ["one that unpacks to more than a record has", recordOf(`{"runs":[]${" ".repeat(16_384)}}`)],
    ["a prototype", recordOf('{"__proto__": {"machines": [1, 2, 3]}}')],
    ["a machine that never can be", recordOf('{"machines": [[-1, {"boots": [], "servedAt": 1795000000}]]}')],
    ["too many boots", recordOf(machine({ boots: Array(9).fill({ at: second, image: MARK, actualMs: 60 }) }))],
    ["a boot of no time", recordOf(boot({ actualMs: 0 }))],
    ["a run that cost less than nothing", recordOf(run({ usd: -1 }))],
    ["a run above 100%", recordOf(run({ kinds: [{ ...aPastRun().kinds[0], usePeak: 101 }] }))],
    ["a day with no run", recordOf('{"days": [[20750, {"runs": 0, "usd": 5}]]}')],
    ["a head to come", recordOf(JSON.stringify({ head: [{ ...aHead(), at: second + 2 * 86_400 }] }))],
  ])("%s", (_what, line) => {
    expect(read([line])).toEqual({ ...NOTHING, lost: 1 });
  });

  test("a time to come says nothing of a machine", () => {
    const { facts } = read([recordOf(machine({ servedAt: second + 2 * 86_400, failedAt: second }))]);
    expect(facts.machines).toEqual(historyOf({ kind: "failed", machine: 40_211, at: NOW }));
  });
});

test("a log of 10 MB is looked through at its end alone, and what is forged there unpacks nothing", () => {
  const lines = recordLines(FACTS, aHead(), KEY);
  const forged = `known-1.${"A".repeat(22)}.${deflateRawSync("[".repeat(8000)).toString("base64url").padEnd(900, "A")}`;
  const log = `${stored([lines[0] ?? ""])}${stored(Array(10_000).fill(forged))}${stored(lines)}`;
  const { facts, lost, used } = readRecords(log, KEY, NOW);
  expect({ facts, used }).toEqual({ facts: FACTS, used: lines.length });
  expect(lost).toBeLessThan(200);
});

test("no more than 1 MB is unpacked in all, whoever signed it", () => {
  const wide = `{"runs":[]${" ".repeat(16_000)}}`;
  const { lost, used } = read(Array(1500).fill(recordOf(wide)));
  expect(used).toBeGreaterThan(40);
  expect(used * wide.length).toBeLessThan(1_000_000);
  expect(lost).toBeGreaterThan(100);
});
