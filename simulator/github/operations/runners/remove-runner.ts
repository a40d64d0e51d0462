import { notFound, refusal } from "../../http/answer.ts";
import type { OrganisationOperation, RepositoryOperation } from "../../http/operation.ts";

/** Removes a runner, unless it runs a job: then it is nobody's to take away. */
export const removeRunner: RepositoryOperation = {
  name: "removeRunner",
  method: "DELETE",
  path: "/repos/:owner/:repo/actions/runners/:id",
  permission: "administration=write",
  handle: ({ world, home, params }) => {
    const runner = world.runners.find(home, Number(params.id));
    if (runner === undefined) return notFound();
    if (runner.job) return refusal(422, `Bad request - Runner "${runner.name}" is still running a job"`);
    world.dispatcher.drop(runner);
    world.runners.takenAway.add(runner.id);
    return { status: 204 };
  },
};

/** The same of an organisation. */
export const removeOrgRunner: OrganisationOperation = {
  ...removeRunner,
  of: "organisation",
  name: "removeOrgRunner",
  path: "/orgs/:org/actions/runners/:id",
  permission: "organization_self_hosted_runners=write",
};
