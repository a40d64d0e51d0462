import type { Answer } from "../../http/deliver.ts";
import type { Route, Visit } from "../http/route.ts";
import { CONCLUSIONS, type Job } from "../runs/run-record.ts";
import type { Runner, RunnerAnswer } from "./runners.ts";

type RunnerVisit = Visit & { readonly runner: Runner };

function text(status: number, line: string): Answer {
  return { status, text: `${line}\n` };
}

/**
 * Writes a job for a bash without a JSON parser: a word, then a plain value; free text is base64.
 * The last line is `end`, so that a cut answer is noticed.
 */
function jobText(job: Job): string {
  const { run, spec } = job;
  const env = {
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_REPOSITORY: run.repository.fullName,
    GITHUB_REPOSITORY_ID: String(run.repository.id),
    GITHUB_RUN_ID: String(run.id),
    GITHUB_RUN_ATTEMPT: String(run.attempt),
    GITHUB_JOB: job.name,
    GITHUB_WORKFLOW: run.spec.workflow,
    GITHUB_EVENT_NAME: run.spec.event,
    GITHUB_REF_NAME: run.spec.headBranch,
  };
  return [
    "job",
    `id ${job.id}`,
    `name ${base64(job.name)}`,
    `repository ${run.repository.name}`,
    `script ${base64(spec.run.map((line) => `${line}\n`).join(""))}`,
    ...Object.entries(env).map(([name, value]) => `env ${name} ${base64(value)}`),
    "end",
    "",
  ].join("\n");
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Beyond this GitHub takes a runner's token for one of another time. */
const MOST_OFF_MS = 5 * 60_000;

/**
 * A listener connects, and says what time it has and on which machine it is. 409: another one with the
 * same configuration is alive; 401: its clock is off.
 */
function openSession({ world, runner, query }: RunnerVisit): Answer {
  const time = query.get("time");
  const off = time === null ? 0 : Number(time) * 1000 - world.clock.now();
  if (Math.abs(off) > MOST_OFF_MS) return text(401, "another time");
  const machine = query.get("machine") ?? undefined;
  const session = world.dispatcher.connect(runner, query.get("version") ?? "unknown", machine);
  return session === null ? text(409, "conflict") : text(200, `session ${session}`);
}

function closeSession({ world, runner, params }: RunnerVisit): Answer {
  if (runner.session?.id === params.session) world.dispatcher.disconnect(runner);
  return text(200, "closed");
}

/** A listener asks for its next message, and waits for some seconds when there is none. */
async function nextMessage({ world, runner, params, closed }: RunnerVisit): Promise<Answer> {
  if (runner.session?.id !== params.session) return text(404, "gone");
  const message = await world.dispatcher.nextMessage(runner, closed);
  if (message === "gone") return text(404, message);
  return message === "job" && runner.job ? { status: 200, text: jobText(runner.job) } : text(200, message);
}

/** A runner begins its job. 409: that was cancelled or given to another one meanwhile. */
function beginJob({ world, runner, params }: RunnerVisit): Answer {
  const job = world.runs.job(Number(params.job));
  return job && world.dispatcher.begin(runner, job) ? text(200, "begun") : text(409, "not yours");
}

/**
 * A runner reports its job's end: `?conclusion=…`, the output as the body; `&step=…` names the step of
 * its own that failed, if one did. Then it is gone.
 */
function finishJob({ world, runner, params, query, body }: RunnerVisit): Answer {
  const job = world.runs.job(Number(params.job));
  const conclusion = CONCLUSIONS.find((known) => known === query.get("conclusion"));
  if (job === undefined || conclusion === undefined) return text(422, "unknown job or conclusion");
  world.dispatcher.finish(runner, job, { conclusion, log: body, step: query.get("step") || undefined });
  return text(200, "finished");
}

/** A path for listeners, who prove themselves by their runner's configuration. */
interface RunnerRoute extends Route<{ readonly runner: Runner }> {
  readonly request?: RunnerAnswer["request"];
}

/** All that a listener can ask. */
export const RUNNER_ROUTES: readonly RunnerRoute[] = [
  { at: "POST /_runner/session", request: "session", handle: openSession },
  { at: "DELETE /_runner/session/:session", handle: closeSession },
  { at: "GET /_runner/session/:session/message", request: "message", handle: nextMessage },
  { at: "POST /_runner/jobs/:job/begin", request: "acquire", handle: beginJob },
  { at: "POST /_runner/jobs/:job/finish", request: "complete", handle: finishJob },
];
