import { COMMIT } from "../runs/branches.ts";
import { type Run, runState } from "../runs/run-record.ts";
import { workflowOf } from "../runs/workflows.ts";
import { wireMinimalRepository } from "./wire-repository.ts";
import { wireTime } from "./wire-time.ts";
import { wireUser } from "./wire-user.ts";

/** A run attempt as GitHub shows it. */
export function wireRun(run: Run, api: string): Record<string, unknown> {
  const repository = wireMinimalRepository(run.repository, api);
  const actor = wireUser(run.repository.owner, api);
  const workflow = workflowOf(run);
  return {
    id: run.id,
    name: workflow.name,
    node_id: Buffer.from(`011:WorkflowRun${run.id}`).toString("base64"),
    head_branch: run.spec.headBranch,
    head_sha: COMMIT,
    path: workflow.path,
    display_title: "A commit",
    run_number: 1,
    event: run.spec.event,
    ...runState(run),
    workflow_id: workflow.id,
    check_suite_id: 42,
    check_suite_node_id: "MDEwOkNoZWNrU3VpdGU0Mg==",
    pull_requests: [],
    created_at: wireTime(run.createdAt),
    updated_at: wireTime(run.updatedAt),
    actor,
    triggering_actor: actor,
    run_attempt: run.attempt,
    referenced_workflows: [],
    run_started_at: wireTime(run.startedAt),
    ...linksOf(run, api),
    head_commit: headCommit(run),
    repository,
    head_repository: repository,
  };
}

function linksOf(run: Run, api: string): Record<string, unknown> {
  const repositoryUrl = `${api}/repos/${run.repository.fullName}`;
  const url = `${repositoryUrl}/actions/runs/${run.id}`;
  return {
    url,
    html_url: `https://github.com/${run.repository.fullName}/actions/runs/${run.id}`,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${repositoryUrl}/check-suites/42`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: run.attempt > 1 ? `${url}/attempts/${run.attempt - 1}` : null,
    workflow_url: `${repositoryUrl}/actions/workflows/${workflowOf(run).id}`,
  };
}

function headCommit(run: Run): Record<string, unknown> {
  const person = { name: "Octo Cat", email: "octocat@example.com" };
  const when = { id: COMMIT, tree_id: "d23f6eedb1e1b9610bbc754ddb5197bfe7271223", timestamp: wireTime(run.createdAt) };
  return { ...when, message: "A commit", author: person, committer: person };
}
