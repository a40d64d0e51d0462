import { type Answer, json, notFound, refusal } from "../http/answer.ts";
import type { Call, Operation } from "../http/operation.ts";
import { paginate } from "../http/paginate.ts";
import {
  COMMIT,
  isNamed,
  type Job,
  type RerunWish,
  type Run,
  runState,
  wireAnnotation,
  workflowOf,
  workflowsOf,
} from "../runs/run-record.ts";
import { wireJob, wireRun, wireWorkflow } from "../wire.ts";

/** Asks a run to end; its jobs may still clean up. */
export const cancelRun: Operation = {
  name: "cancelRun",
  method: "POST",
  path: "/repos/:owner/:repo/actions/runs/:run/cancel",
  permission: "actions=write",
  handle: ({ world, repository, params }) => {
    const run = world.runs.find(repository, Number(params.run));
    if (run === undefined) return notFound();
    if (world.runs.cancel(run)) return json(202, {});
    return refusal(409, "Cannot cancel a workflow run that is completed.");
  },
};

/** Ends a run at once; nothing of it cleans up. */
export const forceCancelRun: Operation = {
  name: "forceCancelRun",
  method: "POST",
  path: "/repos/:owner/:repo/actions/runs/:run/force-cancel",
  permission: "actions=write",
  handle: ({ world, repository, params }) => {
    const run = world.runs.find(repository, Number(params.run));
    if (run === undefined) return notFound();
    if (world.runs.forceCancel(run)) return json(202, {});
    return refusal(409, "Cannot cancel a workflow run that is completed.");
  },
};

/**
 * Leads to the log of a job that began, which lies with another host: whoever has the address may
 * read it. Others saw 404 while it was queued, and the other host's 404 while it ran.
 * SPEC-SILENT: how long after a job's end its log is stored; here at once.
 */
export const getJobLog: Operation = {
  name: "getJobLog",
  method: "GET",
  path: "/repos/:owner/:repo/actions/jobs/:job/logs",
  permission: "actions=read",
  handle: ({ world, repository, params }) => {
    const job = world.runs.job(Number(params.job));
    if (job?.run.repository !== repository || !hasBegun(job)) return notFound();
    return { status: 302, headers: { location: `${world.url}/_logs/${job.id}` } };
  },
};

function hasBegun({ status }: Job): boolean {
  return status === "in_progress" || status === "completed";
}

/** Shows one job; one whose needs are not over is not there yet. */
export const getJob: Operation = {
  name: "getJob",
  method: "GET",
  path: "/repos/:owner/:repo/actions/jobs/:job",
  permission: "actions=read",
  handle: ({ world, repository, params, api }) => {
    const job = world.runs.job(Number(params.job));
    return job?.run.repository === repository && job.status !== "blocked" ? json(200, wireJob(job, api)) : notFound();
  },
};

/** Shows one attempt of a run. */
export const getRunAttempt: Operation = {
  name: "getRunAttempt",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runs/:run/attempts/:attempt",
  permission: "actions=read",
  handle: ({ world, repository, params, api }) => {
    const run = world.runs.find(repository, Number(params.run), Number(params.attempt));
    return run ? json(200, wireRun(run, api)) : notFound();
  },
};

/** Shows the latest attempt of a run. */
export const getRun: Operation = {
  name: "getRun",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runs/:run",
  permission: "actions=read",
  handle: ({ world, repository, params, api }) => {
    const run = world.runs.find(repository, Number(params.run));
    return run ? json(200, wireRun(run, api)) : notFound();
  },
};

/** Shows a workflow by its id or its file's name. */
export const getWorkflow: Operation = {
  name: "getWorkflow",
  method: "GET",
  path: "/repos/:owner/:repo/actions/workflows/:workflow",
  permission: "actions=read",
  handle: ({ world, repository, params, api }) => {
    const found = workflowsOf(world.runs.all(), repository).find((each) => isNamed(each, params.workflow ?? ""));
    return found ? json(200, wireWorkflow(found, api)) : notFound();
  },
};

/** Lists the annotations of a job: its id is that of its check run. */
export const listAnnotations: Operation = {
  name: "listAnnotations",
  method: "GET",
  path: "/repos/:owner/:repo/check-runs/:job/annotations",
  permission: "checks=read",
  handle: (call) => {
    const { world, repository, params } = call;
    const job = world.runs.job(Number(params.job));
    if (job?.run.repository !== repository || job.status === "blocked") return notFound();
    const { page, headers } = paginate(call, job.annotations);
    const blob = `https://github.com/${repository.fullName}/blob/${job.id}/.github`;
    return json(
      200,
      page.map((annotation, index) => wireAnnotation(annotation, index, blob)),
      headers,
    );
  },
};

/** Lists what a run uploaded: nothing here. */
export const listArtifacts: Operation = {
  name: "listArtifacts",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runs/:run/artifacts",
  permission: "actions=read",
  handle: ({ world, repository, params }) =>
    world.runs.find(repository, Number(params.run)) ? json(200, { total_count: 0, artifacts: [] }) : notFound(),
};

/** Lists the jobs of a run attempt; those whose needs are not over are not among them. */
export const listJobs: Operation = {
  name: "listJobs",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runs/:run/attempts/:attempt/jobs",
  permission: "actions=read",
  handle: (call) => {
    const { world, repository, params } = call;
    const run = world.runs.find(repository, Number(params.run), Number(params.attempt));
    return run ? answerJobs(call, [run]) : notFound();
  },
};

