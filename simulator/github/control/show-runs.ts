import { json } from "../http/answer.ts";
import type { Route } from "../http/route.ts";
import { viewRun } from "./view-run.ts";

/** Shows all run attempts with all their jobs. */
export const showRuns: Route = {
  method: "GET",
  path: "/_control/runs",
  handle: ({ world }) => json(200, world.runs.all().map(viewRun)),
};
