import { notFound } from "../../http/answer.ts";
import type { Operation } from "../../http/operation.ts";

/**
 * Leads to the log of a job that is over, which lies with another host: whoever has the address may
 * read it. SPEC-SILENT: how long after a job's end its log is stored; here at once.
 */
export const getJobLog: Operation = {
  name: "getJobLog",
  method: "GET",
  path: "/repos/:owner/:repo/actions/jobs/:job/logs",
  permission: "actions=read",
  handle: ({ world, repository, params }) => {
    const job = world.runs.job(Number(params.job));
    if (job?.run.repository !== repository || job.status !== "completed") return notFound();
    return { status: 302, headers: { location: `${world.url}/_logs/${job.id}` } };
  },
};
