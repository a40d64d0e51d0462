import type { Operation } from "../http/operation.ts";
import { getRef } from "./get-ref.ts";
import { getRepository } from "./get-repository.ts";
import { generateJitConfig, generateOrgJitConfig } from "./runners/generate-jit-config.ts";
import { getOrgRunner, getRunner } from "./runners/get-runner.ts";
import { listDownloads, listOrgDownloads } from "./runners/list-downloads.ts";
import { listOrgRunners, listRunners } from "./runners/list-runners.ts";
import { removeOrgRunner, removeRunner } from "./runners/remove-runner.ts";
import { cancelRun } from "./runs/cancel-run.ts";
import { forceCancelRun } from "./runs/force-cancel-run.ts";
import { getJob } from "./runs/get-job.ts";
import { getJobLog } from "./runs/get-job-log.ts";
import { getRun } from "./runs/get-run.ts";
import { getRunAttempt } from "./runs/get-run-attempt.ts";
import { getWorkflow } from "./runs/get-workflow.ts";
import { listAnnotations } from "./runs/list-annotations.ts";
import { listArtifacts } from "./runs/list-artifacts.ts";
import { listJobs, listRunJobs } from "./runs/list-jobs.ts";
import { listRuns, listWorkflowRuns } from "./runs/list-runs.ts";
import { listWorkflows } from "./runs/list-workflows.ts";
import { rerunFailedJobs, rerunJob, rerunRun } from "./runs/rerun.ts";

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
  getJobLog,
  listArtifacts,
  rerunRun,
  rerunFailedJobs,
  rerunJob,
  cancelRun,
  forceCancelRun,
  listAnnotations,
  getRef,
];
