import { json } from "../http/answer.ts";
import type { Route } from "../http/route.ts";

/** Shows how many requests counted against each token's limit: all but those answered 304. */
export const showCounted: Route = {
  method: "GET",
  path: "/_control/counted",
  handle: ({ world }) => json(200, Object.fromEntries(world.tokens.all().map(({ name, counted }) => [name, counted]))),
};
