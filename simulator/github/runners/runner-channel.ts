import type { RunnerRoute } from "../http/route.ts";
import { CONCLUSIONS, type Job } from "../runs/run-record.ts";

/** A runner begins its job. 409: that was cancelled or given to another one meanwhile. */
const beginJob: RunnerRoute = {
  method: "POST",
  path: "/_runner/jobs/:job/begin",
  handle: ({ world, runner, params }) => {
    const job = world.runs.job(Number(params.job));
    if (job && world.dispatcher.begin(runner, job)) return { status: 200, body: "begun\n" };
    return { status: 409, body: "not yours\n" };
  },
};

/** A listener disconnects; its registration stays. */
const closeSession: RunnerRoute = {
  method: "DELETE",
  path: "/_runner/session/:session",
  handle: ({ world, runner, params }) => {
    if (runner.session?.id === params.session) world.dispatcher.disconnect(runner);
    return { status: 200, body: "closed\n" };
  },
};

/**
 * A runner reports its job's end: `?conclusion=…`, the output as the body; `&step=…` names the step of
 * its own that failed, if one did. Then it is gone.
 */
const finishJob: RunnerRoute = {
  method: "POST",
  path: "/_runner/jobs/:job/finish",
  handle: ({ world, runner, params, query, body }) => {
    const job = world.runs.job(Number(params.job));
    const conclusion = CONCLUSIONS.find((known) => known === query.get("conclusion"));
    if (job === undefined || conclusion === undefined) return { status: 422, body: "unknown job or conclusion\n" };
    world.dispatcher.finish(runner, job, { conclusion, log: body, step: query.get("step") || undefined });
    return { status: 200, body: "finished\n" };
  },
};

/**
 * Writes a job for a bash without a JSON parser: a word, then a plain value; free text is base64.
 * The last line is `end`, so that a cut answer is noticed.
 */
function jobText(job: Job): string {
  const { run, spec } = job;
  const env = {
    ...spec.env,
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
    ...(spec.container === undefined ? [] : [`container ${base64(spec.container)}`]),
    `script ${base64(spec.run.map((line) => `${line}\n`).join(""))}`,
    ...Object.entries(env).map(([name, value]) => `env ${name} ${base64(value)}`),
    "end",
    "",
  ].join("\n");
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** A listener asks for its next message, and waits for about a second when there is none. */
const nextMessage: RunnerRoute = {
  method: "GET",
  path: "/_runner/session/:session/message",
  handle: async ({ world, runner, params, closed }) => {
    if (runner.session?.id !== params.session) return { status: 404, body: "gone\n" };
    const message = await world.dispatcher.nextMessage(runner, closed);
    if (message === "gone") return { status: 404, body: "gone\n" };
    return { status: 200, body: message === "job" && runner.job ? jobText(runner.job) : `${message}\n` };
  },
};

/** Beyond this GitHub takes a runner's token for one of another time. */
const MOST_OFF_MS = 5 * 60_000;

/**
 * A listener connects, and says what time it has and on which machine it is. 409: another one with the same configuration is
 * alive; 401: its clock is off.
 */
const openSession: RunnerRoute = {
  method: "POST",
  path: "/_runner/session",
  handle: ({ world, runner, query }) => {
    const time = query.get("time");
    const off = time === null ? 0 : Number(time) * 1000 - world.clock.now();
    if (Math.abs(off) > MOST_OFF_MS) return { status: 401, body: "another time\n" };
    const machine = query.get("machine") ?? undefined;
    const session = world.dispatcher.connect(runner, query.get("version") ?? "unknown", machine);
    return session === null ? { status: 409, body: "conflict\n" } : { status: 200, body: `session ${session}\n` };
  },
};

/** All that a listener can ask. */
export const RUNNER_ROUTES: readonly RunnerRoute[] = [openSession, closeSession, nextMessage, beginJob, finishJob];
