import { json, notFound } from "../../http/answer.ts";
import type { OrganisationOperation, RepositoryOperation } from "../../http/operation.ts";
import { wireRunner } from "../../wire/wire-runner.ts";

/** Shows a runner; one that had its job, was removed or was dropped is not found. */
export const getRunner: RepositoryOperation = {
  name: "getRunner",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runners/:id",
  permission: "administration=read",
  handle: ({ world, home, params }) => {
    const runner = world.runners.find(home, Number(params.id));
    return runner ? json(200, wireRunner(runner, world.dispatcher.isOnline(runner))) : notFound();
  },
};

/** The same of an organisation. */
export const getOrgRunner: OrganisationOperation = {
  ...getRunner,
  of: "organisation",
  name: "getOrgRunner",
  path: "/orgs/:org/actions/runners/:id",
  permission: "organization_self_hosted_runners=read",
};
