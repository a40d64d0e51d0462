import { json, notFound } from "../../http/answer.ts";
import type { Operation } from "../../http/operation.ts";

/** Lists what a run uploaded: nothing here. */
export const listArtifacts: Operation = {
  name: "listArtifacts",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runs/:run/artifacts",
  permission: "actions=read",
  handle: ({ world, repository, params }) =>
    world.runs.find(repository, Number(params.run)) ? json(200, { total_count: 0, artifacts: [] }) : notFound(),
};
