import { json } from "../http/answer.ts";
import type { Route } from "../http/route.ts";

/** Shows every request so far. */
export const showJournal: Route = {
  method: "GET",
  path: "/_control/journal",
  handle: ({ world }) => json(200, world.journal.entries),
};
