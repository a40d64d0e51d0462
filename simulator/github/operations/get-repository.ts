import { json } from "../http/answer.ts";
import type { Operation } from "../http/operation.ts";
import { wireRepository } from "../wire.ts";

/** Shows a repository, among other things its numeric id. */
export const getRepository: Operation = {
  name: "getRepository",
  method: "GET",
  path: "/repos/:owner/:repo",
  permission: "metadata=read",
  handle: ({ repository, api }) => json(200, wireRepository(repository, api)),
};
