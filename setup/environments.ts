import { type Gh, partOf, repositoryPath } from "./gh.ts";

/** A secret without its value. */
export interface NamedSecret {
  name: string;
  updated_at?: string;
}

/** An environment, as far as it decides who may read its secrets. */
export interface EnvironmentState {
  name: string;
  exists: boolean;
  secrets: NamedSecret[];
  /** The branches that may use it, as patterns; undefined: all. */
  branches: string[] | undefined;
  /** Whether somebody must approve each use. */
  hasReviewers: boolean;
}

/** One that is to be made, or opened to branches that it lacks. */
export interface WantedEnvironment {
  name: string;
  exists: boolean;
  /** What it lacks of the branches that it is for; undefined: it is for all. */
  branches: string[] | undefined;
  hasReviewer: boolean;
}

interface Answer {
  protection_rules?: { type: string }[];
  deployment_branch_policy?: { custom_branch_policies: boolean; protected_branches: boolean } | null;
}

function pathOf(repository: string, environment: string): string {
  return `${repositoryPath(repository)}/environments/${partOf(environment)}`;
}

/** The names of the secrets at one place. */
export async function secretsAt(gh: Gh, path: string): Promise<NamedSecret[]> {
  return (await gh.ask<{ secrets: NamedSecret[] }>({ path: `${path}?per_page=100`, to: "list the secrets" })).secrets;
}

/** One that is not there. */
export function absentEnvironment(name: string): EnvironmentState {
  return { name, exists: false, secrets: [], branches: undefined, hasReviewers: false };
}

/** Looks at an environment, its secrets and its rules. */
export async function lookAtEnvironment(gh: Gh, repository: string, name: string): Promise<EnvironmentState> {
  const path = pathOf(repository, name);
  const found = await gh.find<Answer>({ path, to: `show the environment ${name}` });
  if (found === undefined) return absentEnvironment(name);
  const { deployment_branch_policy: policy, protection_rules: rules = [] } = found;
  return {
    name,
    exists: true,
    secrets: await secretsAt(gh, `${path}/secrets`),
    branches: policy ? await branchesOf(gh, path, policy) : undefined,
    hasReviewers: rules.some(({ type }) => type === "required_reviewers"),
  };
}

const PROTECTED = "(protected branches)";

async function branchesOf(
  gh: Gh,
  path: string,
  { custom_branch_policies }: { custom_branch_policies: boolean },
): Promise<string[]> {
  if (!custom_branch_policies) return [PROTECTED];
  const list = await gh.ask<{ branch_policies: { name: string }[] }>({
    path: `${path}/deployment-branch-policies?per_page=100`,
    to: "list the environment's branches",
  });
  return list.branch_policies.map(({ name }) => name);
}

/** The branches that an environment of the default branch is for: that one, and the queue before it. */
export function queueOf(branch: string): string[] {
  return [branch, `gh-readonly-queue/${branch}/*`];
}

/** The branches that an environment keeps off though it is for them; one for all, or for protected ones, keeps none off. */
export function lackingBranches({ branches }: EnvironmentState, wanted: readonly string[] = []): string[] {
  if (branches === undefined || branches.includes(PROTECTED)) return [];
  return wanted.filter((name) => !branches.includes(name));
}

/** Makes an environment, or lets branches in that it lacks. Rules of one that is there stay as they are. */
export async function makeEnvironment(gh: Gh, repository: string, wanted: WantedEnvironment): Promise<void> {
  const path = pathOf(repository, wanted.name);
  const { name, branches, exists } = wanted;
  if (!exists) {
    const deployment_branch_policy =
      branches === undefined ? null : { protected_branches: false, custom_branch_policies: true };
    const body = { deployment_branch_policy, ...(wanted.hasReviewer && { reviewers: [await reviewer(gh)] }) };
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

async function reviewer(gh: Gh): Promise<{ type: "User"; id: number }> {
  const { id } = await gh.ask<{ id: number }>({ path: "user", to: "show who you are" });
  return { type: "User", id };
}
