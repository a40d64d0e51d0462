import { formatPrice } from "../money/price.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import type { SessionDestroyed } from "../teardown/destroy-session.ts";
import type { Ledger } from "../teardown/ledger.ts";
import { holderOf, receiptPath, writeReceipt } from "./receipt.ts";
import { costOf, type SessionReport, type Surroundings, sessionReport } from "./session-report.ts";
import type { StepPage } from "./step-page.ts";
import {
  isUnused,
  nothingLeft,
  STEP_TIMEOUT,
  spareSentence,
  summaryMarkdown,
  UNUSED,
  uncounted,
  unknownSentence,
} from "./summary.ts";

/** Where a session is told of. */
interface Reporting {
  clock: Clock;
  log: Log;
  page: StepPage;
}

/** Tells what was rented and what it cost, in the log, the receipt, and the job's summary. */
export async function reportSession(
  { clock, log, page }: Reporting,
  ledger: Ledger,
  used: SessionDestroyed,
  around: Surroundings,
): Promise<void> {
  const use = sessionReport(ledger, used, around, clock.now());
  const wasRented = use.machines.length > 0 || use.destroyed.length > 0;
  if (!wasRented && use.undestroyed.length === 0) log.info(nothingLeft(use));
  if (wasRented && use.undestroyed.length === 0) log.info(`Nothing is rented any more. ${costSentence(use)}`);
  if (wasRented || use.undestroyed.length > 0) tellReceipt(log, page, ledger, use);
  if (isUnused(use)) log.warning(UNUSED);
  // The summary alone is not seen on the run's page.
  if (use.mainEnd?.kind === "stopped" && use.jobStatus !== "cancelled") log.warning(STEP_TIMEOUT);
  await page.summarize(summaryMarkdown(use));
}

/** Writes the last receipt, and tells what the job that held the machines costs. */
function tellReceipt(
  log: Log,
  page: StepPage,
  { prefix = "", sessionId = "" }: Ledger,
  { context, end: now, machines, undestroyed }: SessionReport,
): void {
  if (context !== undefined) {
    const { minutes, usd } = holderOf(context.startedAt, now);
    log.info(`This step took ${minutes} min on its own runner: ${formatPrice(usd)} in a private repository.`);
  }
  const reports = machines.map(({ report }) => report);
  const facts = { state: "ended", now, labelPrefix: prefix, context, reports, mayStillBill: undestroyed } as const;
  const receipt = writeReceipt(log, receiptPath(page.folder(), sessionId), facts);
  if (receipt !== "") log.info(`The receipt is in ${receipt}.`);
}

function costSentence(use: SessionReport): string {
  const { bytes, total } = costOf(use);
  const ofBytes = bytes === undefined ? "bytes not counted" : `${formatPrice(bytes)} of it for bytes${uncounted(use)}`;
  const known = [`It cost about ${formatPrice(total)}, ${ofBytes}.`, ...spareSentence(use)];
  return [...(use.machines.length === 0 ? [] : known), ...unknownSentence(use)].join(" ");
}
