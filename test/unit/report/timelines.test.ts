import { expect, test } from "vitest";
import type { MachineRecord } from "../../../src/machine/record.ts";
import { timelines } from "../../../src/report/machine-table.ts";
import { aFailedRecord, aRecord, START } from "../support/a-session-report.ts";

const MINUTE = 60_000;
const LEGEND = "· asked  ░ booting  ▒ starting  ─ ready  █ busy";

/** The bars of machines that are numbered from 1 on; `end`: now. */
function barsOf(records: MachineRecord[], end = START): string[] {
  return timelines(
    records.map((record, index) => ({ machineNo: index + 1, record })),
    end,
  );
}

/** Ten minutes in one-minute steps: each is four cells. */
function aRun(given: Partial<MachineRecord> = {}, from = START): MachineRecord {
  const at = {
    asked: from,
    created: from + MINUTE,
    running: from + 3 * MINUTE,
    online: from + 4 * MINUTE,
    gone: from + 10 * MINUTE,
  };
  return aRecord({ at, ...given });
}

test("one row a machine on one axis: asked, booting, starting, ready, busy", () => {
  const job = { name: "test (1)", conclusion: "success", seconds: 240, started: START + 5 * MINUTE };
  const next = { name: "test (2)", conclusion: "success", seconds: 60, started: START + 9 * MINUTE };
  const late = aRun({ at: { asked: START + 5 * MINUTE, created: START + 5 * MINUTE, gone: START + 10 * MINUTE } });
  expect(barsOf([aRun({ jobs: [job, next] }), late])).toEqual([
    `           0s${"10m".padStart(38)}`,
    `machine 1  ····░░░░░░░░▒▒▒▒────${"█".repeat(20)}  asked 1m, booting 2m, starting 1m, ready 1m, busy 5m`,
    `machine 2  ${" ".repeat(20)}${"░".repeat(20)}  booting 5m`,
    LEGEND,
  ]);
});

test("what is not gone goes on until now, a job that runs too", () => {
  const at = { asked: START, created: START, running: START, online: START };
  const bar = barsOf([aRun({ at, jobs: [{ name: "test", started: START + 5 * MINUTE }] })], START + 10 * MINUTE)[1];
  expect(bar).toBe(`machine 1  ${"─".repeat(20)}${"█".repeat(20)}  ready 5m, busy 5m`);
});

test("a stage that it never ended lasted until it was gone; what is too short to be drawn is in the words", () => {
  expect(barsOf([aFailedRecord()])[1]).toBe(`machine 1  ${"░".repeat(40)}  asked 2s, booting 5m`);
});

test("nothing that lasted, and nothing at all", () => {
  const nothing = { asked: START, created: START, gone: START };
  expect(barsOf([aRecord({ at: nothing })])).toHaveLength(3);
  expect(barsOf([])).toEqual([]);
});
