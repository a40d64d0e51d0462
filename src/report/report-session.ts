import * as core from "@actions/core";
import type { ServiceRoom } from "../action/clients.ts";
import type { Ledger } from "../action/ledger.ts";
import { formatPrice } from "../money/format-price.ts";
import type { Log } from "../shared/log.ts";
import type { SessionDestroyed } from "../teardown/destroy-session.ts";
import { holderOf, readContext, writeReceipt } from "./receipt.ts";
import { costOf, type SessionReport, type Surroundings, sessionReport } from "./session-report.ts";
import {
  isUnused,
  nothingLeft,
  spareSentence,
  summaryMarkdown,
  UNUSED,
  uncounted,
  unknownSentence,
} from "./summary.ts";

/** Tells what was rented and what it cost, in the log, the receipt, and the job's summary. */
export async function reportSession(
  { clock, log }: Pick<ServiceRoom, "clock" | "log">,
  ledger: Ledger,
  used: SessionDestroyed,
  around: Surroundings,
): Promise<void> {
  const use = { ...sessionReport(ledger, used, around, clock.now()), context: readContext() };
  const wasRented = use.machines.length > 0 || use.destroyed.length > 0;
  if (!wasRented && use.undestroyed.length === 0) log.info(nothingLeft(use));
  if (wasRented && use.undestroyed.length === 0) log.info(`Nothing is rented any more. ${costSentence(use)}`);
  if (wasRented || use.undestroyed.length > 0) tellReceipt(log, ledger, use);
  if (isUnused(use)) log.warning(UNUSED);
  await writeSummary(log, summaryMarkdown(use));
}

/** The last receipt of the use, and what the job that held the machine costs. */
function tellReceipt(
  log: ServiceRoom["log"],
  { prefix = "" }: Ledger,
  { context, end: now, machines, undestroyed }: SessionReport,
): void {
  if (context !== undefined) {
    const { minutes, usd } = holderOf(context.startedAt, now);
    log.info(`This step took ${minutes} min on its own runner: ${formatPrice(usd)} in a private repository.`);
  }
  const reports = machines.map(({ report }) => report);
  const facts = { state: "ended", now, labelPrefix: prefix, context, reports, mayStillBill: undestroyed } as const;
  const receipt = writeReceipt(log, facts);
  if (receipt !== "") log.info(`The receipt is in ${receipt}.`);
}

function costSentence(use: SessionReport): string {
  const { bytes, total } = costOf(use);
  const ofBytes = bytes === undefined ? "bytes not counted" : `${formatPrice(bytes)} of it for bytes${uncounted(use)}`;
  const known = [`It cost about ${formatPrice(total)}, ${ofBytes}.`, ...spareSentence(use)];
  return [...(use.machines.length === 0 ? [] : known), ...unknownSentence(use)].join(" ");
}

/** Adds to the job's summary. A failure is only told; other platforms may have none. */
export async function writeSummary(log: Log, markdown: string): Promise<void> {
  if (!process.env.GITHUB_STEP_SUMMARY) return;
  try {
    await core.summary.addRaw(markdown).write();
  } catch (error) {
    log.warning(`The job summary could not be written: ${error instanceof Error ? error.message : error}`);
  }
}
