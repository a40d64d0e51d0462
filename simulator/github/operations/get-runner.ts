import { json, notFound } from "../http/answer.ts";
import type { Operation } from "../http/operation.ts";
import { wireRunner } from "../wire/wire-runner.ts";

/** Shows a runner; one that had its job, was removed or was dropped is not found. */
export const getRunner: Operation = {
  name: "getRunner",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runners/:id",
  permission: "administration=read",
  handle: ({ world, repository, params }) => {
    const runner = world.runners.find(repository, Number(params.id));
    return runner ? json(200, wireRunner(runner, world.dispatcher.isOnline(runner))) : notFound();
  },
};
