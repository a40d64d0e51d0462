import type { Runner } from "../runners/runners.ts";
import { type Job, type Run, runState } from "../runs/run-record.ts";
import type { World } from "../world.ts";

/** A job for the control paths: with its output, and before GitHub would show it, too. */
export function viewJob(job: Job): Record<string, unknown> {
  const { id, name, status, conclusion, log } = job;
  return { id, name, labels: job.labels, status, conclusion, runner: job.runner?.name ?? null, log };
}

/** A run attempt with all its jobs. */
export function viewRun(run: Run): Record<string, unknown> {
  const { id, attempt, repository } = run;
  const state = runState(run);
  return { id, attempt, repository: repository.fullName, ...state, jobs: run.jobs.map(viewJob) };
}

/** A runner, without what would let anyone take its place. */
export function viewRunner(runner: Runner, world: World): Record<string, unknown> {
  const { id, name, labels, home, version } = runner;
  const seen = { online: world.dispatcher.isOnline(runner), job: runner.job?.name ?? null };
  return { id, name, labels, home, version, ...seen };
}
