import { counted } from "../shared/text.ts";
import { formatLimit, formatPrice } from "./price.ts";

/** What a workflow spent in the last 30 days, in USD. */
export interface Spent {
  usd: number;
  /** Runs of which nothing could be read, and what one costs in the mean: `usd` holds that for each. */
  unread: number;
  mean: number;
}

/** What a workflow spent, and what it may: `max-cost-30d`. */
export interface Month {
  spent: Spent;
  most: number;
}

/** From this part of `max-cost-30d` on each run warns. */
const WARNED_PART = 0.8;

/** Returns what a run may spend: the lesser of `max-cost` and the rest of the month. `month`: that is the lesser one. */
export function withinMonth(
  maxCost: number | undefined,
  month: Month | undefined,
): { maxCost?: number; month?: Month } {
  const rest = month && Math.max(0, month.most - month.spent.usd);
  if (month === undefined || rest === undefined || rest >= (maxCost ?? Number.POSITIVE_INFINITY))
    return maxCost === undefined ? {} : { maxCost };
  return { maxCost: rest, month };
}

/** Warns if little of the month's money is left. */
export function monthWarning(month: Month): string | undefined {
  const { most, spent } = month;
  return spent.usd < WARNED_PART * most ? undefined : `This workflow has spent ${describeMonth(month)}.`;
}

/** Describes it as the end of a sentence: `41.20 of 50.00 USD in 30 days (max-cost-30d)`. */
export function describeMonth({ most, spent: { mean, unread, usd } }: Month): string {
  const sum = `${formatPrice(usd).replace(" USD", "")} of ${formatLimit(most)} in 30 days (max-cost-30d)`;
  return unread === 0
    ? sum
    : `${sum}; ${counted(unread, "run")} of it could not be read and count${unread === 1 ? "s" : ""} as ${formatPrice(mean)} each`;
}
