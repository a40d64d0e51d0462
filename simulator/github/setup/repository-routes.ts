import type { Answer } from "../../http/deliver.ts";
import { json, NO_CONTENT, notFound, refusal } from "../http/answer.ts";
import { jsonOf, type SetupCall, type SetupRoute } from "../http/route.ts";
import { wireRepository, wireUser } from "../wire.ts";
import type { World } from "../world.ts";

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

function shown(found: object | undefined): Answer {
  return found === undefined ? notFound() : json(200, found);
}

function environmentOf({ setup }: World, name = ""): object | undefined {
  if (!setup.environments.includes(name)) return undefined;
  const { branches, reviewers } = setup.rulesOf(name);
  const people = reviewers.map((id) => ({ type: "User", reviewer: { id } }));
  const rules = [
    ...(people.length > 0 ? [{ id: 2, type: "required_reviewers", reviewers: people }] : []),
    ...(branches === undefined ? [] : [{ id: 3, type: "branch_policy" }]),
  ];
  const policy = branches === undefined ? null : { protected_branches: false, custom_branch_policies: true };
  return { id: 1, name, protection_rules: rules, deployment_branch_policy: policy };
}

/** SPEC-SILENT: the words for a plan without environments. */
function makeEnvironment(call: SetupCall): Answer {
  const { setup } = call.world;
  const { name = "" } = call.params;
  if (!setup.shown.hasEnvironments) return notFound();
  const { reviewers = [], deployment_branch_policy: policy } = jsonOf(call) as {
    reviewers?: { id: number }[];
    deployment_branch_policy?: object | null;
  };
  const message = "Failed to create the environment protection rule. Please ensure the billing plan supports it.";
  if (reviewers.length > 0 && !setup.shown.hasReviewers) return refusal(422, message);
  setup.makeEnvironment(name, { reviewers: reviewers.map(({ id }) => id), ...(policy && { branches: [] }) });
  return shown(environmentOf(call.world, name));
}

function addBranchPolicy(call: SetupCall): Answer {
  const { setup } = call.world;
  const { name: environment = "" } = call.params;
  const { branches, ...rules } = setup.rulesOf(environment);
  if (branches === undefined) return notFound();
  const name = String(jsonOf(call).name);
  setup.makeEnvironment(environment, { ...rules, branches: [...branches, name] });
  return json(200, { id: branches.length, name, type: "branch" });
}

function openPull(call: SetupCall): Answer {
  const { setup } = call.world;
  const { head, base, title, body } = jsonOf(call);
  if (setup.pulls.some((pull) => pull.head === head))
    return refusal(422, "Validation Failed: A pull request already exists");
  const texts = { head: String(head), base: String(base), title: String(title), body: String(body) };
  const pull = { number: setup.pulls.length + 1, ...texts };
  setup.pulls.push(pull);
  setup.branches.set(pull.head, { isProtected: false });
  return json(201, wirePull(pull.number, call.params));
}

function wirePull(number: number, { owner, repo }: Record<string, string>): object {
  return { number, state: "open", html_url: `https://github.com/${owner}/${repo}/pull/${number}` };
}

/** By its file's name, as by its id. */
function switchWorkflow({ world, params }: SetupCall, state: string): Answer {
  const path = `.github/workflows/${params.workflow}`;
  if (!world.setup.workflows.has(path)) return notFound();
  world.setup.workflows.set(path, state);
  return NO_CONTENT;
}

/** The repository as its people see it, its environments and its pull requests. */
const HANDLERS: Readonly<Record<string, SetupRoute["handle"]>> = {
  // gh looks there for the rights of its token, and here for its owner.
  "GET /": () => json(200, {}, { "x-oauth-scopes": "repo, workflow" }),
  "POST /graphql": ({ person }) => json(200, { data: { viewer: { login: person?.login } } }),
  "GET /user": ({ person, api }) =>
    json(200, { ...wireUser(person?.login ?? "", api), type: "User", plan: { name: person?.plan } }),
  "GET /orgs/:org": ({ params, person, api }) =>
    json(200, { ...wireUser(params.org ?? "", api), plan: { name: person?.plan } }),
  // SPEC-SILENT: whether gh's own login is shown a private app of the person's.
  "GET /apps/:slug"({ world, params }) {
    const app = world.setup.apps.find(({ slug }) => slug === params.slug);
    return shown(app && { id: app.id, slug: app.slug, client_id: app.clientId });
  },
  "GET REPO": showRepository,
  "GET REPO/environments/:name": ({ world, params }) => shown(environmentOf(world, params.name)),
  "PUT REPO/environments/:name": makeEnvironment,
  "DELETE REPO/environments/:name": ({ world, params }) =>
    world.setup.deleteEnvironment(params.name ?? "") ? NO_CONTENT : notFound(),
  "GET REPO/environments/:name/deployment-branch-policies"({ world, params }) {
    const policies = world.setup.rulesOf(params.name ?? "").branches?.map((name, id) => ({ id, name, type: "branch" }));
    return shown(policies && { total_count: policies.length, branch_policies: policies });
  },
  "POST REPO/environments/:name/deployment-branch-policies": addBranchPolicy,
  // SPEC-SILENT: what GitHub says to a branch that has no such workflow.
  "POST REPO/actions/workflows/:workflow/dispatches"(call) {
    call.world.setup.dispatches.push({ workflow: call.params.workflow ?? "", ref: String(jsonOf(call).ref) });
    return NO_CONTENT;
  },
  "GET REPO/actions/workflows"({ world }) {
    const workflows = Array.from(world.setup.workflows, ([path, state], index) => ({ id: index + 1, path, state }));
    return json(200, { total_count: workflows.length, workflows });
  },
  "PUT REPO/actions/workflows/:workflow/disable": (call) => switchWorkflow(call, "disabled_manually"),
  "PUT REPO/actions/workflows/:workflow/enable": (call) => switchWorkflow(call, "active"),
  "GET REPO/branches/:branch"({ world, params: { branch: name = "" } }) {
    const branch = world.setup.branches.get(name);
    return shown(branch && { name, protected: branch.isProtected });
  },
  "GET REPO/pulls"({ world, params, query }) {
    const wanted = query.get("head");
    const pulls = world.setup.pulls.filter(({ head }) => wanted === null || wanted === `${params.owner}:${head}`);
    return shown(pulls.map((pull) => wirePull(pull.number, params)));
  },
  "POST REPO/pulls": openPull,
};

/** They are there for people alone, as those of secrets are. */
export const REPOSITORY_ROUTES: readonly SetupRoute[] = Object.entries(HANDLERS).map(([at, handle]) => ({
  at: at.replace("REPO", "/repos/:owner/:repo"),
  handle,
}));
