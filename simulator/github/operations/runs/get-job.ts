import { json, notFound } from "../../http/answer.ts";
import type { Operation } from "../../http/operation.ts";
import { wireJob } from "../../wire/wire-job.ts";

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
