import { json } from "../http/answer.ts";
import type { Route } from "../http/route.ts";
import { RunSpec } from "../runs/run-spec.ts";
import { viewRun } from "./view-run.ts";

/** Adds a run attempt. */
export const addRun: Route = {
  method: "POST",
  path: "/_control/runs",
  handle: ({ world, body }) => json(201, viewRun(world.runs.add(RunSpec.parse(JSON.parse(body))))),
};
