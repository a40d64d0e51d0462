import { json } from "../http/answer.ts";
import type { Operation } from "../http/operation.ts";
import { paginate } from "../http/paginate.ts";
import { wireRunner } from "../wire/wire-runner.ts";

/** Lists the runners of a repository. */
export const listRunners: Operation = {
  name: "listRunners",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runners",
  permission: "administration=read",
  handle: (call) => {
    const { world, repository, query } = call;
    // SPEC-SILENT: whether `name` must be equal or only contained. Here contained, so that a caller must compare again.
    const named = world.runners.all(repository).filter(({ name }) => name.includes(query.get("name") ?? ""));
    const { page, headers } = paginate(call, named);
    const runners = page.map((runner) => wireRunner(runner, world.dispatcher.isOnline(runner)));
    return json(200, { total_count: named.length, runners }, headers);
  },
};
