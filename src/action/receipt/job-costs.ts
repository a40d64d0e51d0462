import type { Report } from "../../machine/report.ts";
import { actualCost } from "../../money/cost.ts";

/** Each job's part of its machine's cost in USD, by its time; equal parts where none is known. */
export function jobCosts(report: Report, end: number): number[] {
  const { total } = actualCost(report, end);
  const { jobs = [] } = report;
  const seconds = jobs.map((job) => job.seconds ?? 0);
  const sum = seconds.reduce((all, each) => all + each, 0);
  return seconds.map((each) => total * (sum === 0 ? 1 / jobs.length : each / sum));
}

/** The machines that no job needed, and what they cost together in USD. */
export function sparesOf(reports: readonly Report[], end: number): { machines: number; total: number } {
  const spares = reports.filter(isSpare);
  return { machines: spares.length, total: spares.reduce((sum, report) => sum + actualCost(report, end).total, 0) };
}

/** True for one that was given up as no job needed it, as a second one for a late one is. */
export function isSpare({ isUnneeded, jobs = [] }: Report): boolean {
  return isUnneeded === true && jobs.length === 0;
}
