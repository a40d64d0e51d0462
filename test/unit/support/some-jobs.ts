import { type GpuJobs, sortJobs } from "../../../src/github/jobs.ts";
import { WHOSE, waitingJob } from "./a-job.ts";

/** So many GPU jobs that wait, and that run. */
export function someJobs({ waiting = 0, running = 0 }: { waiting?: number; running?: number }): GpuJobs {
  const statuses = [...Array<string>(waiting).fill("queued"), ...Array<string>(running).fill("in_progress")];
  const jobs = statuses.map((status, index) => waitingJob({ id: index + 2, name: `test ${index}`, status }));
  return sortJobs(jobs, WHOSE);
}
