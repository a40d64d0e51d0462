import { createHash } from "node:crypto";
import { z } from "zod";
import type { Repository } from "../repositories.ts";

/** A warning, an error or a notice of a job's step, on the page of its run. */
export interface Annotation {
  readonly level: "notice" | "warning" | "failure";
  readonly title: string;
  readonly message: string;
}

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

/** A workflow file of a repository, known by the runs that there are of it. */
export type Workflow = ReturnType<typeof workflowOf>;

/** The workflow of a run; the same name has the same id in each repository. */
export function workflowOf({ spec, repository, createdAt }: Run) {
  const { workflow: name } = spec;
  const digest = createHash("sha256").update(`${repository.id} ${name}`).digest();
  const id = 150_000_000 + (digest.readUInt32BE(0) % 50_000_000);
  return { id, name, path: `.github/workflows/${name}.yml`, repository, createdAt };
}

/** The workflows of a repository, the one with the oldest run first. */
export function workflowsOf(runs: readonly Run[], repository: Repository): Workflow[] {
  const all = runs.filter((run) => run.repository === repository).map(workflowOf);
  return all.filter(({ id }, index) => all.findIndex((workflow) => workflow.id === id) === index);
}

/** Whether a path names this workflow: by its id or by its file's name. */
export function isNamed({ id, path }: Workflow, given: string): boolean {
  return String(id) === given || path.endsWith(`/${given}`);
}

/** GitHub's words for the result of a job that is over. */
export const CONCLUSIONS = [
  "success",
  "failure",
  "neutral",
  "cancelled",
  "skipped",
  "timed_out",
  "action_required",
] as const;

/** The result of a job that is over. */
export type Conclusion = (typeof CONCLUSIONS)[number];

/** Statuses that GitHub shows; `waiting`: an approval, `pending`: a concurrency group. */
export const JOB_STATUSES = ["queued", "in_progress", "completed", "waiting", "requested", "pending"] as const;

/** Where a job that GitHub shows is. */
export type JobStatus = (typeof JOB_STATUSES)[number];

const JobSpec = z.strictObject({
  name: z.string().min(1),
  /** The labels of `runs-on`; `${{ github.run_id }}`, `${{ github.run_attempt }}` are filled in. */
  labels: z.array(z.string().min(1)).min(1),
  /** The status once the needs are met (default queued). */
  status: z.enum(JOB_STATUSES).optional(),
  /** Of a job that starts as completed (default success). */
  conclusion: z.enum(CONCLUSIONS).optional(),
  /** Earlier jobs or matrices that must succeed first; until then GitHub does not show it. */
  needs: z.array(z.string()).default([]),
  /** false: its condition is not met, so that it is skipped when its needs are over. */
  if: z.boolean().default(true),
  /** Shell lines that a stand-in runner executes with `bash -e`. */
  run: z.array(z.string()).default([]),
  /** The job whose matrix it is a part of; the same word for all of that matrix. */
  matrix: z.string().min(1).optional(),
  /** The runner of a job that the test drives (default: a hosted one). */
  runnerName: z.string().min(1).optional(),
});

/** A matrix, with GitHub's defaults. */
const MatrixSpec = z.strictObject({
  /** How many of its jobs GitHub gives to runners at a time; the others are queued all the same. */
  maxParallel: z.int().positive().optional(),
  /** One that fails takes the others with it. */
  failFast: z.boolean().default(true),
});

/** One attempt of a workflow run, as tests, scripts and people add it; unknown keys are refused. */
export const RunSpec = z
  .strictObject({
    repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/, "is not owner/name"),
    repositoryId: z.int().positive().optional(),
    runId: z.int().positive().optional(),
    attempt: z.int().positive().optional(),
    workflow: z.string().min(1).default("gpu"),
    event: z.string().min(1).default("push"),
    headBranch: z.string().min(1).default("main"),
    /** It was made so long ago, and nothing has changed since then. */
    secondsAgo: z.number().min(0).default(0),
    jobs: z.array(JobSpec).min(1),
    /** By the word that its jobs have as `matrix`. */
    matrices: z.record(z.string(), MatrixSpec).default({}),
  })
  .superRefine(({ jobs }, context) => {
    const before = new Set<string>();
    for (const { name, needs, matrix } of jobs) {
      const unknown = needs.filter((need) => !before.has(need));
      if (unknown.length > 0) context.addIssue(`job ${name} needs ${unknown.join(", ")}, which must stand before it`);
      before.add(name);
      if (matrix !== undefined) before.add(matrix);
    }
  });

/** A run as it is written: what has a default may be left out. */
export type RunSpec = z.input<typeof RunSpec>;

