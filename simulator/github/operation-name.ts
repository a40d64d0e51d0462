import type { Permission } from "./tokens.ts";

/** One imitated operation of GitHub. */
export interface OperationRow {
  /** GitHub's own name for it. */
  readonly id: string;
  /** `METHOD /path`; a colon begins a parameter. */
  readonly at: string;
  readonly needs: Permission;
}

/** What a repository answers; both names without their common beginning. */
function repo(id: string, address: string, needs: Permission): OperationRow {
  return { id: `actions/${id}`, at: address.replace(" ", " /repos/:owner/:repo/actions/"), needs };
}

/** What an organisation answers of its runners. */
function org(id: string, address: string, level: "read" | "write"): OperationRow {
  const needs = `organization_self_hosted_runners=${level}` as const;
  return { id: `actions/${id}-org`, at: address.replace(" ", " /orgs/:org/actions/"), needs };
}

/** The operations as faults and the journal name them; of two whose paths match, the first is meant. */
export const OPERATIONS = {
  getRepository: { id: "repos/get", at: "GET /repos/:owner/:repo", needs: "metadata=read" },
  listDownloads: repo("list-runner-applications-for-repo", "GET runners/downloads", "administration=read"),
  listOrgDownloads: org("list-runner-applications-for", "GET runners/downloads", "read"),
  listRunners: repo("list-self-hosted-runners-for-repo", "GET runners", "administration=read"),
  listOrgRunners: org("list-self-hosted-runners-for", "GET runners", "read"),
  getRunner: repo("get-self-hosted-runner-for-repo", "GET runners/:id", "administration=read"),
  getOrgRunner: org("get-self-hosted-runner-for", "GET runners/:id", "read"),
  removeRunner: repo("delete-self-hosted-runner-from-repo", "DELETE runners/:id", "administration=write"),
  removeOrgRunner: org("delete-self-hosted-runner-from", "DELETE runners/:id", "write"),
  generateJitConfig: repo(
    "generate-runner-jitconfig-for-repo",
    "POST runners/generate-jitconfig",
    "administration=write",
  ),
  generateOrgJitConfig: org("generate-runner-jitconfig-for", "POST runners/generate-jitconfig", "write"),
  listRuns: repo("list-workflow-runs-for-repo", "GET runs", "actions=read"),
  getRun: repo("get-workflow-run", "GET runs/:run", "actions=read"),
  getRunAttempt: repo("get-workflow-run-attempt", "GET runs/:run/attempts/:attempt", "actions=read"),
  listWorkflows: repo("list-repo-workflows", "GET workflows", "actions=read"),
  getWorkflow: repo("get-workflow", "GET workflows/:workflow", "actions=read"),
  listWorkflowRuns: repo("list-workflow-runs", "GET workflows/:workflow/runs", "actions=read"),
  listJobs: repo("list-jobs-for-workflow-run-attempt", "GET runs/:run/attempts/:attempt/jobs", "actions=read"),
  listRunJobs: repo("list-jobs-for-workflow-run", "GET runs/:run/jobs", "actions=read"),
  getJob: repo("get-job-for-workflow-run", "GET jobs/:job", "actions=read"),
  getJobLog: repo("download-job-logs-for-workflow-run", "GET jobs/:job/logs", "actions=read"),
  listArtifacts: repo("list-workflow-run-artifacts", "GET runs/:run/artifacts", "actions=read"),
  rerunRun: repo("re-run-workflow", "POST runs/:run/rerun", "actions=write"),
  rerunFailedJobs: repo("re-run-workflow-failed-jobs", "POST runs/:run/rerun-failed-jobs", "actions=write"),
  rerunJob: repo("re-run-job-for-workflow-run", "POST jobs/:job/rerun", "actions=write"),
  cancelRun: repo("cancel-workflow-run", "POST runs/:run/cancel", "actions=write"),
  forceCancelRun: repo("force-cancel-workflow-run", "POST runs/:run/force-cancel", "actions=write"),
  listAnnotations: {
    id: "checks/list-annotations",
    at: "GET /repos/:owner/:repo/check-runs/:job/annotations",
    needs: "checks=read",
  },
  getRef: { id: "git/get-ref", at: "GET /repos/:owner/:repo/git/ref/heads/:branch", needs: "contents=read" },
} satisfies Record<string, OperationRow>;

/** One of the imitated operations. */
export type OperationName = keyof typeof OPERATIONS;

/** All of them. */
export const OPERATION_NAMES = Object.keys(OPERATIONS) as [OperationName, ...OperationName[]];