/** Lists the jobs of a run: of its latest attempt, or of all of them with `filter=all`. */
export const listRunJobs: Operation = {
  name: "listRunJobs",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runs/:run/jobs",
  permission: "actions=read",
  handle: (call) => {
    const { world, repository, params, query } = call;
    const latest = world.runs.find(repository, Number(params.run));
    if (latest === undefined) return notFound();
    const all = world.runs.all().filter((run) => run.repository === repository && run.id === latest.id);
    return answerJobs(call, query.get("filter") === "all" ? all : [latest]);
  },
};

function answerJobs(call: Call, attempts: readonly Run[]): Answer {
  const shown = attempts.flatMap(({ jobs }) => jobs).filter((job) => job.status !== "blocked");
  const { page, headers } = paginate(call, shown);
  return json(200, { total_count: shown.length, jobs: page.map((job) => wireJob(job, call.api)) }, headers);
}

/** Lists a repository's runs, newest first, by their latest attempt; `status` or a conclusion. */
export const listRuns: Operation = {
  name: "listRuns",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runs",
  permission: "actions=read",
  handle: (call) => answerRuns(call, () => true),
};

/** The same of one workflow, by its id or its file's name. */
export const listWorkflowRuns: Operation = {
  name: "listWorkflowRuns",
  method: "GET",
  path: "/repos/:owner/:repo/actions/workflows/:workflow/runs",
  permission: "actions=read",
  handle: (call) => {
    const { workflow = "" } = call.params;
    if (!workflowsOf(call.world.runs.all(), call.repository).some((each) => isNamed(each, workflow))) return notFound();
    return answerRuns(call, (run) => isNamed(workflowOf(run), workflow));
  },
};

function answerRuns(call: Call, isMeant: (run: Run) => boolean): Answer {
  const { world, repository, query, api } = call;
  const latest = world.runs
    .all()
    .filter((run) => run.repository === repository && world.runs.find(repository, run.id) === run)
    .filter((run) => isMeant(run) && isAskedFor(run, query))
    .toReversed()
    .toSorted((one, other) => other.createdAt - one.createdAt);
  const { page, headers } = paginate(call, latest);
  return json(200, { total_count: latest.length, workflow_runs: page.map((run) => wireRun(run, api)) }, headers);
}

/** The filters that a run here can tell apart, without `actor` and `created`. */
function isAskedFor(run: Run, query: URLSearchParams): boolean {
  const { status, conclusion } = runState(run);
  const has = (name: string, ...values: (string | null)[]) => {
    const wanted = query.get(name);
    return wanted === null || wanted === "" || values.includes(wanted);
  };
  const { event, headBranch } = run.spec;
  return (
    has("status", status, conclusion) && has("event", event) && has("branch", headBranch) && has("head_sha", COMMIT)
  );
}

/** Lists the workflows of a repository: those that have a run. */
export const listWorkflows: Operation = {
  name: "listWorkflows",
  method: "GET",
  path: "/repos/:owner/:repo/actions/workflows",
  permission: "actions=read",
  handle: (call) => {
    const all = workflowsOf(call.world.runs.all(), call.repository);
    const { page, headers } = paginate(call, all);
    const workflows = page.map((workflow) => wireWorkflow(workflow, call.api));
    return json(200, { total_count: all.length, workflows }, headers);
  },
};

/** Runs all jobs of a run again, as a new attempt. */
export const rerunRun: Operation = {
  name: "rerunRun",
  method: "POST",
  path: "/repos/:owner/:repo/actions/runs/:run/rerun",
  permission: "actions=write",
  handle: (call) => again(call, latestOf(call), "all"),
};

/** Runs those again that did not succeed, and what needs them. */
export const rerunFailedJobs: Operation = {
  name: "rerunFailedJobs",
  method: "POST",
  path: "/repos/:owner/:repo/actions/runs/:run/rerun-failed-jobs",
  permission: "actions=write",
  handle: (call) => again(call, latestOf(call), "failed"),
};

/** Runs one job again, and what needs it. */
export const rerunJob: Operation = {
  name: "rerunJob",
  method: "POST",
  path: "/repos/:owner/:repo/actions/jobs/:job/rerun",
  permission: "actions=write",
  handle: (call) => {
    const job = call.world.runs.job(Number(call.params.job));
    return job?.run.repository === call.repository ? again(call, job.run, job) : notFound();
  },
};

function latestOf({ world, repository, params }: Call): Run | undefined {
  return world.runs.find(repository, Number(params.run));
}

const MONTH_MS = 30 * 24 * 3_600_000;

/** As others were answered. SPEC-SILENT: which of the three comes first where two of them hold. */
function again({ world, repository }: Call, run: Run | undefined, wish: RerunWish): Answer {
  if (run === undefined) return notFound();
  const latest = world.runs.find(repository, run.id);
  if (latest && runState(latest).status !== "completed") return refusal(403, "This workflow run is already running");
  if (world.clock.now() - run.createdAt > MONTH_MS) {
    return refusal(403, "Unable to retry this workflow run because it was created over a month ago");
  }
  if (latest === run && world.runs.rerun(run, wish)) return json(201, {});
  return refusal(403, "This workflow run cannot be retried");
}