type CompleteRunSpec = z.output<typeof RunSpec>;

type Given = Pick<Run, "id" | "attempt" | "repository" | "spec" | "createdAt" | "startedAt" | "updatedAt">;

/** Makes the record of an attempt, all of whose jobs are still blocked. */
export function newRun(given: Given, nextJobId: () => number): Run {
  const run: Run = { ...given, jobs: [], cancelRequested: false, isForceCancelled: false };
  for (const job of given.spec.jobs) run.jobs.push(newJob(run, job, nextJobId()));
  return run;
}

function newJob(run: Run, spec: CompleteRunSpec["jobs"][number], id: number): Job {
  const times = { createdAt: run.startedAt, startedAt: null, completedAt: null };
  const open = { status: "blocked" as const, conclusion: null, runner: null, steps: [], log: "", annotations: [] };
  const labels = spec.labels.map((label) => filledIn(label, run));
  return { id, name: spec.name, spec, labels, run, ...times, ...open, cancelRequested: false };
}

/** `runs-on` knows the run's own numbers: another attempt asks for another label. */
function filledIn(label: string, { id, attempt }: Run): string {
  return label
    .replace(/\$\{\{\s*github\.run_id\s*\}\}/g, String(id))
    .replace(/\$\{\{\s*github\.run_attempt\s*\}\}/g, String(attempt));
}

/** Which jobs of a run that is over are to run again: all, those that did not succeed, or one. */
export type RerunWish = "all" | "failed" | Job;

/** The names of the jobs that run again, with those that need them; none without such a job. */
export function jobsToRerun({ jobs }: Run, wish: RerunWish): ReadonlySet<string> {
  const again = new Set<string>();
  // A job stands after all that it needs.
  for (const job of jobs) {
    const needed = jobs.some((other) => again.has(other.name) && isNeededBy(job, other));
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

/** One step of a job as the job list shows it. */
export interface Step {
  readonly name: string;
  status: "queued" | "in_progress" | "completed";
  conclusion: Conclusion | null;
  startedAt: number | null;
  completedAt: number | null;
}

/** Who runs a job; group 0 is GitHub's own machines. */
export interface JobRunner {
  readonly id: number;
  readonly name: string;
  readonly groupId: number;
  readonly groupName: string;
}

/** One job of one run attempt. Times are simulated milliseconds since the epoch. */
export interface Job {
  readonly id: number;
  readonly name: string;
  readonly spec: CompleteRunSpec["jobs"][number];
  /** The labels of its `runs-on`, filled in. */
  readonly labels: readonly string[];
  readonly run: Run;
  /** `blocked`: its needs are not met, and GitHub does not show it. */
  status: JobStatus | "blocked";
  conclusion: Conclusion | null;
  createdAt: number;
  startedAt: number | null;
  completedAt: number | null;
  runner: JobRunner | null;
  steps: Step[];
  /** The output that the runner sent back. */
  log: string;
  readonly annotations: Annotation[];
  /** The server wants it to end; its runner is told at the next message. */
  cancelRequested: boolean;
}

/** One attempt of a workflow run. */
export interface Run {
  readonly id: number;
  readonly attempt: number;
  readonly repository: Repository;
  readonly spec: CompleteRunSpec;
  readonly jobs: Job[];
  /** The creation of the first attempt. */
  readonly createdAt: number;
  readonly startedAt: number;
  updatedAt: number;
  cancelRequested: boolean;
  isForceCancelled: boolean;
}

/** The status and conclusion that GitHub shows for a run, which follow from its jobs. */
export function runState(run: Run): { status: JobStatus; conclusion: Conclusion | null } {
  const shown = run.jobs.filter((job) => job.status !== "blocked");
  const statuses = new Set(shown.map((job) => job.status));
  if (shown.length === run.jobs.length && statuses.size === 1 && statuses.has("completed")) {
    return { status: "completed", conclusion: runConclusion(run) };
  }
  // SPEC-SILENT: the status between two jobs; partly done counts as in progress.
  if (statuses.has("in_progress") || statuses.has("completed")) return { status: "in_progress", conclusion: null };
  const open = (["queued", "waiting", "pending", "requested"] as const).find((status) => statuses.has(status));
  return { status: open ?? "queued", conclusion: null };
}

function runConclusion(run: Run): Conclusion {
  const conclusions = run.jobs.map((job) => job.conclusion);
  if (run.cancelRequested) return "cancelled";
  if (conclusions.some((conclusion) => conclusion === "failure" || conclusion === "timed_out")) return "failure";
  if (conclusions.includes("cancelled")) return "cancelled";
  if (conclusions.every((conclusion) => conclusion === "skipped")) return "skipped";
  return "success";
}
