import { z } from "zod";
import { Fault } from "./faults.ts";
import { type Answer, json, notFound } from "./http/answer.ts";
import type { Route } from "./http/route.ts";
import type { Runner } from "./runners/runners.ts";
import { CONCLUSIONS, JOB_STATUSES, type Job, type Run, RunSpec, runState } from "./runs/run-record.ts";
import { wireTime } from "./wire.ts";
import type { World } from "./world.ts";

/** A job for the control paths: with its output, and before GitHub would show it, too. */
function viewJob(job: Job): Record<string, unknown> {
  const { id, name, status, conclusion, log } = job;
  return { id, name, labels: job.labels, status, conclusion, runner: job.runner?.name ?? null, log };
}

/** A run attempt with all its jobs. */
function viewRun(run: Run): Record<string, unknown> {
  const { id, attempt, repository } = run;
  const state = runState(run);
  return { id, attempt, repository: repository.fullName, ...state, jobs: run.jobs.map(viewJob) };
}

/** A runner, without what would let anyone take its place. */
function viewRunner(runner: Runner, world: World): Record<string, unknown> {
  const { id, name, labels, home, version } = runner;
  const seen = { online: world.dispatcher.isOnline(runner), job: runner.job?.name ?? null };
  return { id, name, labels, home, version, ...seen };
}

/** Adds a run attempt. */
const addRun: Route = {
  method: "POST",
  path: "/_control/runs",
  handle: ({ world, body }) => json(201, viewRun(world.runs.add(RunSpec.parse(JSON.parse(body))))),
};

const Body = z.union([
  z.strictObject({ status: z.enum(JOB_STATUSES), conclusion: z.enum(CONCLUSIONS).default("success") }),
  z.strictObject({ cancel: z.literal(true) }),
]);

/** Plays runners, `{ "status": "completed", "conclusion": … }`; or people, `{ "cancel": true }`. */
const changeJob: Route = {
  method: "POST",
  path: "/_control/jobs/:id",
  handle: ({ world, params, body }) => {
    const job = world.runs.job(Number(params.id));
    if (job === undefined) return notFound();
    const asked = Body.parse(JSON.parse(body));
    if ("cancel" in asked) world.runs.cancelJob(job);
    else if (asked.status === "completed") world.runs.complete(job, asked.conclusion);
    else world.runs.setStatus(job, asked.status);
    return json(200, viewJob(job));
  },
};

/** The URL that the downloads endpoint names. It redirects, as GitHub's does to its blob host. */
const download: Route = {
  method: "GET",
  path: "/_downloads/:filename",
  handle: ({ world, params }) => {
    if (!world.runnerPackage.redirects) return archive(world, params.filename);
    return { status: 302, headers: { location: `${world.url}/_blob/${params.filename}` } };
  },
};

/** Where the redirect leads. */
const blob: Route = {
  method: "GET",
  path: "/_blob/:filename",
  handle: ({ world, params }) => archive(world, params.filename),
};

function archive(world: World, filename = ""): Answer {
  const body = world.runnerPackage.content(filename);
  return body ? { status: 200, body, headers: { "content-type": "application/octet-stream" } } : notFound();
}

/** Makes the server forget a runner, whatever it does. */
const dropRunner: Route = {
  method: "DELETE",
  path: "/_control/runners/:id",
  handle: ({ world, params }) => {
    const runner = world.runners.all().find(({ id }) => id === Number(params.id));
    if (runner === undefined) return notFound();
    world.dispatcher.drop(runner);
    return json(200, { dropped: runner.name });
  },
};

/** What the host of the logs says of one that is not stored. */
const NO_BLOB = '<?xml version="1.0" encoding="utf-8"?><Error><Code>BlobNotFound</Code></Error>';

/** Where the redirect to a job's log leads: its lines, each after a moment, as GitHub stores them. */
const jobLog: Route = {
  method: "GET",
  path: "/_logs/:job",
  handle: ({ world, params }) => {
    const job = world.runs.job(Number(params.job));
    if (job === undefined) return notFound();
    if (job.status !== "completed")
      return { status: 404, body: NO_BLOB, headers: { "content-type": "application/xml" } };
    const moment = `${wireTime(job.completedAt ?? 0).replace("Z", ".0000000Z")} `;
    const body = job.log.replace(/^(?=.)/gm, moment);
    return { status: 200, body, headers: { "content-type": "text/plain" } };
  },
};

/** Replaces all faults by those of a JSON array. */
const setFaults: Route = {
  method: "POST",
  path: "/_control/faults",
  handle: ({ world, body }) => {
    const faults = z.array(Fault).parse(JSON.parse(body));
    world.faults.set(faults);
    return json(200, faults);
  },
};

/** Shows how many requests counted against each token's limit: all but those answered 304. */
const showCounted: Route = {
  method: "GET",
  path: "/_control/counted",
  handle: ({ world }) => json(200, Object.fromEntries(world.tokens.all().map(({ name, counted }) => [name, counted]))),
};

/** Shows every request so far. */
const showJournal: Route = {
  method: "GET",
  path: "/_control/journal",
  handle: ({ world }) => json(200, world.journal.entries),
};

/** Shows all registered runners. */
const showRunners: Route = {
  method: "GET",
  path: "/_control/runners",
  handle: ({ world }) =>
    json(
      200,
      world.runners.all().map((runner) => viewRunner(runner, world)),
    ),
};

/** Shows all run attempts with all their jobs. */
const showRuns: Route = {
  method: "GET",
  path: "/_control/runs",
  handle: ({ world }) => json(200, world.runs.all().map(viewRun)),
};

/** All paths without a key: for tests, scripts and people on the same computer. */
export const CONTROL_ROUTES: readonly Route[] = [
  ...[addRun, showRuns, changeJob],
  ...[showRunners, dropRunner],
  ...[showJournal, showCounted, setFaults],
  ...[download, blob, jobLog],
];
