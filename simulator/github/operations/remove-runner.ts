import { notFound, refusal } from "../http/answer.ts";
import type { Operation } from "../http/operation.ts";

/** Removes a runner, unless it runs a job: then it is nobody's to take away. */
export const removeRunner: Operation = {
  name: "removeRunner",
  method: "DELETE",
  path: "/repos/:owner/:repo/actions/runners/:id",
  permission: "administration=write",
  handle: ({ world, repository, params }) => {
    const runner = world.runners.find(repository, Number(params.id));
    if (runner === undefined) return notFound();
    if (runner.job) return refusal(422, `Bad request - Runner "${runner.name}" is still running a job"`);
    world.dispatcher.drop(runner);
    return { status: 204 };
  },
};
