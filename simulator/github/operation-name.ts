/** The imitated operations as faults and the journal name them, beside GitHub's own ids. */
export const OPERATION_IDS = {
  getRepository: "repos/get",
  generateJitConfig: "actions/generate-runner-jitconfig-for-repo",
  listRunners: "actions/list-self-hosted-runners-for-repo",
  getRunner: "actions/get-self-hosted-runner-for-repo",
  removeRunner: "actions/delete-self-hosted-runner-from-repo",
  listDownloads: "actions/list-runner-applications-for-repo",
  generateOrgJitConfig: "actions/generate-runner-jitconfig-for-org",
  listOrgRunners: "actions/list-self-hosted-runners-for-org",
  getOrgRunner: "actions/get-self-hosted-runner-for-org",
  removeOrgRunner: "actions/delete-self-hosted-runner-from-org",
  listOrgDownloads: "actions/list-runner-applications-for-org",
  listRuns: "actions/list-workflow-runs-for-repo",
  getRun: "actions/get-workflow-run",
  getRunAttempt: "actions/get-workflow-run-attempt",
  listWorkflows: "actions/list-repo-workflows",
  getWorkflow: "actions/get-workflow",
  listWorkflowRuns: "actions/list-workflow-runs",
  listJobs: "actions/list-jobs-for-workflow-run-attempt",
  listRunJobs: "actions/list-jobs-for-workflow-run",
  getJob: "actions/get-job-for-workflow-run",
  getJobLog: "actions/download-job-logs-for-workflow-run",
  listArtifacts: "actions/list-workflow-run-artifacts",
  rerunRun: "actions/re-run-workflow",
  rerunFailedJobs: "actions/re-run-workflow-failed-jobs",
  rerunJob: "actions/re-run-job-for-workflow-run",
  cancelRun: "actions/cancel-workflow-run",
  forceCancelRun: "actions/force-cancel-workflow-run",
  listAnnotations: "checks/list-annotations",
  getRef: "git/get-ref",
} as const;

/** One of the imitated operations. */
export type OperationName = keyof typeof OPERATION_IDS;

/** All of them. */
export const OPERATION_NAMES = Object.keys(OPERATION_IDS) as [OperationName, ...OperationName[]];
