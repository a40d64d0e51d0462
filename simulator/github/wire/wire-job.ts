import { COMMIT } from "../runs/branches.ts";
import type { Job, Step } from "../runs/run-record.ts";
import { wireTime } from "./wire-time.ts";

/** A job as the job list shows it. A skipped one shows no labels. */
export function wireJob(job: Job, api: string): Record<string, unknown> {
  const { run, runner } = job;
  // Null while one may still come; none of these once the job ended without one.
  const none = job.status === "completed" ? { id: 0, name: "" } : { id: null, name: null };
  const repositoryUrl = `${api}/repos/${run.repository.fullName}`;
  const runUrl = `${repositoryUrl}/actions/runs/${run.id}`;
  return {
    id: job.id,
    run_id: run.id,
    run_url: runUrl,
    run_attempt: run.attempt,
    node_id: Buffer.from(`08:CheckRun${job.id}`).toString("base64"),
    head_sha: COMMIT,
    url: `${repositoryUrl}/actions/jobs/${job.id}`,
    html_url: `https://github.com/${run.repository.fullName}/actions/runs/${run.id}/job/${job.id}`,
    status: job.status,
    conclusion: job.conclusion,
    created_at: wireTime(job.createdAt),
    // GitHub shows a start even for a job that has not begun: the time of its creation.
    started_at: wireTime(job.startedAt ?? job.createdAt),
    completed_at: optionalTime(job.completedAt),
    name: job.name,
    steps: job.steps.map(wireStep),
    check_run_url: `${repositoryUrl}/check-runs/${job.id}`,
    labels: job.conclusion === "skipped" ? [] : job.labels,
    runner_id: runner?.id ?? none.id,
    runner_name: runner?.name ?? none.name,
    runner_group_id: runner?.groupId ?? none.id,
    runner_group_name: runner?.groupName ?? none.name,
    workflow_name: run.spec.workflow,
    head_branch: run.spec.headBranch,
  };
}

function wireStep(step: Step, index: number): Record<string, unknown> {
  return {
    name: step.name,
    status: step.status,
    conclusion: step.conclusion,
    number: index + 1,
    started_at: optionalTime(step.startedAt),
    completed_at: optionalTime(step.completedAt),
  };
}

function optionalTime(ms: number | null): string | null {
  return ms === null ? null : wireTime(ms);
}
