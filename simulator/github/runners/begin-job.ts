import type { RunnerRoute } from "../http/route.ts";

/** A runner begins its job. 409: that was cancelled or given to another one meanwhile. */
export const beginJob: RunnerRoute = {
  method: "POST",
  path: "/_runner/jobs/:job/begin",
  handle: ({ world, runner, params }) => {
    const job = world.runs.job(Number(params.job));
    if (job && world.dispatcher.begin(runner, job)) return { status: 200, body: "begun\n" };
    return { status: 409, body: "not yours\n" };
  },
};
