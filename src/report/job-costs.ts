import type { MachineRecord, RanJob } from "../create/machine-record.ts";
import { actualCost } from "../money/cost.ts";

/**
 * Each job's part of its machine's cost in USD, by its time: one that was not seen to end took what
 * was left of its machine's. Equal parts where none is known.
 */
export function jobCosts(report: MachineRecord, end: number): number[] {
  const { total } = actualCost(report, end);
  const { at, jobs = [] } = report;
  const seconds = jobs.map((job) => job.seconds ?? openSeconds(job, at.gone ?? end));
  const sum = seconds.reduce((all, each) => all + each, 0);
  return seconds.map((each) => total * (sum === 0 ? 1 / jobs.length : each / sum));
}

function openSeconds({ conclusion, started }: RanJob, until: number): number {
  return conclusion === undefined && started !== undefined ? Math.max(0, until - started) / 1000 : 0;
}

/** The machines that no job needed, and what they cost together in USD. */
export function sparesOf(reports: readonly MachineRecord[], end: number): { machines: number; total: number } {
  const spares = reports.filter(isSpare);
  return { machines: spares.length, total: spares.reduce((sum, report) => sum + actualCost(report, end).total, 0) };
}

/** True for one that was given up as no job needed it, as a second one for a late one is. */
export function isSpare({ isUnneeded, jobs = [] }: MachineRecord): boolean {
  return isUnneeded === true && jobs.length === 0;
}
