import * as core from "@actions/core";
import type { UseDestroyed } from "../provisioning/destroy-use.ts";
import { formatPrice } from "../provisioning/offer-wishes.ts";
import type { Report } from "../provisioning/report.ts";
import { estimatedCost } from "./cost.ts";
import type { Ledger } from "./ledger.ts";
import type { ServiceRoom } from "./rooms.ts";
import { summaryMarkdown } from "./summary.ts";

/** Tells what was rented and what it cost: a line in the log, a table in the job's summary. A summary that can't be written is only told. */
export async function reportUse({ clock, log }: ServiceRoom, ledger: Ledger, used: UseDestroyed): Promise<void> {
  const end = clock.now();
  const reports = [...ledger.reports.values()].map((report) => withEnd(report, used, end));
  const { destroyed, undestroyed } = used;
  if (reports.length === 0 && destroyed.length === 0 && undestroyed.length === 0)
    return log.info("Nothing was rented.");
  if (undestroyed.length === 0) log.info(`Nothing is rented any more. ${costSentence(reports, destroyed, end)}`);
  // Other platforms may have no summary to write.
  if (!process.env.GITHUB_STEP_SUMMARY) return;
  try {
    await core.summary.addRaw(summaryMarkdown({ reports, undestroyed, end })).write();
  } catch (error) {
    log.warning(`The job summary could not be written: ${error instanceof Error ? error.message : error}`);
  }
}

/** What post itself destroyed was there until now, whatever main had seen. */
function withEnd(report: Report, { destroyed }: UseDestroyed, end: number): Report {
  if (!destroyed.includes(report.instanceId)) return report;
  return { ...report, at: { ...report.at, gone: end }, last: `destroyed by post (${report.last})` };
}

function costSentence(reports: readonly Report[], destroyed: readonly number[], end: number): string {
  const told = new Set(reports.map((report) => report.instanceId));
  const unknown = destroyed.filter((id) => !told.has(id));
  const total = reports.reduce((sum, report) => sum + estimatedCost(report, end), 0);
  const known = `It cost about ${formatPrice(total)}, bytes not counted.`;
  return unknown.length === 0
    ? known
    : `${known} What instance ${unknown.join(", ")} cost is not known: nothing was written down of it.`;
}
