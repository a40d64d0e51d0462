import type { Job, JobMatcher } from "../../../src/github/jobs.ts";

/** The runner label of the tests' run. */
export const RUNNER_LABEL = "gpu-4711-1";

/** The id of a runner that this session registered. */
export const OUR_RUNNER = 21;

/** Whose jobs the tests look for; this very job is known by its id, its runner and its name. */
export const WHOSE: JobMatcher = {
  runnerLabel: RUNNER_LABEL,
  runnerNamePrefix: `${RUNNER_LABEL}-abcdef`,
  own: { checkRunId: 1, runnerName: "hosted-1", jobName: "rent" },
};

/** A job of the list, but for what the test says. */
export function aJob(given: Partial<Job> = {}): Job {
  return {
    id: 50,
    name: "lint",
    status: "in_progress",
    conclusion: undefined,
    labels: ["ubuntu-latest"],
    runnerId: 900,
    runnerName: "hosted-7",
    url: undefined,
    createdAt: undefined,
    startedAt: undefined,
    completedAt: undefined,
    failedStep: undefined,
    ...given,
  };
}

/** The job that uses the action. */
export const OWN_JOB: Job = aJob({ id: 1, name: "rent", runnerName: "hosted-1" });

/** A job that asks for our runner and has none yet. */
export function waitingJob(given: Partial<Job> = {}): Job {
  const free = { runnerId: undefined, runnerName: undefined };
  return aJob({
    id: 2,
    name: "test",
    status: "queued",
    labels: [RUNNER_LABEL],
    ...free,
    url: "https://job/2",
    ...given,
  });
}

/** A job that runs on our runner. */
export function runningJob(given: Partial<Job> = {}): Job {
  return waitingJob({ status: "in_progress", runnerId: OUR_RUNNER, runnerName: "gpu-4711-1-abcdef-1", ...given });
}

/** A job of ours that is over. */
export function completedJob(conclusion: string, given: Partial<Job> = {}): Job {
  return runningJob({ status: "completed", conclusion, ...given });
}
