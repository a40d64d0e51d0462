import { type Answer, json, notFound } from "../../http/answer.ts";
import type { Call, Operation } from "../../http/operation.ts";
import { paginate } from "../../http/paginate.ts";
import type { Run } from "../../runs/run-record.ts";
import { wireJob } from "../../wire/wire-job.ts";

/** Lists the jobs of a run attempt; those whose needs are not over are not among them. */
export const listJobs: Operation = {
  name: "listJobs",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runs/:run/attempts/:attempt/jobs",
  permission: "actions=read",
  handle: (call) => {
    const { world, repository, params } = call;
    const run = world.runs.find(repository, Number(params.run), Number(params.attempt));
    return run ? answer(call, [run]) : notFound();
  },
};

/** Lists the jobs of a run: of its latest attempt, or of all of them with `filter=all`. */
export const listRunJobs: Operation = {
  name: "listRunJobs",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runs/:run/jobs",
  permission: "actions=read",
  handle: (call) => {
    const { world, repository, params, query } = call;
    const latest = world.runs.find(repository, Number(params.run));
    if (latest === undefined) return notFound();
    const all = world.runs.all().filter((run) => run.repository === repository && run.id === latest.id);
    return answer(call, query.get("filter") === "all" ? all : [latest]);
  },
};

function answer(call: Call, attempts: readonly Run[]): Answer {
  const shown = attempts.flatMap(({ jobs }) => jobs).filter((job) => job.status !== "blocked");
  const { page, headers } = paginate(call, shown);
  return json(200, { total_count: shown.length, jobs: page.map((job) => wireJob(job, call.api)) }, headers);
}
