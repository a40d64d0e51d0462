import { type GpuJobs, sortJobs } from "../../../src/github/jobs.ts";

const RUN = { runnerLabel: "gpu-4711-1", runnerNamePrefix: "gpu-4711-1-abcdef" };
const OWN = { checkRunId: 1, runnerName: undefined, jobName: "rent" };

/** So many GPU jobs that wait, and that run. */
export function someJobs({ waiting = 0, running = 0 }: { waiting?: number; running?: number }): GpuJobs {
  const statuses = [...Array<string>(waiting).fill("queued"), ...Array<string>(running).fill("in_progress")];
  const jobs = statuses.map((status, index) => ({
    id: index + 2,
    name: `test ${index}`,
    status,
    conclusion: undefined,
    labels: [RUN.runnerLabel],
    runnerId: undefined,
    runnerName: undefined,
    url: undefined,
    createdAt: undefined,
    startedAt: undefined,
    completedAt: undefined,
    failedStep: undefined,
  }));
  return sortJobs(jobs, { ...RUN, own: OWN });
}
