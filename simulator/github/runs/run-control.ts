import { type Annotation, type Conclusion, type Job, type JobStatus, type Run, runState } from "./run-record.ts";
import type { Runs } from "./runs.ts";

/** A record, whose facts are read anew each time that a test looks, with what a test can do to it. */
function over<Facts extends object, Hands extends object>(record: Facts, hands: Hands) {
  return Object.setPrototypeOf(hands, record) as Readonly<Omit<Facts, keyof Hands>> & Hands;
}

/** A test's hand on one run attempt. */
export type RunControl = ReturnType<typeof ofAttempt> & {
  /** As if someone pressed "Re-run all jobs" or "Re-run failed jobs"; throws if that can't be. */
  rerun(wish?: "all" | "failed"): RunControl;
};

/** Gives a test a hand on a run attempt. */
export function controlOf(runs: Runs, run: Run): RunControl {
  return Object.assign(ofAttempt(runs, run), {
    rerun(wish: "all" | "failed" = "all") {
      const attempt = runs.rerun(run, wish);
      if (attempt === undefined) throw new Error(`Run ${run.id} is not over, or none of its jobs failed.`);
      return controlOf(runs, attempt);
    },
  });
}

function ofAttempt(runs: Runs, run: Run) {
  return over(run, {
    /** owner/name. */
    repository: run.repository.fullName,
    repositoryId: run.repository.id,
    get status() {
      return runState(run).status;
    },
    get conclusion() {
      return runState(run).conclusion;
    },
    /** Every job, those that GitHub does not show yet too. */
    jobs: () => run.jobs.map((job) => ofJob(runs, job)),
    /** The job of this name; throws when there is none. */
    job(name: string) {
      const job = run.jobs.find((candidate) => candidate.name === name);
      if (job === undefined) throw new Error(`Run ${run.id} has no job named ${name}.`);
      return ofJob(runs, job);
    },
    /** As if someone cancelled the run; false when it is over. */
    cancel: () => runs.cancel(run),
    /** As if someone force-cancelled the run; false when it is over. */
    forceCancel: () => runs.forceCancel(run),
  });
}

function ofJob(runs: Runs, job: Job) {
  return over(job, {
    get runnerName() {
      return job.runner?.name;
    },
    /** Moves a job that is not over; in progress means on a hosted runner. */
    setStatus: (status: Exclude<JobStatus, "completed">) => runs.setStatus(job, status),
    /** As if someone cancelled this job alone; a running one ends by its runner (or the test). */
    cancel: () => runs.cancelJob(job),
    /** As if a step of it had printed a warning, an error or a notice. */
    annotate: (annotation: Annotation) => void job.annotations.push(annotation),
    /** As if its steps had printed this. GitHub hands it out once the job is over. */
    print(log: string) {
      job.log += log;
    },
    /** Ends the job as its runner would. */
    complete: (conclusion: Conclusion = "success") => runs.complete(job, conclusion),
  });
}
