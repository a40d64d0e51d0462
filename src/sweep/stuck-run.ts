import type { Attempt } from "./sweep-decision.ts";

/** A job must wait so long, in milliseconds: a late rent job begins to run long before. */
export const STUCK_AFTER_MS = 15 * 60_000;

/** A job of an attempt, as far as it matters here; `createdAt` in ms since the epoch. */
export interface QueuedJob {
  status: string;
  labels: readonly string[];
  createdAt?: number | undefined;
}

/** One run attempt, and whether a machine of it lives. */
export interface MaybeStuck extends Attempt {
  hasMachine: boolean;
}

/**
 * How long a GPU job of this attempt has waited in vain, in milliseconds; undefined when it may
 * still get its machine: one lives, a job that could rent one (any other job that is not over) is
 * there, a GPU job runs, or none has waited for 15 minutes.
 */
export function stuckForMs(jobs: readonly QueuedJob[], run: MaybeStuck, now: number): number | undefined {
  const open = jobs.filter(({ status }) => status !== "completed");
  if (run.hasMachine || !open.every((job) => job.status === "queued" && asksForOurs(job, run))) return undefined;
  const waits = open.map(({ createdAt }) => (createdAt === undefined ? 0 : now - createdAt));
  const longest = Math.max(0, ...waits);
  return longest >= STUCK_AFTER_MS ? longest : undefined;
}

/**
 * `gpu-<run>-<attempt>`, perhaps with `-<use>`, of this attempt or of one before it: a re-run may
 * keep an old label, and no machine comes for that. GitHub compares labels whatever their case.
 */
export function asksForOurs({ labels }: Pick<QueuedJob, "labels">, { runId, attempt }: Attempt): boolean {
  return labels.some((label) => {
    const [, run, asked] = /^gpu-(\d+)-([1-9]\d*)(?:-|$)/i.exec(label) ?? [];
    return run === String(runId) && Number(asked) <= attempt;
  });
}
