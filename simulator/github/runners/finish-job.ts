import type { RunnerRoute } from "../http/route.ts";
import { CONCLUSIONS } from "../runs/run-spec.ts";

/** A runner reports its job's end: `?conclusion=…`, the output as the body. Then it is gone. */
export const finishJob: RunnerRoute = {
  method: "POST",
  path: "/_runner/jobs/:job/finish",
  handle: ({ world, runner, params, query, body }) => {
    const job = world.runs.job(Number(params.job));
    const conclusion = CONCLUSIONS.find((known) => known === query.get("conclusion"));
    if (job === undefined || conclusion === undefined) return { status: 422, body: "unknown job or conclusion\n" };
    world.dispatcher.finish(runner, job, { conclusion, log: body });
    return { status: 200, body: "finished\n" };
  },
};
