import { expect, test } from "vitest";
import { type KnownOfJob, readFigures } from "../../../src/gpu-figures/read.ts";
import { figureChart, figuresOutput, machineFigures } from "../../../src/gpu-figures/show.ts";
import type { MachineRecord } from "../../../src/machine/record.ts";
import { receiptOf } from "../../../src/report/receipt.ts";
import { summaryMarkdown } from "../../../src/report/summary.ts";
import { aRecord, aSessionReport, numbered, START } from "../support/a-session-report.ts";

const KNOWN: KnownOfJob = { instanceIds: [7], seconds: 1850, setupSeconds: undefined };
/** As onstart/README.md has it. */
const LINE =
  "The GPUs of instance 7 during this job: setup 41 s, idle 3 s, work 1804 s, samples 720, median use 31%, peak use 98%, peak memory 7372 MiB, memory 24564 MiB, peak temperature 71 °C, peak power 310 W, throttled 0%.";
const FIGURES = {
  ...{ setupSeconds: 41, idleSeconds: 3, workSeconds: 1804, samples: 720, useMedian: 31, usePeak: 98 },
  ...{ memoryPeakMib: 7372, memoryTotalMib: 24564, temperaturePeak: 71, powerPeak: 310, throttledPercent: 0 },
};

function logWith(...lines: string[]): string {
  const all = ["12 passed", ...lines, "Cleaning up orphan processes"];
  return all.map((line, second) => `2026-11-23T18:22:0${second}.1234567Z ${line}\n`).join("");
}

test.each([
  ["another machine's", LINE.replace("instance 7", "instance 8")],
  ["one with a field twice", LINE.replace(".", ", work 3 s.")],
  ["one in the middle of a line", `echo ${LINE}`],
])("a line that is not believed: %s", (_name, line) => {
  expect(readFigures(logWith(line), KNOWN)).toBeUndefined();
});

test.each([
  ["a median above its peak", LINE.replace("median use 31%", "median use 99%"), ["useMedian", "usePeak"]],
  ["more memory than there is", LINE.replace("7372", "24565"), ["memoryPeakMib", "memoryTotalMib"]],
  ["more work than GitHub saw", LINE.replace("work 1804", "work 1911"), ["workSeconds"]],
  [
    "of no samples",
    LINE.replace("samples 720", "samples 0"),
    "useMedian usePeak memoryPeakMib memoryTotalMib temperaturePeak powerPeak throttledPercent".split(" "),
  ],
])("a figure that can't be is not reported; the others are: %s", (_name, line, missing) => {
  const kept = Object.keys(FIGURES).filter((field) => !missing.includes(field));
  expect(Object.keys(readFigures(logWith(line), KNOWN) ?? {}).toSorted()).toEqual(kept.toSorted());
});

test("a figure that can't be is not reported; the others are: a set-up that jumped back: all jobs of a machine have the same", () => {
  expect(readFigures(logWith(LINE), { ...KNOWN, setupSeconds: 40 })).not.toHaveProperty("setupSeconds");
  expect(readFigures(logWith(LINE), { ...KNOWN, setupSeconds: 41 })).toHaveProperty("setupSeconds", 41);
});

const JOB = { name: "test", conclusion: "success", seconds: 1810, started: START + 141_000 };

function served(given: Partial<MachineRecord> = {}): MachineRecord {
  return aRecord({ jobs: [{ ...JOB, figures: FIGURES }], traffic: { downGb: 8.1, upGb: 0.4 }, ...given });
}

test("without its line not known, never 0", () => {
  const none = machineFigures(aRecord({ jobs: [JOB] }));
  expect(none.source).toBeUndefined();
  expect([...Object.values(none.gpu), none.downGb, none.seconds.work]).toEqual(Array(9).fill(undefined));
});

test("of several jobs on one machine: the peaks of all, the median of the longest", () => {
  const short = { ...JOB, figures: { samples: 2, useMedian: 99, usePeak: 100, workSeconds: 10, setupSeconds: 41 } };
  const { gpu, seconds } = machineFigures(served({ jobs: [{ ...JOB, figures: FIGURES }, short] }));
  expect(gpu).toMatchObject({ medianPercent: 31, peakPercent: 100 });
  expect(seconds).toMatchObject({ work: 1814, setup: 41 });
});

test("the chart", () => {
  expect(figureChart([{ machineNo: 2, record: served() }])).toEqual([
    "machine 2  GPU     ██████░░░░░░░░░░░░░░  31% median, 98% peak",
    "           memory  ██████░░░░░░░░░░░░░░  7.2 of 24.0 GB",
    "           other                         71 °C, 310 W, not throttled, 8.1 GB down, 0.4 GB up, boot 1m 33s, setup 41s, idle 3s, work 30m 4s",
    "           source                        the machine's own driver",
  ]);
});

test("a machine that showed nothing: not reported", () => {
  expect(figureChart(numbered([aRecord({ jobs: [JOB] })]))).toEqual(["What the GPUs did: not reported."]);
  const beside = figureChart(numbered([served(), aRecord({ jobs: [JOB] })]));
  expect(beside.at(-1)?.trim()).toMatch(/^source +not reported$/);
  // On a spare no job did anything.
  expect(figureChart(numbered([aRecord()]))).toEqual([]);
});

test("summary, receipt and output have them", () => {
  expect(summaryMarkdown(aSessionReport({ records: [served()] }))).toContain("31% median, 98% peak");
  const facts = { state: "ended", now: START, labelPrefix: "ghr1", context: undefined, mayStillBill: [] } as const;
  const figures = { source: "machine" };
  const jobs = [{ name: "test", figures: { workSeconds: 1804 } }];
  expect(receiptOf({ ...facts, records: [served()] }).machines[0]).toMatchObject({
    ...{ figures, jobs: [{ figures: { peakPercent: 98 } }] },
  });
  const output = JSON.parse(figuresOutput([served(), aRecord()]));
  expect(output).toMatchObject([{ instanceId: 7001001, machineId: 40211, ...figures, jobs }]);
});
