import { json, notFound } from "../../http/answer.ts";
import type { Operation } from "../../http/operation.ts";
import { wireRun } from "../../wire/wire-run.ts";

/** Shows one attempt of a run. */
export const getRunAttempt: Operation = {
  name: "getRunAttempt",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runs/:run/attempts/:attempt",
  permission: "actions=read",
  handle: ({ world, repository, params, api }) => {
    const run = world.runs.find(repository, Number(params.run), Number(params.attempt));
    return run ? json(200, wireRun(run, api)) : notFound();
  },
};
