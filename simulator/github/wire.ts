import { COMMIT, type Repository } from "./repositories.ts";
import type { Runner } from "./runners/runners.ts";
import {
  type Annotation,
  type Job,
  type Run,
  runState,
  type Step,
  type Workflow,
  workflowOf,
} from "./runs/run-record.ts";

/** Writes simulated milliseconds as GitHub does: UTC, whole seconds. */
export function wireTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

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
    completed_at: job.completedAt && wireTime(job.completedAt),
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

function wireStep({ name, status, conclusion, ...step }: Step, index: number): Record<string, unknown> {
  const [started_at, completed_at] = [step.startedAt, step.completedAt].map((time) => time && wireTime(time));
  return { name, status, conclusion, number: index + 1, started_at, completed_at };
}

/** The fields `NAME_url`, by what follows an address: the name itself, or what stands behind a colon. */
function links(address: string, templates: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    templates.map((template) => {
      const [name, rest = template] = template.split(":");
      return [`${/^\w+/.exec(name ?? "")}_url`, `${address}/${rest}`];
    }),
  );
}

/** Fields that all have the same value. */
function all<Value>(value: Value, names: string): Record<string, Value> {
  return Object.fromEntries(names.split(" ").map((name) => [name, value]));
}

const USER_LINKS = [
  ...["followers", "following{/other_user}", "gists{/gist_id}", "starred{/owner}{/repo}", "subscriptions", "repos"],
  ...["events{/privacy}", "received_events"],
];

/** The owner of a repository as GitHub shows it inside other objects. */
export function wireUser(login: string, api: string): Record<string, unknown> {
  const url = `${api}/users/${login}`;
  return {
    ...{
      login,
      id: 583_231,
      node_id: "MDQ6VXNlcjU4MzIzMQ==",
      gravatar_id: "",
      type: "Organization",
      site_admin: false,
    },
    avatar_url: "https://avatars.githubusercontent.com/u/583231",
    url,
    html_url: `https://github.com/${login}`,
    organizations_url: `${url}/orgs`,
    ...links(url, USER_LINKS),
  };
}

const REPOSITORY_LINKS = [
  ...["contributors", "deployments", "downloads", "events", "forks", "hooks", "languages", "merges", "stargazers"],
  ...["subscribers", "subscription", "tags", "teams", "assignees{/user}", "branches{/branch}", "comments{/number}"],
  ...["collaborators{/collaborator}", "commits{/sha}", "compare/{base}...{head}", "contents/{+path}", "keys{/key_id}"],
  ...["issues{/number}", "labels{/name}", "milestones{/number}", "pulls{/number}", "releases{/id}", "statuses/{sha}"],
  ...["notifications{?since,all,participating}", "archive:{archive_format}{/ref}", "blobs:git/blobs{/sha}"],
  ...["git_commits:git/commits{/sha}", "git_refs:git/refs{/sha}", "git_tags:git/tags{/sha}", "trees:git/trees{/sha}"],
  ...["issue_comment:issues/comments{/number}", "issue_events:issues/events{/number}"],
];

/** A repository as GitHub shows it inside a run. */
function wireMinimalRepository(repository: Repository, api: string): Record<string, unknown> {
  const { id, name, fullName: full_name } = repository;
  const url = `${api}/repos/${full_name}`;
  return {
    ...{ id, name, full_name, private: true, description: null, fork: false, url },
    node_id: Buffer.from(`010:Repository${id}`).toString("base64"),
    owner: wireUser(repository.owner, api),
    html_url: `https://github.com/${full_name}`,
    ...links(url, REPOSITORY_LINKS),
  };
}

/** A repository as `GET /repos/{owner}/{repo}` shows it. */
export function wireRepository(repository: Repository, api: string): Record<string, unknown> {
  const page = `github.com/${repository.fullName}`;
  return {
    ...wireMinimalRepository(repository, api),
    ...all(0, "forks forks_count open_issues open_issues_count watchers watchers_count stargazers_count"),
    ...all(0, "subscribers_count network_count"),
    ...all(null, "mirror_url homepage language license"),
    ...all(true, "has_issues has_projects has_wiki"),
    ...all(false, "has_pages has_discussions archived disabled"),
    ...all("2025-01-01T00:00:00Z", "pushed_at created_at updated_at"),
    ...{ size: 1, default_branch: "main", visibility: "private" },
    git_url: `git://${page}.git`,
    ssh_url: `git@github.com:${repository.fullName}.git`,
    clone_url: `https://${page}.git`,
    svn_url: `https://${page}`,
  };
}

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
    event: run.spec.event,
    ...runState(run),
    workflow_id: workflow.id,
    run_attempt: run.attempt,
    ...{ display_title: "A commit", run_number: 1, pull_requests: [], referenced_workflows: [] },
    ...{ check_suite_id: 42, check_suite_node_id: "MDEwOkNoZWNrU3VpdGU0Mg==", actor, triggering_actor: actor },
    created_at: wireTime(run.createdAt),
    updated_at: wireTime(run.updatedAt),
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
    ...links(url, ["jobs", "logs", "artifacts", "cancel", "rerun"]),
    check_suite_url: `${repositoryUrl}/check-suites/42`,
    previous_attempt_url: run.attempt > 1 ? `${url}/attempts/${run.attempt - 1}` : null,
    workflow_url: `${repositoryUrl}/actions/workflows/${workflowOf(run).id}`,
  };
}

function headCommit(run: Run): Record<string, unknown> {
  const person = { name: "Octo Cat", email: "octocat@example.com" };
  const when = { id: COMMIT, tree_id: "d23f6eedb1e1b9610bbc754ddb5197bfe7271223", timestamp: wireTime(run.createdAt) };
  return { ...when, message: "A commit", author: person, committer: person };
}

/** A runner as GitHub shows it; a fresh one is offline, of unknown system and without a version. */
export function wireRunner(runner: Runner, online: boolean): Record<string, unknown> {
  return {
    id: runner.id,
    runner_group_id: runner.groupId,
    name: runner.name,
    os: runner.version === null ? "unknown" : "linux",
    status: online ? "online" : "offline",
    busy: runner.job !== null,
    labels: runner.labels.map((name) => ({ id: 0, name, type: "read-only" })),
    ephemeral: true,
    ...(runner.version === null ? {} : { version: runner.version }),
  };
}

/** A workflow as GitHub shows it. */
export function wireWorkflow(workflow: Workflow, api: string): Record<string, unknown> {
  const { id, name, path, repository, createdAt } = workflow;
  const page = `https://github.com/${repository.fullName}`;
  return {
    ...{ id, name, path, state: "active" },
    node_id: Buffer.from(`08:Workflow${id}`).toString("base64"),
    ...all(wireTime(createdAt), "created_at updated_at"),
    url: `${api}/repos/${repository.fullName}/actions/workflows/${id}`,
    html_url: `${page}/blob/main/${path}`,
    badge_url: `${page}/workflows/${encodeURIComponent(name)}/badge.svg`,
  };
}

/**
 * An annotation as GitHub shows it. SPEC-SILENT: its place, where a step printed it without a file;
 * here what GitHub's own pages name.
 */
export function wireAnnotation({ level, title, message }: Annotation, index: number, blob: string): object {
  const place = { start_line: index + 1, end_line: index + 1, start_column: null, end_column: null };
  const text = { annotation_level: level, title, message, raw_details: "" };
  return { path: ".github", blob_href: blob, ...place, ...text };
}
