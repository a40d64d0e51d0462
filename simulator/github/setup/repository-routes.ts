import { type Answer, json, notFound, refusal } from "../http/answer.ts";
import { wireRepository, wireUser } from "../wire.ts";
import { bodyOf, type SetupCall, type SetupRoute } from "./route.ts";

function showUser({ person, api }: SetupCall): Answer {
  return json(200, { ...wireUser(person?.login ?? "", api), type: "User", plan: { name: person?.plan } });
}

function showOrganisation({ params, person, api }: SetupCall): Answer {
  return json(200, { ...wireUser(params.org ?? "", api), plan: { name: person?.plan } });
}

/** A person sees its rights, beside what every token sees. */
function showRepository({ world, params, person, api }: SetupCall): Answer {
  const repository = world.repositories.find(`${params.owner}/${params.repo}`);
  if (repository === undefined) return notFound();
  const { isPrivate, ownerType, defaultBranch } = world.setup.shown;
  const admin = person?.isAdmin ?? false;
  return json(200, {
    ...wireRepository(repository, api),
    private: isPrivate,
    visibility: isPrivate ? "private" : "public",
    default_branch: defaultBranch,
    owner: { ...wireUser(repository.owner, api), type: ownerType },
    permissions: { admin, maintain: admin, push: true, triage: true, pull: true },
  });
}

function showEnvironment({ world, params }: SetupCall): Answer {
  const { name = "" } = params;
  return world.setup.environments.includes(name) ? json(200, { id: 1, name, protection_rules: [] }) : notFound();
}

/** SPEC-SILENT: the words for a plan without environments. */
function makeEnvironment({ world, params }: SetupCall): Answer {
  if (!world.setup.shown.hasEnvironments) return notFound();
  world.setup.makeEnvironment(params.name ?? "");
  return json(200, { id: 1, name: params.name, protection_rules: [] });
}

function listPulls({ world, params, query }: SetupCall): Answer {
  const wanted = query.get("head");
  const pulls = world.setup.pulls.filter(({ head }) => wanted === null || wanted === `${params.owner}:${head}`);
  return json(
    200,
    pulls.map((pull) => wirePull(pull.number, params)),
  );
}

function openPull(call: SetupCall): Answer {
  const { setup } = call.world;
  const { head, base, title } = bodyOf(call);
  if (setup.pulls.some((pull) => pull.head === head))
    return refusal(422, "Validation Failed: A pull request already exists");
  const pull = { number: setup.pulls.length + 1, head: String(head), base: String(base), title: String(title) };
  setup.pulls.push(pull);
  return json(201, wirePull(pull.number, call.params));
}

function wirePull(number: number, { owner, repo }: Record<string, string>): object {
  return { number, state: "open", html_url: `https://github.com/${owner}/${repo}/pull/${number}` };
}

/** SPEC-SILENT: what GitHub says to a branch that has no such workflow. */
function dispatch(call: SetupCall): Answer {
  call.world.setup.dispatches.push({ workflow: call.params.workflow ?? "", ref: String(bodyOf(call).ref) });
  return { status: 204 };
}

const REPO = "/repos/:owner/:repo";

/** The repository as its people see it, its environments and its pull requests. */
export const REPOSITORY_ROUTES: readonly SetupRoute[] = [
  // gh looks there for the rights of its token, and here for its owner.
  { method: "GET", path: "/", by: "person", handle: () => json(200, {}, { "x-oauth-scopes": "repo, workflow" }) },
  {
    method: "POST",
    path: "/graphql",
    by: "person",
    handle: ({ person }) => json(200, { data: { viewer: { login: person?.login } } }),
  },
  { method: "GET", path: "/user", by: "person", handle: showUser },
  { method: "GET", path: "/orgs/:org", by: "person", handle: showOrganisation },
  { method: "GET", path: REPO, by: "person", handle: showRepository },
  { method: "GET", path: `${REPO}/environments/:name`, by: "person", handle: showEnvironment },
  { method: "PUT", path: `${REPO}/environments/:name`, by: "person", handle: makeEnvironment },
  {
    method: "DELETE",
    path: `${REPO}/environments/:name`,
    by: "person",
    handle: ({ world, params }) => (world.setup.deleteEnvironment(params.name ?? "") ? { status: 204 } : notFound()),
  },
  { method: "POST", path: `${REPO}/actions/workflows/:workflow/dispatches`, by: "person", handle: dispatch },
  { method: "GET", path: `${REPO}/pulls`, by: "person", handle: listPulls },
  { method: "POST", path: `${REPO}/pulls`, by: "person", handle: openPull },
];
