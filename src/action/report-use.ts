import * as core from "@actions/core";
import type { UseDestroyed } from "../provisioning/destroy-use.ts";
import { formatPrice } from "../provisioning/offer-wishes.ts";
import type { Ledger } from "./ledger.ts";
import type { ServiceRoom } from "./rooms.ts";
import { summaryMarkdown } from "./summary.ts";
import { type Surroundings, type ToldUse, tellUse, totalCost } from "./told-use.ts";

/** Tells what was rented and what it cost: a line in the log, and the job's summary. A summary that can't be written is only told. */
export async function reportUse(
  { clock, log }: ServiceRoom,
  ledger: Ledger,
  used: UseDestroyed,
  around: Surroundings,
): Promise<void> {
  const use = tellUse(ledger, used, around, clock.now());
  const { destroyed, machines, undestroyed } = use;
  if (undestroyed.length === 0) {
    const wasRented = machines.length > 0 || destroyed.length > 0;
    log.info(wasRented ? `Nothing is rented any more. ${costSentence(use)}` : "Nothing was rented.");
  }
  // Other platforms may have no summary to write.
  if (!process.env.GITHUB_STEP_SUMMARY) return;
  try {
    await core.summary.addRaw(summaryMarkdown(use)).write();
  } catch (error) {
    log.warning(`The job summary could not be written: ${error instanceof Error ? error.message : error}`);
  }
}

function costSentence({ machines, destroyed }: ToldUse): string {
  const told = new Set(machines.map(({ report }) => report.instanceId));
  const unknown = destroyed.filter((id) => !told.has(id));
  const known = `It cost about ${formatPrice(totalCost(machines))}, bytes not counted.`;
  return unknown.length === 0
    ? known
    : `${known} What instance ${unknown.join(", ")} cost is not known: nothing was written down of it.`;
}
