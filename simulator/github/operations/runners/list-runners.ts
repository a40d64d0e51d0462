import { json } from "../../http/answer.ts";
import type { OrganisationOperation, RepositoryOperation } from "../../http/operation.ts";
import { paginate } from "../../http/paginate.ts";
import { wireRunner } from "../../wire/wire-runner.ts";

/** Lists the runners of a repository. */
export const listRunners: RepositoryOperation = {
  name: "listRunners",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runners",
  permission: "administration=read",
  handle: (call) => {
    const { world, home, query } = call;
    // SPEC-SILENT: `name` is equal or contained. Here contained: a caller must compare again.
    const named = world.runners.all(home).filter(({ name }) => name.includes(query.get("name") ?? ""));
    const { page, headers } = paginate(call, named);
    const runners = page.map((runner) => wireRunner(runner, world.dispatcher.isOnline(runner)));
    return json(200, { total_count: named.length, runners }, headers);
  },
};

/** The same of an organisation. */
export const listOrgRunners: OrganisationOperation = {
  ...listRunners,
  of: "organisation",
  name: "listOrgRunners",
  path: "/orgs/:org/actions/runners",
  permission: "organization_self_hosted_runners=read",
};
