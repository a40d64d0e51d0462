import type { ServiceRoom } from "../action/clients.ts";
import type { Ledger } from "../action/ledger.ts";
import { formatPrice } from "../money/price.ts";
import type { UseDestroyed } from "../teardown/destroy-use.ts";
import { nothingLeft } from "./outcome.ts";
import { holderOf } from "./receipt.ts";
import { readContext, writeReceipt } from "./receipt-file.ts";
import { summaryMarkdown } from "./summary.ts";
import { isUnused, spareSentence, UNUSED, uncounted, unknownSentence } from "./sums.ts";
import { costOf, type SessionReport, type Surroundings, tellUse } from "./told-use.ts";
import { writeSummary } from "./write-summary.ts";

/** Tells what was rented and what it cost, in the log, the receipt, and the job's summary. */
export async function reportUse(
  { clock, log }: Pick<ServiceRoom, "clock" | "log">,
  ledger: Ledger,
  used: UseDestroyed,
  around: Surroundings,
): Promise<void> {
  const use = { ...tellUse(ledger, used, around, clock.now()), context: readContext() };
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
