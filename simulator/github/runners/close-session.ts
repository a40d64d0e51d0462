import type { RunnerRoute } from "../http/route.ts";

/** A listener disconnects; its registration stays. */
export const closeSession: RunnerRoute = {
  method: "DELETE",
  path: "/_runner/session/:session",
  handle: ({ world, runner, params }) => {
    if (runner.session?.id === params.session) world.dispatcher.disconnect(runner);
    return { status: 200, body: "closed\n" };
  },
};
