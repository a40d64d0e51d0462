import { json, notFound, refusal } from "../../http/answer.ts";
import type { Operation } from "../../http/operation.ts";

/** Ends a run at once; nothing of it cleans up. */
export const forceCancelRun: Operation = {
  name: "forceCancelRun",
  method: "POST",
  path: "/repos/:owner/:repo/actions/runs/:run/force-cancel",
  permission: "actions=write",
  handle: ({ world, repository, params }) => {
    const run = world.runs.find(repository, Number(params.run));
    if (run === undefined) return notFound();
    if (world.runs.forceCancel(run)) return json(202, {});
    return refusal(409, "Cannot cancel a workflow run that is completed.");
  },
};
