import type { Job, Run } from "./run-record.ts";

/** Which jobs of a run that is over are to run again: all, those that did not succeed, or one. */
export type RerunWish = "all" | "failed" | Job;

/** The names of the jobs that run again, with those that need them; none without such a job. */
export function jobsToRerun({ jobs }: Run, wish: RerunWish): ReadonlySet<string> {
  const again = new Set<string>();
  // A job stands after all that it needs.
  for (const job of jobs) {
    const needed = jobs.filter((other) => isNeededBy(job, other)).some((other) => again.has(other.name));
    if (needed || isMeant(job, wish)) again.add(job.name);
  }
  return again;
}

/** Whether a job names the other one, or its matrix, in its `needs`. */
export function isNeededBy({ spec }: Job, other: Job): boolean {
  return spec.needs.includes(other.name) || (other.spec.matrix !== undefined && spec.needs.includes(other.spec.matrix));
}

function isMeant(job: Job, wish: RerunWish): boolean {
  if (wish === "all") return true;
  if (wish !== "failed") return job === wish;
  return job.conclusion !== "success" && job.conclusion !== "skipped" && job.conclusion !== "neutral";
}
