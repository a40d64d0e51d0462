import { z } from "zod";
import { machineIdField, markField, markOf } from "./hosts.ts";

// What runs of this repository cost, waited for, and did with their GPUs: numbers and marks alone.

/** So many kinds of job of each run are kept. */
export const MOST_KINDS = 8;

const share = z.number().min(0).max(100).optional();
const secondsField = z.number().min(0).max(604_800).optional();
const usd = z.number().min(0).max(1e6);

/** What one kind of job did in a run: the highest figures of all jobs of that kind. Undefined: not reported. */
const kindSchema = z.strictObject({
  /** Which kind: a mark of the job's name. */
  kind: markField,
  /** Of the machine that reported most, where the service showed its id. */
  machine: machineIdField.optional(),
  /** How long the longest job took. */
  seconds: secondsField,
  samples: z.int().min(0).max(1e7).optional(),
  useMedian: share,
  usePeak: share,
  memoryPeakMib: z.int().min(0).max(1e7).optional(),
  memoryTotalMib: z.int().min(0).max(1e7).optional(),
  throttledPercent: share,
});

/** A run, as the job that rented saw it at its end. USD, seconds. */
export const pastRunSchema = z.strictObject({
  run: z.int().positive(),
  attempt: z.int().positive().max(10_000),
  /** When it ended, in milliseconds since the epoch. */
  at: z.int().positive(),
  usd,
  /** A part of `usd`; undefined: not known. */
  bytesUsd: usd.optional(),
  /** From the first machine wanted to the first one ready. */
  waitSeconds: secondsField,
  /** Of the first one ready, from its creation to running. */
  bootSeconds: secondsField,
  /** Tells apart several sessions of one run: a mark of the label. */
  use: markField,
  kinds: z.array(kindSchema).max(MOST_KINDS),
});

export type PastKind = z.infer<typeof kindSchema>;
export type PastRun = z.infer<typeof pastRunSchema>;

/** The newest runs that say how long a job takes. */
const RUNS_OF_USUAL = 5;

/** Returns how long a job of this name took in the newest runs: the middle one. Undefined: not known. */
export function usualJobMs(runs: readonly PastRun[], name: string): number | undefined {
  const mark = markOf(name);
  const kinds = runs.flatMap((run) => run.kinds.filter(({ kind }) => kind === mark));
  const known = kinds.flatMap(({ seconds }) => seconds ?? []);
  const newest = known.slice(-RUNS_OF_USUAL).toSorted((one, other) => one - other);
  const middle = newest[Math.floor(newest.length / 2)];
  return middle === undefined ? undefined : middle * 1000;
}

/** Merges the runs of two histories, oldest first. What both tell of one run counts once. */
export function mergeRuns(left: readonly PastRun[], right: readonly PastRun[]): PastRun[] {
  const all = new Map<string, PastRun>();
  for (const run of [...left, ...right]) {
    const key = `${run.run} ${run.attempt} ${run.use}`;
    const known = all.get(key);
    all.set(key, known === undefined ? run : joinedRun(known, run));
  }
  return [...all.values()].toSorted((one, other) => one.at - other.at);
}

/** Joins what main told of a run with what post did, which alone saw the last of its cost. */
function joinedRun(one: PastRun, other: PastRun): PastRun {
  const [less, more] = one.kinds.length > other.kinds.length ? [other, one] : [one, other];
  const dearer = one.usd > other.usd ? one : other;
  return { ...less, ...more, usd: dearer.usd, bytesUsd: dearer.bytesUsd, at: Math.max(one.at, other.at) };
}
