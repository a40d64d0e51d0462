import { type Answer, json, notFound, refusal } from "../../http/answer.ts";
import type { Call, Operation } from "../../http/operation.ts";
import type { RerunWish } from "../../runs/rerun.ts";
import type { Run } from "../../runs/run-record.ts";

/** Runs all jobs of a run again, as a new attempt. */
export const rerunRun: Operation = {
  name: "rerunRun",
  method: "POST",
  path: "/repos/:owner/:repo/actions/runs/:run/rerun",
  permission: "actions=write",
  handle: (call) => again(call, latestOf(call), "all"),
};

/** Runs those again that did not succeed, and what needs them. */
export const rerunFailedJobs: Operation = {
  name: "rerunFailedJobs",
  method: "POST",
  path: "/repos/:owner/:repo/actions/runs/:run/rerun-failed-jobs",
  permission: "actions=write",
  handle: (call) => again(call, latestOf(call), "failed"),
};

/** Runs one job again, and what needs it. */
export const rerunJob: Operation = {
  name: "rerunJob",
  method: "POST",
  path: "/repos/:owner/:repo/actions/jobs/:job/rerun",
  permission: "actions=write",
  handle: (call) => {
    const job = call.world.runs.job(Number(call.params.job));
    return job?.run.repository === call.repository ? again(call, job.run, job) : notFound();
  },
};

function latestOf({ world, repository, params }: Call): Run | undefined {
  return world.runs.find(repository, Number(params.run));
}

/** SPEC-SILENT: the sentences of a refusal; GitHub publishes only the 403. */
function again({ world, repository }: Call, run: Run | undefined, wish: RerunWish): Answer {
  if (run === undefined) return notFound();
  const isLatest = world.runs.find(repository, run.id) === run;
  if (isLatest && world.runs.rerun(run, wish)) return json(201, {});
  return refusal(403, "This workflow run cannot be retried");
}
