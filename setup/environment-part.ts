import { type Change, type Part, type Removing, takesBack } from "./change.ts";
import { type EnvironmentState, type Facts, type NamedSecret, PROTECTED, pathOf } from "./facts.ts";
import { bad, doubtful, good } from "./finding.ts";
import { type Gh, GithubError, partOf, repositoryPath } from "./gh.ts";
import { SetupError, wordsOf } from "./setup-error.ts";
import { environmentsOf, SECRETS, type Settings } from "./workflows.ts";

/** One that is to be made, or opened to branches that it lacks. */
interface WantedEnvironment {
  name: string;
  exists: boolean;
  /** What it lacks of the branches that it is for; undefined: it is for all. */
  branches: string[] | undefined;
  hasReviewer: boolean;
}

/** Whether each environment is there, for the runs that need it, and who may read it. */
export function environmentParts(facts: Facts, settings: Settings, reviewers: boolean): Part[] {
  if (settings.environment !== undefined)
    return environmentsOf(settings).map((name) => environmentPart(facts, settings, { name, reviewers }));
  const because = facts.hasEnvironments ? "" : ", as its plan has no environments";
  return [{ kept: `the secrets, in the repository${because}: every workflow of it can read them` }];
}

/** The branches that an environment keeps off though it is for them; one for all, or for protected ones, keeps none off. */
function lackingBranches({ branches }: EnvironmentState, wanted: readonly string[] = []): string[] {
  if (branches === undefined || branches.includes(PROTECTED)) return [];
  return wanted.filter((name) => !branches.includes(name));
}

/** Rules of one that is there are its owner's: it may be opened to the branch that needs it, and no more. */
function environmentPart(
  { environments, repository: { default_branch } }: Facts,
  settings: Settings,
  { name, reviewers }: { name: string; reviewers: boolean },
): Part {
  const about = `The environment ${name}`;
  const isOfPulls = name !== settings.environment;
  // The default branch has a queue before it.
  const branches = isOfPulls ? undefined : [default_branch, `gh-readonly-queue/${default_branch}/*`];
  const wanted = { name, exists: false, branches, hasReviewer: isOfPulls && reviewers };
  const state = environments.find((each) => each.name === name);
  if (state?.exists !== true) return { finding: bad(about, "it is not there."), change: makes(wanted) };
  const isOpen = state.branches === undefined && !state.hasReviewers;
  const open = isOpen ? "whoever may push a branch can read its secrets" : undefined;
  const kept = `the environment ${name}${open === undefined ? "" : `: ${open}`}`;
  const lacks = lackingBranches(state, branches);
  if (lacks.length > 0) {
    const finding = bad(about, `${lacks.join(" and ")} may not use it.`);
    return { finding, change: makes({ ...wanted, exists: true, branches: lacks }), kept };
  }
  if (open === undefined) return { finding: good(about, "not everybody who may push a branch can read it."), kept };
  const way = isOfPulls ? "Give it a reviewer" : `Limit it to ${default_branch} and its merge queue`;
  return { finding: doubtful(about, `${open}. ${way} (Settings, Environments).`), kept };
}

function makes(wanted: WantedEnvironment): Change {
  return {
    says: [describe(wanted)],
    carryOut: async ({ context: { gh }, facts }) => {
      await makeEnvironment(gh, facts.repository.full_name, wanted).catch((fault: unknown) => refuse(fault, wanted));
      return `The environment ${wanted.name} is there`;
    },
  };
}

function describe({ name, exists, branches, hasReviewer }: WantedEnvironment): string {
  if (exists) return `Let ${branches?.join(" and ")} use the environment ${name}.`;
  if (branches !== undefined) return `Make the environment ${name}, for ${branches.join(" and ")} alone.`;
  return hasReviewer
    ? `Make the environment ${name}, for every branch: each run of a pull request waits for your approval.`
    : `Make the environment ${name}, for every branch: whoever may push one can read its secrets.`;
}

function refuse(fault: unknown, { hasReviewer }: WantedEnvironment): never {
  if (!(fault instanceof GithubError) || ![403, 404, 422].includes(fault.status ?? 0)) throw fault;
  const way = hasReviewer
    ? "A plan may have environments without reviewers: --no-pull-requests leaves pull requests without a machine, and --no-reviewers lets whoever may push a branch read the secrets."
    : "A plan may have no environments: with --no-environment the secrets go into the repository, where every workflow of it can read them.";
  throw new SetupError(wordsOf(fault), way, fault);
}

/** Makes an environment, or lets branches in that it lacks. Rules of one that is there stay as they are. */
async function makeEnvironment(gh: Gh, repository: string, wanted: WantedEnvironment): Promise<void> {
  const path = pathOf(repository, wanted.name);
  const { name, branches, exists } = wanted;
  if (!exists) {
    const deployment_branch_policy =
      branches === undefined ? null : { protected_branches: false, custom_branch_policies: true };
    const whoAsks = async () => await gh.ask<{ id: number }>({ path: "user", to: "show who you are" });
    const reviewers = wanted.hasReviewer ? [{ type: "User", id: (await whoAsks()).id }] : undefined;
    const body = { deployment_branch_policy, reviewers };
    await gh.ask({ method: "PUT", path, body, to: `make the environment ${name}` });
  }
  for (const branch of branches ?? [])
    await gh.ask({
      method: "POST",
      path: `${path}/deployment-branch-policies`,
      body: { name: branch },
      to: `let ${branch} use the environment ${name}`,
    });
}

/** Takes back our secrets, and then the environments that hold nothing else. */
export function secretRemovals({ environments, repositorySecrets, settings }: Facts): Change<Removing>[] {
  const ours = environments.filter(({ exists }) => exists);
  const ofRepository = settings?.environment === undefined ? repositorySecrets : [];
  const isOurs = ({ name }: NamedSecret) => SECRETS.includes(name);
  return [
    ...ours.flatMap((each) => each.secrets.filter(isOurs).map(({ name }) => deletes(name, each.name))),
    ...ofRepository.filter(isOurs).map(({ name }) => deletes(name)),
    ...ours
      .filter(({ secrets }) => secrets.every(isOurs))
      .map(({ name }) => deletion(`The environment ${name}`, `environments/${partOf(name)}`, "delete the environment")),
  ];
}

function deletes(name: string, environment?: string): Change<Removing> {
  const where = environment === undefined ? "actions" : `environments/${partOf(environment)}`;
  const thing = `The secret ${name} of ${environment ?? "the repository"}`;
  return deletion(thing, `${where}/secrets/${name}`, "delete the secret");
}

function deletion(thing: string, place: string, to: string): Change<Removing> {
  return takesBack(thing, "deleted", ({ context: { gh }, facts: { repository } }) =>
    gh.find({ method: "DELETE", path: `${repositoryPath(repository.full_name)}/${place}`, to }),
  );
}
