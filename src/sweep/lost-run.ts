import type { Job } from "../github/job.ts";
import type { Run } from "../github/run.ts";
import { asksForOurs } from "./stuck-run.ts";

/** A run is looked at so long after its end, in ms: sweeps come every six hours, or late. */
const LOOKED_AT_FOR_MS = 8 * 3_600_000;

/** Conclusions by which a job counts as failed; a cancelled one had its reason elsewhere. */
const FAILED = new Set(["failure", "timed_out", "startup_failure", "action_required"]);

/**
 * Whether a run may be one to re-run, as far as its own record tells: over a short while, failed,
 * never run again, not ours.
 */
export function mayBeLost(run: Run, ownRunId: number, now: number): boolean {
  const isFirst = run.attempt === 1 && run.status === "completed" && run.conclusion === "failure";
  return isFirst && run.id !== ownRunId && !run.isOfFork && now - (run.updatedAt ?? 0) < LOOKED_AT_FOR_MS;
}

/**
 * The jobs that may have rented for a GPU job of this run that did not succeed: what they noted
 * decides. None: nothing was lost.
 */
export function jobsToAsk(run: Run, jobs: readonly Job[]): Job[] {
  if (!jobs.some((job) => isOfGpu(job, run) && isBad(job))) return [];
  return jobs.filter((job) => isFailed(job) && !isOfGpu(job, run));
}

/** The renting jobs' notes on a run: which of them rented, and whose machines were lost. */
export interface LostNotes {
  renting: ReadonlySet<number>;
  lost: ReadonlySet<number>;
}

/** The fate of a run that failed. `nothing`: no machine was lost under a job of it. */
export type LostVerdict =
  | { kind: "nothing" }
  | { kind: "leave"; why: string }
  /** By the names of the jobs that were lost. */
  | { kind: "rerun"; jobs: string[] };

/** Judges a run by its jobs: re-run when each failed one was lost, or rented for a lost one. */
export function judgeLostRun(jobs: readonly Job[], { renting, lost }: LostNotes): LostVerdict {
  const gone = jobs.filter((job) => lost.has(job.id) && isBad(job));
  if (gone.length === 0) return { kind: "nothing" };
  const byItself = jobs.find((job) => isFailed(job) && !lost.has(job.id) && !renting.has(job.id));
  if (byItself) return { kind: "leave", why: `its job '${byItself.name}' failed by itself` };
  return { kind: "rerun", jobs: gone.map(({ name }) => name) };
}

function isOfGpu(job: Job, { id, attempt }: Run): boolean {
  return asksForOurs(job, { runId: id, attempt });
}

function isFailed({ conclusion }: Job): boolean {
  return FAILED.has(conclusion ?? "");
}

/** GitHub ends a job whose machine is gone as failed, or as cancelled. */
function isBad(job: Job): boolean {
  return isFailed(job) || job.conclusion === "cancelled";
}
