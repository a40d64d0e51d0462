import { notFound } from "../http/answer.ts";
import type { Route } from "../http/route.ts";
import { wireTime } from "../wire/wire-time.ts";

/** Where the redirect to a job's log leads: its lines, each after a moment, as GitHub stores them. */
export const jobLog: Route = {
  method: "GET",
  path: "/_logs/:job",
  handle: ({ world, params }) => {
    const job = world.runs.job(Number(params.job));
    if (job === undefined) return notFound();
    const moment = `${wireTime(job.completedAt ?? 0).replace("Z", ".0000000Z")} `;
    const body = job.log.replace(/^(?=.)/gm, moment);
    return { status: 200, body, headers: { "content-type": "text/plain" } };
  },
};
