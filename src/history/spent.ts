import type { Spent } from "../money/month.ts";
import type { KeptFacts } from "./kept-facts.ts";

/** Adds up what the workflow spent in the 30 days of its history. A run that could not be read counts as the mean. */
export function spentOf({ days, runs, unread }: KeptFacts): Spent {
  const sums = [...days.values(), ...runs.map(({ usd }) => ({ runs: 1, usd }))];
  const known = sums.reduce((all, { runs: count, usd }) => ({ runs: all.runs + count, usd: all.usd + usd }), {
    runs: 0,
    usd: 0,
  });
  const mean = known.usd / Math.max(1, known.runs);
  return { usd: known.usd + unread.size * mean, unread: unread.size, mean };
}
