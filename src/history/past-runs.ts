import { createHash } from "node:crypto";
import { z } from "zod";

// What runs of this repository cost, waited for, and did with their GPUs: numbers and marks alone.

const share = z.number().min(0).max(100).optional();
const secondsField = z.number().min(0).max(604_800).optional();
const usd = z.number().min(0).max(1e6);

/** What one kind of job did in a run: the highest figures of all jobs of that kind. Undefined: not reported. */
const kindSchema = z.strictObject({
  /** Which kind, as `kindMark` writes it. */
  kind: z.string().regex(/^[0-9a-f]{16}$/),
  /** Of the machine that reported most, where the service showed its id. */
  machine: z.int().positive().max(1e15).optional(),
  samples: z.int().min(0).max(1e7).optional(),
  useMedian: share,
  usePeak: share,
  memoryPeakMib: z.int().min(0).max(1e7).optional(),
  memoryTotalMib: z.int().min(0).max(1e7).optional(),
  throttledPercent: share,
});

/** A run, as the job that rented saw it at its end. USD, seconds. */
const pastRunSchema = (newest: number) =>
  z.strictObject({
    run: z.int().positive(),
    attempt: z.int().positive().max(10_000),
    /** When it ended, in milliseconds since the epoch. */
    at: z.int().positive().max(newest),
    usd,
    /** A part of `usd`; undefined: not known. */
    bytesUsd: usd.optional(),
    /** From the first machine wanted to the first one ready. */
    waitSeconds: secondsField,
    /** Of the first one ready, from its creation to running. */
    bootSeconds: secondsField,
    /** Tells apart several sessions of one run: a mark of the label. */
    use: z.string().regex(/^[0-9a-f]{16}$/),
    kinds: z.array(kindSchema).max(8),
  });

export type PastKind = z.infer<typeof kindSchema>;
export type PastRun = z.infer<ReturnType<typeof pastRunSchema>>;

/** So many runs are kept, and so many kinds of job of each. */
export const MOST_PAST_RUNS = 200;
export const MOST_KINDS = 8;

/** Makes a mark that stands for a job's name, which is foreign text. */
export function kindMark(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 16);
}

/** Reads the runs of a written history; undefined: they can't be read. */
export function readRuns(value: unknown, newest: number): PastRun[] | undefined {
  return z.array(pastRunSchema(newest)).safeParse(value).data;
}

/** Merges the runs of two histories without doubles: the newest 200, oldest first. */
export function mergeRuns(left: readonly PastRun[], right: readonly PastRun[]): PastRun[] {
  const all = new Map([...left, ...right].map((run) => [`${run.run} ${run.attempt} ${run.use}`, run]));
  return [...all.values()].toSorted((one, other) => one.at - other.at).slice(-MOST_PAST_RUNS);
}
