import { json } from "../http/answer.ts";
import type { Route } from "../http/route.ts";
import { viewRunner } from "./view-run.ts";

/** Shows all registered runners. */
export const showRunners: Route = {
  method: "GET",
  path: "/_control/runners",
  handle: ({ world }) =>
    json(
      200,
      world.runners.all().map((runner) => viewRunner(runner, world)),
    ),
};
