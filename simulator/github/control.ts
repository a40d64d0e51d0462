import { z } from "zod";
import type { Answer } from "../http/deliver.ts";
import { Fault } from "./faults.ts";
import { json, notFound } from "./http/answer.ts";
import type { Route, Visit } from "./http/route.ts";
import { CONCLUSIONS, JOB_STATUSES, type Job, type Run, RunSpec, runState } from "./runs/run-record.ts";
import { wireTime } from "./wire.ts";
import type { World } from "./world.ts";

/** A job for the control paths: with its output, and before GitHub would show it, too. */
function viewJob({ id, name, labels, status, conclusion, runner, log }: Job) {
  return { id, name, labels, status, conclusion, runner: runner?.name ?? null, log };
}

function viewRun(run: Run) {
  const { id, attempt, repository } = run;
  return { id, attempt, repository: repository.fullName, ...runState(run), jobs: run.jobs.map(viewJob) };
}

/** The runners, without what would let anyone take the place of one. */
function viewRunners({ runners, dispatcher }: World) {
  return runners.all().map((runner) => {
    const { id, name, labels, home, version, job } = runner;
    return { id, name, labels, home, version, online: dispatcher.isOnline(runner), job: job?.name ?? null };
  });
}

/** How many requests counted against each token's limit: all but those answered 304. */
function counted({ tokens }: World) {
  return Object.fromEntries(tokens.all().map((account) => [account.name, account.counted]));
}

const JobChange = z.union([
  z.strictObject({ status: z.enum(JOB_STATUSES), conclusion: z.enum(CONCLUSIONS).default("success") }),
  z.strictObject({ cancel: z.literal(true) }),
]);

/** Plays runners, `{ "status": "completed", "conclusion": … }`; or people, `{ "cancel": true }`. */
function changeJob({ world: { runs }, params, body }: Visit): Answer {
  const job = runs.job(Number(params.id));
  if (job === undefined) return notFound();
  const asked = JobChange.parse(JSON.parse(body));
  if ("cancel" in asked) runs.cancelJob(job);
  else if (asked.status === "completed") runs.complete(job, asked.conclusion);
  else runs.setStatus(job, asked.status);
  return json(200, viewJob(job));
}

function dropRunner({ world, params }: Visit): Answer {
  const runner = world.runners.find(Number(params.id));
  if (runner === undefined) return notFound();
  world.dispatcher.drop(runner);
  return json(200, { dropped: runner.name });
}

/** The URL that the downloads endpoint names. It redirects, as GitHub's does to its blob host. */
function download(visit: Visit): Answer {
  const { world, params } = visit;
  if (!world.runnerPackage.redirects) return archive(visit);
  return { status: 302, headers: { location: `${world.url}/_blob/${params.filename}` } };
}

function archive({ world, params }: Visit): Answer {
  const body = world.runnerPackage.content(params.filename ?? "");
  return body ? json(200, body) : notFound();
}

/** What the host of the logs says of one that is not stored. */
const NO_BLOB = '<?xml version="1.0" encoding="utf-8"?><Error><Code>BlobNotFound</Code></Error>';

/** Where the redirect to a job's log leads: its lines, each after a moment, as GitHub stores them. */
function jobLog({ world, params }: Visit): Answer {
  const job = world.runs.job(Number(params.job));
  if (job === undefined) return notFound();
  if (job.status !== "completed") return { status: 404, text: NO_BLOB, headers: { "content-type": "application/xml" } };
  const moment = `${wireTime(job.completedAt ?? 0).replace("Z", ".0000000Z")} `;
  return { status: 200, text: job.log.replace(/^(?=.)/gm, moment) };
}

function setFaults({ world, body }: Visit): Answer {
  const faults = z.array(Fault).parse(JSON.parse(body));
  world.faults.set(faults);
  return json(200, faults);
}

/** All paths without a key: for tests, scripts and people on the same computer. */
export const CONTROL_ROUTES: readonly Route[] = [
  {
    at: "POST /_control/runs",
    handle: ({ world, body }) => json(201, viewRun(world.runs.add(RunSpec.parse(JSON.parse(body))))),
  },
  { at: "GET /_control/runs", handle: ({ world }) => json(200, world.runs.all().map(viewRun)) },
  { at: "POST /_control/jobs/:id", handle: changeJob },
  { at: "GET /_control/runners", handle: ({ world }) => json(200, viewRunners(world)) },
  { at: "DELETE /_control/runners/:id", handle: dropRunner },
  { at: "GET /_control/journal", handle: ({ world }) => json(200, world.journal.entries) },
  { at: "GET /_control/counted", handle: ({ world }) => json(200, counted(world)) },
  { at: "POST /_control/faults", handle: setFaults },
  { at: "GET /_downloads/:filename", handle: download },
  { at: "GET /_blob/:filename", handle: archive },
  { at: "GET /_logs/:job", handle: jobLog },
];
