import { z } from "zod";
import type { Spent } from "../money/month.ts";
import { HOUR_MS } from "../shared/duration.ts";
import { type History, KEPT_MS, merge, NO_HISTORY, prune } from "./hosts.ts";
import { mergeRuns, type PastRun } from "./past-runs.ts";

/** What runs of one day cost together, of which nothing else is kept. USD. */
export const daySchema = z.strictObject({ runs: z.int().min(1).max(1e5), usd: z.number().min(0).max(1e6) });
type DaySum = z.infer<typeof daySchema>;

/** All that a run hands to the next. */
export interface KeptFacts {
  machines: History;
  /** Oldest first. */
  runs: readonly PastRun[];
  /** Older runs, by their day since the epoch. */
  days: ReadonlyMap<number, DaySum>;
  /** When the runs ended whose logs could not be read, by their ids. */
  unread: ReadonlyMap<number, number>;
}

/** The facts of a first run. */
export const NO_FACTS: KeptFacts = { machines: NO_HISTORY, runs: [], days: new Map(), unread: new Map() };

const DAY_MS = 24 * HOUR_MS;

/** Merges what two runs know: of each machine, run and day what was learnt later. */
export function mergeFacts(left: KeptFacts, right: KeptFacts): KeptFacts {
  const days = new Map(left.days);
  // Sums only grow, because runs are added to them one after the other.
  for (const [day, sum] of right.days) if (sum.runs > (days.get(day)?.runs ?? 0)) days.set(day, sum);
  const machines = merge(left.machines, right.machines);
  const runs = mergeRuns(left.runs, right.runs);
  return { machines, runs, days, unread: new Map([...left.unread, ...right.unread]) };
}

/** Forgets what is older than 30 days, and that a run could not be read which is known now. */
export function pruneFacts({ days, machines, runs, unread }: KeptFacts, now: number): KeptFacts {
  const since = now - KEPT_MS;
  const known = new Set(runs.map(({ run }) => run));
  return {
    machines: prune(machines, now),
    runs: runs.filter(({ at }) => at > since),
    days: new Map([...days].filter(([day]) => day * DAY_MS > since)),
    unread: new Map([...unread].filter(([run, at]) => at > since && !known.has(run))),
  };
}

/** Keeps of runs nothing but what they cost on their days. */
export function sumsOf(days: KeptFacts["days"], dropped: readonly PastRun[]): KeptFacts["days"] {
  const sums = new Map(days);
  for (const { at, usd } of dropped) {
    const day = Math.floor(at / DAY_MS);
    const sum = sums.get(day) ?? { runs: 0, usd: 0 };
    sums.set(day, { runs: sum.runs + 1, usd: sum.usd + usd });
  }
  return sums;
}

/** Adds up what the workflow spent in the 30 days of its history. A run that could not be read counts as the mean. */
export function spentOf({ days, runs, unread }: KeptFacts): Spent {
  const sums = [...days.values(), ...runs.map(({ usd }) => ({ runs: 1, usd }))];
  const total = (of: keyof DaySum) => sums.reduce((sum, each) => sum + each[of], 0);
  const mean = total("usd") / Math.max(1, total("runs"));
  return { usd: total("usd") + unread.size * mean, unread: unread.size, mean };
}
