import type { JobCounts } from "../../../src/jobs/job-counts.ts";

/** What one look told of the jobs: nothing but this very job, but for what the test says. `others` follows from the rest. */
export function someCounts(given: Partial<JobCounts> & { othersCompleted?: number } = {}): JobCounts {
  const {
    waiting = 0,
    running = 0,
    completed = [],
    open = 0,
    othersCompleted = 0,
    foreignLabels = [],
    rivals = 0,
    url,
  } = given;
  const others = waiting + running + completed.length + open + othersCompleted;
  return { waiting, foreignLabels, running, completed, open, rivals, others, url };
}
