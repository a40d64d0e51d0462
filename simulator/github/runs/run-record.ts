import type { Repository } from "../repositories.ts";
import type { Annotation } from "./annotations.ts";
import type { CompleteRunSpec, Conclusion, JobStatus } from "./run-spec.ts";

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
