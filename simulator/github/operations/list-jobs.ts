import { json, notFound } from "../http/answer.ts";
import type { Operation } from "../http/operation.ts";
import { paginate } from "../http/paginate.ts";
import { wireJob } from "../wire/wire-job.ts";

/** Lists the jobs of a run attempt; those whose needs are not over are not among them. */
export const listJobs: Operation = {
  name: "listJobs",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runs/:run/attempts/:attempt/jobs",
  permission: "actions=read",
  handle: (call) => {
    const { world, repository, params, api } = call;
    const run = world.runs.find(repository, Number(params.run), Number(params.attempt));
    if (run === undefined) return notFound();
    const shown = run.jobs.filter((job) => job.status !== "blocked");
    const { page, headers } = paginate(call, shown);
    return json(200, { total_count: shown.length, jobs: page.map((job) => wireJob(job, api)) }, headers);
  },
};
