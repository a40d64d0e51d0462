import { json, notFound, refusal } from "../../http/answer.ts";
import type { Operation } from "../../http/operation.ts";

/** Asks a run to end; its jobs may still clean up. */
export const cancelRun: Operation = {
  name: "cancelRun",
  method: "POST",
  path: "/repos/:owner/:repo/actions/runs/:run/cancel",
  permission: "actions=write",
  handle: ({ world, repository, params }) => {
    const run = world.runs.find(repository, Number(params.run));
    if (run === undefined) return notFound();
    if (world.runs.cancel(run)) return json(202, {});
    return refusal(409, "Cannot cancel a workflow run that is completed.");
  },
};
