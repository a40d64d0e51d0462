import type { Annotation, Conclusion, JobStatus } from "./run-record.ts";
import { type Job, type Run, runState, type Step } from "./run-record.ts";
import type { Runs } from "./runs.ts";

/** A test's hand on one run attempt. */
export class RunControl {
  readonly #runs: Runs;
  readonly #run: Run;

  constructor(runs: Runs, run: Run) {
    this.#runs = runs;
    this.#run = run;
  }

  get id(): number {
    return this.#run.id;
  }

  get attempt(): number {
    return this.#run.attempt;
  }

  /** owner/name. */
  get repository(): string {
    return this.#run.repository.fullName;
  }

  get repositoryId(): number {
    return this.#run.repository.id;
  }

  get status(): JobStatus {
    return runState(this.#run).status;
  }

  get conclusion(): Conclusion | null {
    return runState(this.#run).conclusion;
  }

  get cancelRequested(): boolean {
    return this.#run.cancelRequested;
  }

  /** Every job, those that GitHub does not show yet too. */
  jobs(): JobControl[] {
    return this.#run.jobs.map((job) => new JobControl(this.#runs, job));
  }

  /** The job of this name; throws when there is none. */
  job(name: string): JobControl {
    const job = this.#run.jobs.find((candidate) => candidate.name === name);
    if (job === undefined) throw new Error(`Run ${this.#run.id} has no job named ${name}.`);
    return new JobControl(this.#runs, job);
  }

  /** As if someone cancelled the run; false when it is over. */
  cancel(): boolean {
    return this.#runs.cancel(this.#run);
  }

  /** As if someone pressed "Re-run all jobs" or "Re-run failed jobs"; throws if that can't be. */
  rerun(wish: "all" | "failed" = "all"): RunControl {
    const attempt = this.#runs.rerun(this.#run, wish);
    if (attempt === undefined) throw new Error(`Run ${this.id} is not over, or none of its jobs failed.`);
    return new RunControl(this.#runs, attempt);
  }

  /** As if someone force-cancelled the run; false when it is over. */
  forceCancel(): boolean {
    return this.#runs.forceCancel(this.#run);
  }
}

/** A test's hand on one job. */
export class JobControl {
  readonly #runs: Runs;
  readonly #job: Job;

  constructor(runs: Runs, job: Job) {
    this.#runs = runs;
    this.#job = job;
  }

  /** Also the id of its check run. */
  get id(): number {
    return this.#job.id;
  }

  get name(): string {
    return this.#job.name;
  }

  /** `blocked`: its needs are not over, and GitHub does not show it. */
  get status(): JobStatus | "blocked" {
    return this.#job.status;
  }

  get conclusion(): Conclusion | null {
    return this.#job.conclusion;
  }

  /** It was cancelled while it ran, and its runner has not said yet that it is over. */
  get cancelRequested(): boolean {
    return this.#job.cancelRequested;
  }

  /** When it began, in simulated milliseconds since the epoch. */
  get startedAt(): number | null {
    return this.#job.startedAt;
  }

  /** When it ended, in simulated milliseconds since the epoch. */
  get completedAt(): number | null {
    return this.#job.completedAt;
  }

  get runnerName(): string | undefined {
    return this.#job.runner?.name;
  }

  /** Output that a stand-in runner sent back, once the job is over. */
  get log(): string {
    return this.#job.log;
  }

  get steps(): readonly Step[] {
    return this.#job.steps;
  }

  /** Moves a job that is not over; in progress means on a hosted runner. */
  setStatus(status: Exclude<JobStatus, "completed">): void {
    this.#runs.setStatus(this.#job, status);
  }

  /** As if someone cancelled this job alone; a running one ends by its runner (or the test). */
  cancel(): void {
    this.#runs.cancelJob(this.#job);
  }

  /** As if a step of it had printed a warning, an error or a notice. */
  annotate(annotation: Annotation): void {
    this.#job.annotations.push(annotation);
  }

  /** As if its steps had printed this. GitHub hands it out once the job is over. */
  print(log: string): void {
    this.#job.log += log;
  }

  /** Ends the job as its runner would. */
  complete(conclusion: Conclusion = "success"): void {
    this.#runs.complete(this.#job, conclusion);
  }
}
