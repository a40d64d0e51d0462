import { totalCost } from "../../money/cost.ts";
import { formatPrice } from "../../money/format-price.ts";
import { holderOf } from "./receipt.ts";
import type { ToldUse } from "./told-use.ts";

/** For the log and the summary. */
export const UNUSED = "No job ever used a machine of this step.";

/** True when machines were rented, and the jobs could be seen, and none was on one. */
export function isUnused({ jobs, machines }: Pick<ToldUse, "jobs" | "machines">): boolean {
  const hasRun = jobs?.ours.some(({ runnerName, state }) => state === "running" || runnerName !== undefined);
  return machines.length > 0 && hasRun === false && machines.every(({ report }) => !report.jobs?.length);
}

/** The use's cost in parts and by job, and how many such runs are left; empty without notes. */
export function sumLines({ context, end, machines }: Pick<ToldUse, "context" | "end" | "machines">): string[] {
  if (context === undefined) return [];
  const reports = machines.map(({ report }) => report);
  const { bytes, total } = totalCost(reports, end);
  const github = holderOf(context.startedAt, end).usd;
  const inBytes = bytes === undefined ? "bytes not counted" : `bytes ${formatPrice(bytes)}`;
  const count = reports.reduce((sum, { jobs = [] }) => sum + jobs.length, 0);
  const each = count === 0 ? "" : ` ${formatPrice(total / count)} of machines a job (${count}).`;
  const sum = `machines ${formatPrice(total - (bytes ?? 0))}, ${inBytes}, GitHub ${formatPrice(github)} if the repository is private`;
  return [`${formatPrice(total + github)}: ${sum}.${each}${creditLine(context.credit, total)}`];
}

function creditLine(credit: number | undefined, total: number): string {
  if (credit === undefined || total <= 0) return "";
  const left = Math.max(0, credit - total);
  return ` Credit about ${formatPrice(left)}: some ${Math.floor(left / total)} such runs.`;
}
