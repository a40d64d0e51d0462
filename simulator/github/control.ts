import { z } from "zod";
import { COMMON_ROUTES, type ControlRoute } from "../http/control.ts";
import type { Answer } from "../http/deliver.ts";
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

const JobChange = z.strictObject({ status: z.enum(JOB_STATUSES), conclusion: z.enum(CONCLUSIONS).default("success") });

/** What scripts and people do behind GitHub's back. */
export const CONTROL_ROUTES: readonly ControlRoute<World>[] = [
  ...COMMON_ROUTES,
  { at: "POST /_control/runs", status: 201, run: ({ runs }, given) => viewRun(runs.add(RunSpec.parse(given))) },
  { at: "GET /_control/runs", run: ({ runs }) => runs.all().map(viewRun) },
  {
    // Plays runners: `{ "status": "completed", "conclusion": … }`.
    at: "POST /_control/jobs/:id",
    run({ runs }, given, id) {
      const job = runs.job(id);
      if (job === undefined) return undefined;
      const { status, conclusion } = JobChange.parse(given);
      if (status === "completed") runs.complete(job, conclusion);
      else runs.setStatus(job, status);
      return viewJob(job);
    },
  },
];

/** Leads from the URL that the downloads endpoint names to the archive, as GitHub does to its blob host. */
function download({ world, params }: Visit): Answer {
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

/** What GitHub keeps with other hosts: whoever has the address may read it. */
export const FILE_ROUTES: readonly Route[] = [
  { at: "GET /_downloads/:filename", handle: download },
  { at: "GET /_blob/:filename", handle: archive },
  { at: "GET /_logs/:job", handle: jobLog },
];
