import { expect, test } from "vitest";
import type { StoredMachine } from "../../../src/fleet/state.ts";
import type { MachineRecord } from "../../../src/machine/record.ts";
import { ganttChart } from "../../../src/report/gantt.ts";
import { logMachinesAtEnd, machineTable } from "../../../src/report/machine-table.ts";
import { aFleet } from "../support/a-fleet.ts";
import { aFailedRecord, aRecord, numbered, START } from "../support/a-session-report.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { ready } from "../support/machines.ts";
import { RecordedLog } from "../support/recorded-log.ts";

const MINUTE = 60_000;
/** So many minutes after the start, as the chart has moments. */
const at = (minutes: number) => String(START + minutes * MINUTE);

/** The lines below the head of the chart; `end`: now. */
function rowsOf(records: readonly MachineRecord[], end = START): string[] {
  return ganttChart(numbered(records), end).slice(8);
}

/** How long each stage took, as the table has it. */
function stagesOf(record: MachineRecord, end = START): string | undefined {
  const [titles = [], row = []] = machineTable(numbered([record]), end);
  return row[titles.indexOf("stages")];
}

function aRun(given: Partial<MachineRecord> = {}): MachineRecord {
  const stages = { created: START + MINUTE, running: START + 3 * MINUTE, online: START + 4 * MINUTE };
  return aRecord({ at: { asked: START, ...stages, gone: START + 10 * MINUTE }, ...given });
}

const JOBS = [
  { name: "test (1)", conclusion: "success", seconds: 240, started: START + 5 * MINUTE },
  { name: "test (2)", conclusion: "failure", seconds: 60, started: START + 9 * MINUTE },
];

test("a section for each machine: its boot, the start of its runner, its jobs by their numbers", () => {
  // Before main saw the runner online.
  const early = { name: "test (3)", conclusion: "success", seconds: 60, started: START + 3.5 * MINUTE };
  expect(rowsOf([aRun({ jobs: JOBS }), aRun({ jobs: [early] })])).toEqual([
    "  section machine 1",
    `  booting :done, ${at(1)}, ${at(3)}`,
    `  starting :done, ${at(3)}, ${at(4)}`,
    `  job 2 :active, ${at(5)}, ${at(9)}`,
    `  job 3 :crit, ${at(9)}, ${at(10)}`,
    "  section machine 2",
    `  booting :done, ${at(1)}, ${at(3)}`,
    `  starting :done, ${at(3)}, ${at(3.5)}`,
    `  job 1 :active, ${at(3.5)}, ${at(4.5)}`,
    "```",
  ]);
});

test("what is not gone goes on until now, a job that runs too", () => {
  const times = { asked: START, created: START, running: START, online: START };
  const record = aRun({ at: times, jobs: [{ name: "test", started: START + 5 * MINUTE }] });
  expect(rowsOf([record], START + 10 * MINUTE)).toContain(`  job 1 :active, ${at(5)}, ${at(10)}`);
  expect(stagesOf(record, START + 10 * MINUTE)).toBe("ready 5m, busy 5m");
});

test("the table says how long each stage took; one that never ended lasted until the machine was gone", () => {
  expect(stagesOf(aRun({ jobs: JOBS }))).toBe("booting 2m, starting 1m, ready 1m, busy 5m");
  expect(stagesOf(aFailedRecord())).toBe("booting 5m");
  expect(stagesOf(aRecord({ at: { asked: START, created: START, gone: START } }))).toBe("–");
});

test("a stage of less than a second has no row, a job always has one", () => {
  const job = { name: "test", conclusion: "success", seconds: 0, started: START + 3 * MINUTE };
  const rows = rowsOf([aRun({ jobs: [job] })]);
  expect(rows.filter((row) => / :/.test(row))).toEqual([
    `  booting :done, ${at(1)}, ${at(3)}`,
    `  job 1 :active, ${at(3)}, ${START + 3 * MINUTE + 1000}`,
  ]);
});

test("at most 40 rows, and a sentence on what is left out", () => {
  const chart = ganttChart(numbered(Array.from({ length: 16 }, () => aRun({ jobs: JOBS.slice(0, 1) }))), START);
  expect(chart.filter((line) => / :/.test(line))).toHaveLength(39);
  expect(chart.at(-1)).toBe("The chart has the first 13 of 16 machines.");
  expect(ganttChart([], START)).toEqual([]);
});

test.each<[string, StoredMachine[], boolean]>([
  ["one that did not fail", [ready(1)], false],
  ["several", [ready(1), ready(2)], true],
])("the log tells machines' fates at the end where one failed, or of several: %s", (_which, machines, isTold) => {
  const log = new RecordedLog();
  logMachinesAtEnd({ log, clock: new HandWoundClock() }, aFleet(machines))[Symbol.dispose]();
  expect(log.lines[0]).toBe(isTold ? "The machines of this session:" : undefined);
});
