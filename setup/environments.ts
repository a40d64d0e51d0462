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

interface Answer {
  protection_rules?: { type: string }[];
  deployment_branch_policy?: { custom_branch_policies: boolean; protected_branches: boolean } | null;
}

/** The path of an environment at GitHub. */
export function pathOf(repository: string, environment: string): string {
  return `${repositoryPath(repository)}/environments/${partOf(environment)}`;
}

/** The names of the secrets at one place. */
export async function secretsAt(gh: Gh, path: string): Promise<NamedSecret[]> {
  return (await gh.ask<{ secrets: NamedSecret[] }>({ path: `${path}?per_page=100`, to: "list the secrets" })).secrets;
}

/** Looks at an environment, its secrets and its rules. */
export async function lookAtEnvironment(gh: Gh, repository: string, name: string): Promise<EnvironmentState> {
  const path = pathOf(repository, name);
  const found = await gh.find<Answer>({ path, to: `show the environment ${name}` });
  if (found === undefined) return { name, exists: false, secrets: [], branches: undefined, hasReviewers: false };
  const { deployment_branch_policy: policy, protection_rules: rules = [] } = found;
  return {
    name,
    exists: true,
    secrets: await secretsAt(gh, `${path}/secrets`),
    branches: policy ? await branchesOf(gh, path, policy) : undefined,
    hasReviewers: rules.some(({ type }) => type === "required_reviewers"),
  };
}

/** In the place of patterns, where the protected branches may use it. */
export const PROTECTED = "(protected branches)";

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
