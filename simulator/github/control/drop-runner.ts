import { json, notFound } from "../http/answer.ts";
import type { Route } from "../http/route.ts";

/** Makes the server forget a runner, whatever it does. */
export const dropRunner: Route = {
  method: "DELETE",
  path: "/_control/runners/:id",
  handle: ({ world, params }) => {
    const runner = world.runners.all().find(({ id }) => id === Number(params.id));
    if (runner === undefined) return notFound();
    world.dispatcher.drop(runner);
    return json(200, { dropped: runner.name });
  },
};
