import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Gh, GithubError } from "./gh.ts";
import { type Checkout, filesOf } from "./git.ts";
import type { WorkflowText } from "./removed.ts";
import type { KeyRow, Service } from "./service.ts";
import { SetupError } from "./setup-error.ts";
import { ownership, type Settings, settingsIn, WORKFLOW_PATHS } from "./workflows.ts";

/** A repository, as GitHub shows it to the person. */
export interface Repository {
  id: number;
  full_name: string;
  private: boolean;
  default_branch: string;
  html_url: string;
  owner: { login: string; id: number; type: string };
  permissions?: { admin?: boolean };
}

/** One file of ours, or another's in its place. */
export interface FileState {
  path: string;
  /** Undefined: there is none. */
  text: string | undefined;
  owner: "none" | "ours" | "changed" | "foreign";
  isOnDefaultBranch: boolean;
  /** On what is checked out, or on the default branch. */
  isCommitted: boolean;
}

/** What is there before anything is changed. */
export interface Facts {
  checkout: Checkout;
  repository: Repository;
  /** False: the owner's plan has none for this repository. */
  hasEnvironments: boolean;
  /** Names of all that can be seen, with the environment's that was asked for. */
  environment: { name: string; exists: boolean };
  environmentSecrets: NamedSecret[];
  repositorySecrets: NamedSecret[];
  files: FileState[];
  /** Every workflow of the checkout, whoever wrote it. */
  workflows: WorkflowText[];
  /** Of the file that is there. */
  settings: Settings | undefined;
}

/** A secret without its value. */
export interface NamedSecret {
  name: string;
  updated_at?: string;
}

/** The name by which the account's list shows the key of one repository. */
export function keyName(repository: string): string {
  return `gpu tests of ${repository}`;
}

/** The keys that init made for a repository; a service without a list of keys has none. */
export async function keysOf(service: Service, repository: string): Promise<KeyRow[]> {
  return (await service.keys()).filter(({ name }) => name === keyName(repository));
}

/** The repository behind a checkout. Throws where it can't be seen or administered. */
export async function findRepository(gh: Gh, { repository }: Checkout): Promise<Repository> {
  const found = await gh.find<Repository>({ path: `repos/${repository}`, to: `show ${repository}` });
  if (found === undefined)
    throw new SetupError(
      `GitHub shows no repository ${repository} to this login.`,
      "Push it to GitHub first, or log in as somebody who may see it: gh auth login",
    );
  if (found.permissions?.admin !== true)
    throw new SetupError(
      `You don't administer ${found.full_name}, and only an administrator can add secrets and runners.`,
      "Ask an administrator for the role Admin, or to run this. Nothing was changed.",
    );
  return found;
}

/** Looks at all that there is of a set-up. */
export async function gatherFacts(gh: Gh, checkout: Checkout, givenEnvironment: string | undefined): Promise<Facts> {
  const repository = await findRepository(gh, checkout);
  const base = `repos/${repository.full_name}`;
  const files = await readFiles(checkout.root, repository.default_branch);
  const settings = files.map(({ text = "" }) => settingsIn(text)).find((found) => found !== undefined);
  const environmentName = givenEnvironment ?? settings?.environment ?? "gpu";
  const hasEnvironments = !repository.private || !(await isFreePlan(gh, repository));
  const environment = await gh.find<object>({
    path: `${base}/environments/${environmentName}`,
    to: "show the environment",
  });
  const secretsOf = async (path: string) =>
    (await gh.find<{ secrets: NamedSecret[] }>({ path: `${base}/${path}?per_page=100`, to: "list the secrets" }))
      ?.secrets ?? [];
  return {
    checkout,
    repository,
    hasEnvironments,
    environment: { name: environmentName, exists: environment !== undefined },
    environmentSecrets: environment === undefined ? [] : await secretsOf(`environments/${environmentName}/secrets`),
    repositorySecrets: await secretsOf("actions/secrets"),
    files,
    workflows: readWorkflows(checkout.root),
    settings,
  };
}

/** GitHub's Free plan has no environments in private repositories. A plan that can't be seen may have them. */
async function isFreePlan(gh: Gh, { owner }: Repository): Promise<boolean> {
  const path = owner.type === "Organization" ? `orgs/${owner.login}` : "user";
  try {
    const { login, plan } = await gh.ask<{ login: string; plan?: { name?: string } }>({ path, to: "show the plan" });
    return login.toLowerCase() === owner.login.toLowerCase() && plan?.name === "free";
  } catch (fault) {
    if (fault instanceof GithubError) return false;
    throw fault;
  }
}

async function readFiles(root: string, defaultBranch: string): Promise<FileState[]> {
  const onDefault = await filesOf(root, `origin/${defaultBranch}`, WORKFLOW_PATHS);
  const onHead = await filesOf(root, "HEAD", WORKFLOW_PATHS);
  return WORKFLOW_PATHS.map((path) => {
    const text = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;
    const owner = text === undefined ? "none" : ownership(text);
    const isOnDefaultBranch = onDefault.includes(path);
    return { path, text, owner, isOnDefaultBranch, isCommitted: isOnDefaultBranch || onHead.includes(path) };
  });
}

function readWorkflows(root: string): WorkflowText[] {
  const folder = ".github/workflows";
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name)).map(({ name }) => name);
  return names.toSorted().map((name) => {
    return { path: `${folder}/${name}`, text: readFileSync(join(root, folder, name), "utf8") };
  });
}

/** Whether a secret is where the jobs of a set-up find it: an environment's jobs see those of the repository, too. */
export function findSecret(facts: Facts, name: string): NamedSecret | undefined {
  return [...facts.environmentSecrets, ...facts.repositorySecrets].find((secret) => secret.name === name);
}
