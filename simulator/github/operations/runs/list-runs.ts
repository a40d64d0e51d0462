import { type Answer, json, notFound } from "../../http/answer.ts";
import type { Call, Operation } from "../../http/operation.ts";
import { paginate } from "../../http/paginate.ts";
import { COMMIT } from "../../runs/branches.ts";
import { type Run, runState } from "../../runs/run-record.ts";
import { isNamed, workflowOf, workflowsOf } from "../../runs/workflows.ts";
import { wireRun } from "../../wire/wire-run.ts";

/** Lists a repository's runs, newest first, by their latest attempt; `status` or a conclusion. */
export const listRuns: Operation = {
  name: "listRuns",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runs",
  permission: "actions=read",
  handle: (call) => answer(call, () => true),
};

/** The same of one workflow, by its id or its file's name. */
export const listWorkflowRuns: Operation = {
  name: "listWorkflowRuns",
  method: "GET",
  path: "/repos/:owner/:repo/actions/workflows/:workflow/runs",
  permission: "actions=read",
  handle: (call) => {
    const { workflow = "" } = call.params;
    if (!workflowsOf(call.world.runs.all(), call.repository).some((each) => isNamed(each, workflow))) return notFound();
    return answer(call, (run) => isNamed(workflowOf(run), workflow));
  },
};

function answer(call: Call, isMeant: (run: Run) => boolean): Answer {
  const { world, repository, query, api } = call;
  const latest = world.runs
    .all()
    .filter((run) => run.repository === repository && world.runs.find(repository, run.id) === run)
    .filter((run) => isMeant(run) && isAskedFor(run, query))
    .toReversed()
    .toSorted((one, other) => other.createdAt - one.createdAt);
  const { page, headers } = paginate(call, latest);
  return json(200, { total_count: latest.length, workflow_runs: page.map((run) => wireRun(run, api)) }, headers);
}

/** The filters that a run here can tell apart, without `actor` and `created`. */
function isAskedFor(run: Run, query: URLSearchParams): boolean {
  const { status, conclusion } = runState(run);
  const has = (name: string, ...values: (string | null)[]) => {
    const wanted = query.get(name);
    return wanted === null || wanted === "" || values.includes(wanted);
  };
  const { event, headBranch } = run.spec;
  return (
    has("status", status, conclusion) && has("event", event) && has("branch", headBranch) && has("head_sha", COMMIT)
  );
}
