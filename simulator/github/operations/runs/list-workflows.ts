import { json } from "../../http/answer.ts";
import type { Operation } from "../../http/operation.ts";
import { paginate } from "../../http/paginate.ts";
import { workflowsOf } from "../../runs/workflows.ts";
import { wireWorkflow } from "../../wire/wire-workflow.ts";

/** Lists the workflows of a repository: those that have a run. */
export const listWorkflows: Operation = {
  name: "listWorkflows",
  method: "GET",
  path: "/repos/:owner/:repo/actions/workflows",
  permission: "actions=read",
  handle: (call) => {
    const all = workflowsOf(call.world.runs.all(), call.repository);
    const { page, headers } = paginate(call, all);
    const workflows = page.map((workflow) => wireWorkflow(workflow, call.api));
    return json(200, { total_count: all.length, workflows }, headers);
  },
};
