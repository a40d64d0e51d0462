import type { SimClock } from "../../clock/sim-clock.ts";
import type { Repositories, Repository } from "../repositories.ts";
import type { Job, JobRunner, Run, Step } from "./run-record.ts";
import {
  type Conclusion,
  endsItsMatrix,
  isNeededBy,
  type JobStatus,
  jobsToRerun,
  newRun,
  openSiblings,
  type RerunWish,
  RunSpec,
  runState,
} from "./run-record.ts";

/** All run attempts and their jobs, and the only place that changes a job. */
export class Runs {
  readonly #clock: SimClock;
  readonly #repositories: Repositories;
  readonly #changed: (job: Job) => void;
  readonly #runs: Run[] = [];
  #lastRunId = 16_000_000_000;
  #lastJobId = 47_000_000_000;
  readonly #nextJobId = () => ++this.#lastJobId;

  /** `changed` is called after every change of a job's status. */
  constructor(clock: SimClock, repositories: Repositories, changed: (job: Job) => void) {
    this.#clock = clock;
    this.#repositories = repositories;
    this.#changed = changed;
  }

  /** Adds one attempt; throws when the description is wrong or the attempt is already there. */
  add(given: RunSpec): Run {
    const spec = RunSpec.parse(given);
    const repository = this.#repositories.declare(spec.repository, spec.repositoryId);
    const id = spec.runId ?? ++this.#lastRunId;
    const attempt = spec.attempt ?? (this.find(repository, id)?.attempt ?? 0) + 1;
    if (this.find(repository, id, attempt)) throw new Error(`Run ${id} already has an attempt ${attempt}.`);
    const then = this.#clock.now() - spec.secondsAgo * 1000;
    const times = { createdAt: then, startedAt: then, updatedAt: then };
    const run = newRun({ id, attempt, repository, spec, ...times }, this.#nextJobId);
    this.#runs.push(run);
    for (const job of run.jobs) this.#unblock(job);
    for (const job of run.jobs) job.createdAt = then;
    run.updatedAt = then;
    return run;
  }

  /**
   * Starts another attempt of a run; undefined when it is not over, or has nothing of the kind.
   * SPEC-SILENT: how it lists jobs that do not run again; here with new ids and the old results.
   */
  rerun(old: Run, wish: RerunWish): Run | undefined {
    const again = jobsToRerun(old, wish);
    if (runState(old).status !== "completed" || again.size === 0) return undefined;
    const now = this.#clock.now();
    const run = newRun({ ...old, attempt: old.attempt + 1, startedAt: now, updatedAt: now }, this.#nextJobId);
    this.#runs.push(run);
    for (const [index, job] of run.jobs.entries()) {
      const { status, conclusion, createdAt, startedAt, completedAt, runner, steps } = old.jobs[index] ?? job;
      if (again.has(job.name)) continue;
      Object.assign(job, { status, conclusion, createdAt, startedAt, completedAt, runner, steps });
    }
    for (const job of run.jobs) this.#unblock(job);
    return run;
  }

  /** All attempts, oldest first. */
  all(): readonly Run[] {
    return this.#runs;
  }

  /** Finds an attempt of a run, the latest when none is named. */
  find(repository: Repository, id: number, attempt?: number): Run | undefined {
    return this.#runs
      .filter((run) => run.repository === repository && run.id === id)
      .filter((run) => attempt === undefined || run.attempt === attempt)
      .sort((a, b) => b.attempt - a.attempt)[0];
  }

  /** The jobs of all attempts. */
  jobs(): Job[] {
    return this.#runs.flatMap((run) => run.jobs);
  }

  /** Finds a job by its id, which is also the id of its check run. */
  job(id: number): Job | undefined {
    return this.jobs().find((job) => job.id === id);
  }

  /** Sets the status of an open job; `in_progress` needs a runner, by default a hosted one. */
  setStatus(job: Job, status: Exclude<JobStatus, "completed">, runner?: JobRunner): void {
    refuseWhenOver(job);
    Object.assign(job, { status, runner: null, startedAt: null, steps: [] });
    if (status === "in_progress") {
      Object.assign(job, { runner: runner ?? hostedRunner(job), startedAt: this.#clock.now() });
      this.nextStep(job, "Set up job");
    }
    this.#touch(job);
  }

  /** Ends a job, and decides what becomes of the jobs that need it. Nobody closes the step of one that was lost. */
  complete(job: Job, conclusion: Conclusion, isLost = false): void {
    refuseWhenOver(job);
    const now = this.#clock.now();
    if (!isLost) job.steps = job.steps.map((step) => closeStep(step, conclusion, now));
    Object.assign(job, { status: "completed", conclusion, completedAt: now });
    this.#touch(job);
    for (const other of openSiblings(job)) {
      if (endsItsMatrix(job)) this.cancelJob(other);
      // Its turn may have come, where the matrix has a max-parallel.
      else if (other.status === "queued") this.#changed(other);
    }
    for (const other of job.run.jobs) this.#unblock(other);
  }

  /** Ends one job, as its matrix does when another failed; a running one ends by its runner. */
  cancelJob(job: Job): void {
    if (job.status === "completed") return;
    if (job.status !== "in_progress") {
      this.complete(job, "cancelled");
      return;
    }
    job.cancelRequested = true;
    this.#changed(job);
  }

  /** Marks a step as over and the next one as begun. */
  nextStep(job: Job, name: string): void {
    const now = this.#clock.now();
    job.steps = job.steps.map((step) => closeStep(step, "success", now));
    job.steps.push({ name, status: "in_progress", conclusion: null, startedAt: now, completedAt: null });
    job.run.updatedAt = now;
  }

  /** Asks a run to end; false when it is over. A running job ends by its runner (or the test). */
  cancel(run: Run): boolean {
    if (runState(run).status === "completed") return false;
    run.cancelRequested = true;
    run.updatedAt = this.#clock.now();
    for (const job of run.jobs) if (job.status !== "blocked") this.cancelJob(job);
    return true;
  }

  /** Ends every job of a run at once, despite their conditions; false when it is already over. */
  forceCancel(run: Run): boolean {
    if (runState(run).status === "completed") return false;
    Object.assign(run, { cancelRequested: true, isForceCancelled: true });
    for (const job of run.jobs) {
      // The end of one may end others.
      if (job.status === "completed") continue;
      job.cancelRequested = true;
      this.complete(job, "cancelled");
    }
    return true;
  }

  #unblock(job: Job): void {
    if (job.status !== "blocked") return;
    const needs = job.run.jobs.filter((other) => isNeededBy(job, other));
    if (needs.some((need) => need.status !== "completed")) return;
    job.createdAt = this.#clock.now();
    const met = job.spec.if && !job.run.cancelRequested && needs.every((need) => need.conclusion === "success");
    if (met) this.#startAsDescribed(job);
    else this.complete(job, "skipped");
  }

  #startAsDescribed(job: Job): void {
    const { status = "queued", conclusion = "success" } = job.spec;
    this.setStatus(job, status === "completed" ? "in_progress" : status);
    if (status === "completed") this.complete(job, conclusion);
  }

  #touch(job: Job): void {
    job.run.updatedAt = this.#clock.now();
    this.#changed(job);
  }
}

function closeStep(step: Step, conclusion: Conclusion, now: number): Step {
  return step.status === "completed" ? step : { ...step, status: "completed", conclusion, completedAt: now };
}

function hostedRunner(job: Job): JobRunner {
  const number = job.id % 1_000_000;
  const name = job.spec.runnerName ?? `GitHub Actions ${number}`;
  return { id: 1_000_000_000 + number, name, groupId: 0, groupName: "GitHub Actions" };
}

function refuseWhenOver(job: Job): void {
  if (job.status === "completed") throw new Error(`Job ${job.name} is already completed (${job.conclusion}).`);
}
