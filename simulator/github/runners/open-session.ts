import type { RunnerRoute } from "../http/route.ts";

/** Beyond this GitHub takes a runner's token for one of another time. */
const MOST_OFF_MS = 5 * 60_000;

/**
 * A listener connects, and says what time it has. 409: another one with the same configuration is
 * alive; 401: its clock is off.
 */
export const openSession: RunnerRoute = {
  method: "POST",
  path: "/_runner/session",
  handle: ({ world, runner, query }) => {
    const time = query.get("time");
    const off = time === null ? 0 : Number(time) * 1000 - world.clock.now();
    if (Math.abs(off) > MOST_OFF_MS) return { status: 401, body: "another time\n" };
    const session = world.dispatcher.connect(runner, query.get("version") ?? "unknown");
    return session === null ? { status: 409, body: "conflict\n" } : { status: 200, body: `session ${session}\n` };
  },
};
