import type { Job } from "./run-record.ts";

/** The other jobs of a job's matrix that are not over. */
export function openSiblings(job: Job): Job[] {
  const { matrix } = job.spec;
  if (matrix === undefined) return [];
  return job.run.jobs.filter((other) => other !== job && other.spec.matrix === matrix && other.status !== "completed");
}

/**
 * True when `max-parallel` holds a queued job back: so many of its matrix stand before it.
 * SPEC-SILENT: its status; here `queued`, like a job that waits for a runner.
 */
export function isHeldBack(job: Job): boolean {
  const limit = job.run.spec.matrices[job.spec.matrix ?? ""]?.maxParallel;
  if (limit === undefined) return false;
  const begun = openSiblings(job).filter(({ status }) => status === "in_progress");
  const before = openSiblings(job).filter((other) => other.status === "queued" && other.id < job.id);
  return begun.length + before.length >= limit;
}

/** Whether the end of a job takes the rest of its matrix with it. */
export function endsItsMatrix({ run, spec, conclusion }: Job): boolean {
  if (spec.matrix === undefined || (conclusion !== "failure" && conclusion !== "timed_out")) return false;
  return run.spec.matrices[spec.matrix]?.failFast ?? true;
}
