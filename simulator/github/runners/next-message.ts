import type { RunnerRoute } from "../http/route.ts";
import { jobText } from "./job-text.ts";

/** A listener asks for its next message, and waits for about a second when there is none. */
export const nextMessage: RunnerRoute = {
  method: "GET",
  path: "/_runner/session/:session/message",
  handle: async ({ world, runner, params, closed }) => {
    if (runner.session?.id !== params.session) return { status: 404, body: "gone\n" };
    const message = await world.dispatcher.nextMessage(runner, closed);
    if (message === "gone") return { status: 404, body: "gone\n" };
    return { status: 200, body: message === "job" && runner.job ? jobText(runner.job) : `${message}\n` };
  },
};
