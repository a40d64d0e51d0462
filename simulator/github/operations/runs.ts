import type { Answer } from "../../http/deliver.ts";
import { counted, json, listed, notFound, refusal } from "../http/answer.ts";
import type { Call } from "../http/route.ts";
import type { OperationName } from "../operation-name.ts";
import { COMMIT, headOf } from "../repositories.ts";
import {
  isNamed,
  type Job,
  type RerunWish,
  type Run,
  runState,
  type Workflow,
  workflowOf,
  workflowsOf,
} from "../runs/run-record.ts";
import { wireAnnotation, wireJob, wireRepository, wireRun, wireWorkflow } from "../wire.ts";

/** The run that a path names: its latest attempt, or the one that it names, too. */
function runOf({ world, repository, params: { run, attempt } }: Call): Run | undefined {
  return world.runs.find(repository, Number(run), attempt === undefined ? undefined : Number(attempt));
}

/** The job that a path names, if GitHub shows it: one whose needs are not over is not there yet. */
function jobOf({ world, repository, params }: Call): Job | undefined {
  const job = world.runs.job(Number(params.job));
  return job?.run.repository === repository && job.status !== "blocked" ? job : undefined;
}

/** The workflow that a path names by its id or its file's name. */
function workflowIn({ world, repository, params }: Call): Workflow | undefined {
  return workflowsOf(world.runs.all(), repository).find((each) => isNamed(each, params.workflow ?? ""));
}

/** Ends a run; `ends` says whether it was not over. */
function ended(call: Call, ends: (run: Run) => boolean): Answer {
  const run = runOf(call);
  if (run === undefined) return notFound();
  return ends(run) ? json(202, {}) : refusal(409, "Cannot cancel a workflow run that is completed.");
}

/**
 * Leads to the log of a job that began, which lies with another host: whoever has the address may
 * read it. Others saw 404 while it was queued, and the other host's 404 while it ran.
 * SPEC-SILENT: how long after a job's end its log is stored; here at once.
 */
function getJobLog(call: Call): Answer {
  const job = jobOf(call);
  const hasBegun = job?.status === "in_progress" || job?.status === "completed";
  return hasBegun ? { status: 302, headers: { location: `${call.world.url}/_logs/${job.id}` } } : notFound();
}

/** A job's id is that of its check run. */
function listAnnotations(call: Call): Answer {
  const job = jobOf(call);
  if (job === undefined) return notFound();
  const blob = `https://github.com/${call.repository.fullName}/blob/${job.id}/.github`;
  return listed(call, job.annotations, (page) =>
    page.map((annotation, index) => wireAnnotation(annotation, index, blob)),
  );
}

/** Of the latest attempt, of the one that is named, or of all with `filter=all`; blocked ones are not among them. */
function listJobs(call: Call): Answer {
  const { world, repository, query, api, params } = call;
  const run = runOf(call);
  if (run === undefined) return notFound();
  const isAll = query.get("filter") === "all" && params.attempt === undefined;
  const all = world.runs.all().filter((each) => each.repository === repository && each.id === run.id);
  const jobs = (isAll ? all : [run]).flatMap((each) => each.jobs).filter(({ status }) => status !== "blocked");
  return counted(call, "jobs", jobs, (job) => wireJob(job, api));
}

/** Newest first, by their latest attempt. */
function listRuns(call: Call, isMeant: (run: Run) => boolean): Answer {
  const { world, repository, query, api } = call;
  const latest = world.runs
    .all()
    .filter((run) => run.repository === repository && world.runs.find(repository, run.id) === run)
    .filter((run) => isMeant(run) && isAskedFor(run, query))
    .toReversed()
    .toSorted((one, other) => other.createdAt - one.createdAt);
  return counted(call, "workflow_runs", latest, (run) => wireRun(run, api));
}

/** The filters that a run here can tell apart, without `actor` and `created`. */
function isAskedFor(run: Run, query: URLSearchParams): boolean {
  const { status, conclusion } = runState(run);
  const { event, headBranch } = run.spec;
  const has = { status: [status, conclusion], event: [event], branch: [headBranch], head_sha: [COMMIT] };
  return Object.entries(has).every(([name, values]) => {
    const wanted = query.get(name);
    return !wanted || (values as (string | null)[]).includes(wanted);
  });
}

function listWorkflows(call: Call): Answer {
  const all = workflowsOf(call.world.runs.all(), call.repository);
  return counted(call, "workflows", all, (workflow) => wireWorkflow(workflow, call.api));
}

const MONTH_MS = 30 * 24 * 3_600_000;

/** As others were answered. SPEC-SILENT: which of the three comes first where two of them hold. */
function again({ world, repository }: Call, run: Run | undefined, wish: RerunWish): Answer {
  if (run === undefined) return notFound();
  const latest = world.runs.find(repository, run.id);
  if (latest && runState(latest).status !== "completed") return refusal(403, "This workflow run is already running");
  if (world.clock.now() - run.createdAt > MONTH_MS)
    return refusal(403, "Unable to retry this workflow run because it was created over a month ago");
  if (latest === run && world.runs.rerun(run, wish)) return json(201, {});
  return refusal(403, "This workflow run cannot be retried");
}

function getRef({ repository, params, api }: Call): Answer {
  const branch = params.branch ?? "";
  const sha = headOf(repository, branch);
  if (sha === undefined) return notFound();
  const url = `${api}/repos/${repository.fullName}/git`;
  return json(200, {
    ref: `refs/heads/${branch}`,
    node_id: Buffer.from(`03:Ref${branch}`).toString("base64"),
    url: `${url}/refs/heads/${encodeURIComponent(branch)}`,
    object: { sha, type: "commit", url: `${url}/commits/${sha}` },
  });
}

function shown<Found>(found: Found | undefined, wire: (found: Found, api: string) => unknown, { api }: Call): Answer {
  return found === undefined ? notFound() : json(200, wire(found, api));
}

/** What only a repository answers. */
export const REPOSITORY_OPERATIONS: Partial<Record<OperationName, (call: Call) => Answer>> = {
  ...{ getJobLog, listAnnotations, listJobs, listRunJobs: listJobs, listWorkflows, getRef },
  getRepository: (call) => shown(call.repository, wireRepository, call),
  getRun: (call) => shown(runOf(call), wireRun, call),
  getRunAttempt: (call) => shown(runOf(call), wireRun, call),
  getJob: (call) => shown(jobOf(call), wireJob, call),
  getWorkflow: (call) => shown(workflowIn(call), wireWorkflow, call),
  // Nothing is uploaded here.
  listArtifacts: (call) => shown(runOf(call), () => ({ total_count: 0, artifacts: [] }), call),
  listRuns: (call) => listRuns(call, () => true),
  listWorkflowRuns: (call) => {
    const workflow = workflowIn(call);
    return workflow ? listRuns(call, (run) => workflowOf(run).id === workflow.id) : notFound();
  },
  cancelRun: (call) => ended(call, (run) => call.world.runs.cancel(run)),
  // Nothing of it cleans up.
  forceCancelRun: (call) => ended(call, (run) => call.world.runs.forceCancel(run)),
  rerunRun: (call) => again(call, runOf(call), "all"),
  rerunFailedJobs: (call) => again(call, runOf(call), "failed"),
  rerunJob: (call) => {
    const job = call.world.runs.job(Number(call.params.job));
    return job?.run.repository === call.repository ? again(call, job.run, job) : notFound();
  },
};
