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

/** The owner of a repository as GitHub shows it inside other objects. */
export function wireUser(login: string, api: string): Record<string, unknown> {
  const url = `${api}/users/${login}`;
  return {
    login,
    id: 583_231,
    node_id: "MDQ6VXNlcjU4MzIzMQ==",
    avatar_url: "https://avatars.githubusercontent.com/u/583231",
    gravatar_id: "",
    url,
    html_url: `https://github.com/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: "Organization",
    site_admin: false,
  };
}

const PLAIN_LINKS = [
  ...["contributors", "deployments", "downloads", "events", "forks", "hooks", "languages", "merges", "stargazers"],
  ...["subscribers", "subscription", "tags", "teams"],
];

/** The links of a repository: field name to what follows its URL. */
const LINKS = {
  ...Object.fromEntries(PLAIN_LINKS.map((name) => [`${name}_url`, `/${name}`])),
  archive_url: "/{archive_format}{/ref}",
  assignees_url: "/assignees{/user}",
  blobs_url: "/git/blobs{/sha}",
  branches_url: "/branches{/branch}",
  collaborators_url: "/collaborators{/collaborator}",
  comments_url: "/comments{/number}",
  commits_url: "/commits{/sha}",
  compare_url: "/compare/{base}...{head}",
  contents_url: "/contents/{+path}",
  git_commits_url: "/git/commits{/sha}",
  git_refs_url: "/git/refs{/sha}",
  git_tags_url: "/git/tags{/sha}",
  issue_comment_url: "/issues/comments{/number}",
  issue_events_url: "/issues/events{/number}",
  issues_url: "/issues{/number}",
  keys_url: "/keys{/key_id}",
  labels_url: "/labels{/name}",
  milestones_url: "/milestones{/number}",
  notifications_url: "/notifications{?since,all,participating}",
  pulls_url: "/pulls{/number}",
  releases_url: "/releases{/id}",
  statuses_url: "/statuses/{sha}",
  trees_url: "/git/trees{/sha}",
};

/** A repository as GitHub shows it inside a run. */
function wireMinimalRepository(repository: Repository, api: string): Record<string, unknown> {
  const url = `${api}/repos/${repository.fullName}`;
  return {
    id: repository.id,
    node_id: Buffer.from(`010:Repository${repository.id}`).toString("base64"),
    name: repository.name,
    full_name: repository.fullName,
    private: true,
    owner: wireUser(repository.owner, api),
    html_url: `https://github.com/${repository.fullName}`,
    description: null,
    fork: false,
    url,
    ...Object.fromEntries(Object.entries(LINKS).map(([field, rest]) => [field, `${url}${rest}`])),
  };
}

/** A repository as `GET /repos/{owner}/{repo}` shows it. */
export function wireRepository(repository: Repository, api: string): Record<string, unknown> {
  const page = `github.com/${repository.fullName}`;
  const counts = { forks: 0, forks_count: 0, open_issues: 0, open_issues_count: 0, watchers: 0, watchers_count: 0 };
  const long_ago = "2025-01-01T00:00:00Z";
  return {
    ...wireMinimalRepository(repository, api),
    ...counts,
    git_url: `git://${page}.git`,
    ssh_url: `git@github.com:${repository.fullName}.git`,
    clone_url: `https://${page}.git`,
    svn_url: `https://${page}`,
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    stargazers_count: 0,
    subscribers_count: 0,
    network_count: 0,
    size: 1,
    default_branch: "main",
    has_issues: true,
    has_projects: true,
    has_wiki: true,
    has_pages: false,
    has_discussions: false,
    archived: false,
    disabled: false,
    visibility: "private",
    pushed_at: long_ago,
    created_at: long_ago,
    updated_at: long_ago,
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
export function wireWorkflow(
  { id, name, path, repository, createdAt }: Workflow,
  api: string,
): Record<string, unknown> {
  const page = `https://github.com/${repository.fullName}`;
  return {
    id,
    node_id: Buffer.from(`08:Workflow${id}`).toString("base64"),
    name,
    path,
    state: "active",
    created_at: wireTime(createdAt),
    updated_at: wireTime(createdAt),
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
