import { json, notFound } from "../../http/answer.ts";
import type { Operation } from "../../http/operation.ts";
import { wireRun } from "../../wire/wire-run.ts";

/** Shows the latest attempt of a run. */
export const getRun: Operation = {
  name: "getRun",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runs/:run",
  permission: "actions=read",
  handle: ({ world, repository, params, api }) => {
    const run = world.runs.find(repository, Number(params.run));
    return run ? json(200, wireRun(run, api)) : notFound();
  },
};
