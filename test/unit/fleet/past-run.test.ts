import { expect, test } from "vitest";
import { adviceFacts, pastRunOf } from "../../../src/fleet/lessons.ts";
import { markOf } from "../../../src/history/hosts.ts";
import { pastRunSchema } from "../../../src/history/past-runs.ts";
import { aFleet, booting, NOW, spent, withSlot } from "../support/a-fleet.ts";

const OF = { runId: 4711, attempt: 2, prefix: "ghr1.1.4711-2.abcdef", now: NOW };
const FIGURES = { samples: 720, useMedian: 31, usePeak: 98, memoryPeakMib: 7372, memoryTotalMib: 24_564 };

function served(n: number, figures: object, conclusion = "success") {
  const machine = spent(n, { job: { name: "test", conclusion, startedAt: NOW - 90_000, completedAt: NOW - 10_000 } });
  return withSlot(machine, { log: { at: NOW, figures } });
}

test("a run: what it cost, how long it waited, and what its jobs did, without a name", () => {
  const run = pastRunOf(aFleet([served(1, FIGURES)], { firstWantedAt: NOW - 60_000 }), OF);
  expect(run).toMatchObject({ run: 4711, attempt: 2, at: NOW, waitSeconds: 50, bootSeconds: 40 });
  expect(run?.kinds).toEqual([{ kind: markOf("test"), machine: 100, seconds: 80, ...FIGURES }]);
  expect(run?.usd).toBeGreaterThan(0);
  expect(JSON.stringify(run)).not.toContain('"test"');
  expect(pastRunSchema.parse(run)).toEqual(run);
});

test("a job that failed may have ended before it needed what others need: its figures teach nothing", () => {
  expect(pastRunOf(aFleet([served(1, FIGURES, "failure")]), OF)?.kinds).toEqual([
    { kind: markOf("test"), machine: 100 },
  ]);
});

test("a run without a job teaches nothing", () => {
  expect(pastRunOf(aFleet([booting(1)]), OF)).toBeUndefined();
});

test("offers that main saw, and what its machines cost an hour", () => {
  const facts = adviceFacts(aFleet([served(1, FIGURES)]), { now: NOW, runs: [] });
  expect(facts).toMatchObject({ perHour: 0.4, imagePart: undefined });
  expect(facts.offers).toHaveLength(5);
});
