import { json, notFound } from "../../http/answer.ts";
import type { Operation } from "../../http/operation.ts";
import { isNamed, workflowsOf } from "../../runs/workflows.ts";
import { wireWorkflow } from "../../wire/wire-workflow.ts";

/** Shows a workflow by its id or its file's name. */
export const getWorkflow: Operation = {
  name: "getWorkflow",
  method: "GET",
  path: "/repos/:owner/:repo/actions/workflows/:workflow",
  permission: "actions=read",
  handle: ({ world, repository, params, api }) => {
    const found = workflowsOf(world.runs.all(), repository).find((each) => isNamed(each, params.workflow ?? ""));
    return found ? json(200, wireWorkflow(found, api)) : notFound();
  },
};
