import { json } from "../http/answer.ts";
import type { Operation } from "../http/operation.ts";
import { paginate } from "../http/paginate.ts";
import { runState } from "../run-record.ts";
import { wireRun } from "../wire/wire-run.ts";

/** Lists the runs of a repository, newest first and each with its latest attempt; `status` may also be a conclusion. */
export const listRuns: Operation = {
  name: "listRuns",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runs",
  permission: "actions=read",
  handle: (call) => {
    const { world, repository, query, api } = call;
    const wanted = query.get("status");
    const latest = world.runs
      .all()
      .filter((run) => run.repository === repository && world.runs.find(repository, run.id) === run)
      .filter((run) => {
        const { status, conclusion } = runState(run);
        return wanted === null || wanted === status || wanted === conclusion;
      })
      .toReversed();
    const { page, headers } = paginate(call, latest);
    return json(200, { total_count: latest.length, workflow_runs: page.map((run) => wireRun(run, api)) }, headers);
  },
};
