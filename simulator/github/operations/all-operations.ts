import type { Operation } from "../http/operation.ts";
import { cancelRun } from "./cancel-run.ts";
import { forceCancelRun } from "./force-cancel-run.ts";
import { generateJitConfig, generateOrgJitConfig } from "./generate-jit-config.ts";
import { getJob } from "./get-job.ts";
import { getRef } from "./get-ref.ts";
import { getRepository } from "./get-repository.ts";
import { getRun } from "./get-run.ts";
import { getRunAttempt } from "./get-run-attempt.ts";
import { getOrgRunner, getRunner } from "./get-runner.ts";
import { getWorkflow } from "./get-workflow.ts";
import { listAnnotations } from "./list-annotations.ts";
import { listArtifacts } from "./list-artifacts.ts";
import { listDownloads, listOrgDownloads } from "./list-downloads.ts";
import { listJobs, listRunJobs } from "./list-jobs.ts";
import { listOrgRunners, listRunners } from "./list-runners.ts";
import { listRuns, listWorkflowRuns } from "./list-runs.ts";
import { listWorkflows } from "./list-workflows.ts";
import { removeOrgRunner, removeRunner } from "./remove-runner.ts";
import { rerunFailedJobs, rerunJob, rerunRun } from "./rerun.ts";

/** All operations; of two whose paths match, the first is meant. */
export const OPERATIONS: readonly Operation[] = [
  getRepository,
  listDownloads,
  listOrgDownloads,
  listRunners,
  listOrgRunners,
  getRunner,
  getOrgRunner,
  removeRunner,
  removeOrgRunner,
  generateJitConfig,
  generateOrgJitConfig,
  listRuns,
  getRun,
  getRunAttempt,
  listWorkflows,
  getWorkflow,
  listWorkflowRuns,
  listJobs,
  listRunJobs,
  getJob,
  listArtifacts,
  rerunRun,
  rerunFailedJobs,
  rerunJob,
  cancelRun,
  forceCancelRun,
  listAnnotations,
  getRef,
];
