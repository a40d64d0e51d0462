import { json, notFound } from "../http/answer.ts";
import type { Operation } from "../http/operation.ts";

/** Shows the last commit of a branch. */
export const getRef: Operation = {
  name: "getRef",
  method: "GET",
  path: "/repos/:owner/:repo/git/ref/heads/:branch",
  permission: "contents=read",
  handle: ({ world, repository, params, api }) => {
    const branch = params.branch ?? "";
    const sha = world.branches.head(repository, branch);
    if (sha === undefined) return notFound();
    const url = `${api}/repos/${repository.fullName}/git`;
    return json(200, {
      ref: `refs/heads/${branch}`,
      node_id: Buffer.from(`03:Ref${branch}`).toString("base64"),
      url: `${url}/refs/heads/${encodeURIComponent(branch)}`,
      object: { sha, type: "commit", url: `${url}/commits/${sha}` },
    });
  },
};
