import type { RunnerRoute } from "../http/route.ts";

/** A listener connects. 409: another one with the same configuration is alive. */
export const openSession: RunnerRoute = {
  method: "POST",
  path: "/_runner/session",
  handle: ({ world, runner, query }) => {
    const session = world.dispatcher.connect(runner, query.get("version") ?? "unknown");
    return session === null ? { status: 409, body: "conflict\n" } : { status: 200, body: `session ${session}\n` };
  },
};
