import * as core from "@actions/core";
import { totalCost } from "../provisioning/cost.ts";
import type { UseDestroyed } from "../provisioning/destroy-use.ts";
import { formatPrice } from "../provisioning/offer-wishes.ts";
import type { Report } from "../provisioning/report.ts";
import type { Ledger } from "./ledger.ts";
import { holderOf } from "./receipt.ts";
import { readContext, writeReceipt } from "./receipt-file.ts";
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
  tellReceipt({ clock, log }, ledger, reports, undestroyed);
  // Other platforms may have no summary to write.
  if (!process.env.GITHUB_STEP_SUMMARY) return;
  try {
    await core.summary.addRaw(summaryMarkdown({ reports, undestroyed, end })).write();
  } catch (error) {
    log.warning(`The job summary could not be written: ${error instanceof Error ? error.message : error}`);
  }
}

/** The last receipt of the use, and what the job that held the machine costs. */
function tellReceipt(
  { clock, log }: Pick<ServiceRoom, "clock" | "log">,
  { prefix = "" }: Ledger,
  reports: readonly Report[],
  mayStillBill: readonly string[],
): void {
  const context = readContext();
  const now = clock.now();
  if (context !== undefined) {
    const { minutes, usd } = holderOf(context.startedAt, now);
    log.info(`This step took ${minutes} min on its own runner: ${formatPrice(usd)} in a private repository.`);
  }
  const receipt = writeReceipt(log, { state: "ended", now, labelPrefix: prefix, context, reports, mayStillBill });
  if (receipt !== "") log.info(`The receipt is in ${receipt}.`);
}

/** What post itself destroyed was there until then, whatever main had seen. */
function withEnd(report: Report, used: UseDestroyed, end: number): Report {
  const { instanceId, at, last } = report;
  const seenGone = used.goneAt?.get(instanceId);
  if (!used.destroyed.includes(instanceId))
    return { ...report, at: { ...at, gone: at.gone ?? unseenEnd(report, seenGone) } };
  return { ...report, at: { ...at, gone: seenGone ?? end }, last: `destroyed by post (${last})` };
}

/** A machine looks at the clock every 15 s. */
const TICK_MS = 15_000;

/** What nobody saw going went before post looked, and soon after its deadline at the latest. */
function unseenEnd({ deadline = Number.POSITIVE_INFINITY }: Report, seenGone: number | undefined): number | undefined {
  return seenGone === undefined ? undefined : Math.min(seenGone, deadline * 1000 + TICK_MS);
}

function costSentence(reports: readonly Report[], destroyed: readonly number[], end: number): string {
  const told = new Set(reports.map((report) => report.instanceId));
  const unknown = destroyed.filter((id) => !told.has(id));
  const { bytes, total } = totalCost(reports, end);
  const ofBytes = bytes === undefined ? "bytes not counted" : `${formatPrice(bytes)} of it for bytes`;
  const known = `It cost about ${formatPrice(total)}, ${ofBytes}.`;
  return unknown.length === 0
    ? known
    : `${known} What instance ${unknown.join(", ")} cost is not known: nothing was written down of it.`;
}
