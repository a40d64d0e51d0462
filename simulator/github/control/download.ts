import { type Answer, notFound } from "../http/answer.ts";
import type { Route } from "../http/route.ts";
import type { World } from "../world.ts";

/** The URL that the downloads endpoint names. It redirects, as GitHub's does to its blob host. */
export const download: Route = {
  method: "GET",
  path: "/_downloads/:filename",
  handle: ({ world, params }) => {
    if (!world.runnerPackage.redirects) return archive(world, params.filename);
    return { status: 302, headers: { location: `${world.url}/_blob/${params.filename}` } };
  },
};

/** Where the redirect leads. */
export const blob: Route = {
  method: "GET",
  path: "/_blob/:filename",
  handle: ({ world, params }) => archive(world, params.filename),
};

function archive(world: World, filename = ""): Answer {
  const body = world.runnerPackage.content(filename);
  return body ? { status: 200, body, headers: { "content-type": "application/octet-stream" } } : notFound();
}
