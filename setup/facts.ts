import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "./context.ts";
import { type Gh, GithubError, partOf, repositoryPath } from "./gh.ts";
import { type Checkout, committed, filesOf } from "./git.ts";
import { isAsWritten, settingsIn } from "./read-back.ts";
import { ownership } from "./setting-nodes.ts";
import { SetupError, wordsOf } from "./setup-error.ts";
import { environmentsOf, GPU_WORKFLOW, type Settings, WORKFLOW_PATHS } from "./workflows.ts";
import { readText, UnreadableError } from "./yaml-file.ts";

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
  /** Undefined: there is none, or it was not read. */
  text: string | undefined;
  /** Why it was not read. */
  why?: string;
  owner: "none" | "ours" | "changed" | "foreign";
  isOnDefaultBranch: boolean;
}

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

const FOLDER = ".github/workflows";

/** What is there before anything is changed. */
export interface Facts {
  checkout: Checkout;
  repository: Repository;
  /** False: the owner's plan has none for this repository. */
  hasEnvironments: boolean;
  /** Those whose secrets the jobs that rent shall have. */
  environments: EnvironmentState[];
  repositorySecrets: NamedSecret[];
  files: FileState[];
  /** Every workflow of the checkout, whoever wrote it. */
  workflows: FileState[];
  /** The paths of those that GitHub does not start: somebody disabled them, or 60 quiet days did. */
  disabled: string[];
  /** Of the file that is there; where it was deleted, of the one that was committed. */
  settings: Settings | undefined;
  /** Why the settings of a file of ours can't be read. */
  unread: string | undefined;
}

/** The repository behind a checkout. Throws where it can't be seen or administered. */
async function findRepository(gh: Gh, { repository }: Checkout): Promise<Repository> {
  const found = await gh.find<Repository>({ path: repositoryPath(repository), to: `show ${repository}` });
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

/** A branch at GitHub; undefined: there is none. */
export async function findBranch(gh: Gh, { full_name }: Repository, name: string) {
  const path = `${repositoryPath(full_name)}/branches/${partOf(name)}`;
  return await gh.find<{ protected?: boolean }>({ path, to: `show the branch ${name}` });
}

/** Looks at all that there is of a set-up. */
export async function gatherFacts(context: Pick<Context, "gh" | "options">, checkout: Checkout): Promise<Facts> {
  const { gh } = context;
  const repository = await findRepository(gh, checkout);
  const { full_name } = repository;
  const all = await readFiles(checkout.root, repository.default_branch);
  const found = all.slice(0, WORKFLOW_PATHS.length);
  const read = settingsOf(await workflowOf(checkout.root, found, repository.default_branch));
  const files = found.map((file) => withOwner(file, read.settings));
  const environments: EnvironmentState[] = [];
  for (const name of environmentNames(context, read.settings))
    environments.push(await lookAtEnvironment(gh, full_name, name));
  return {
    checkout,
    repository,
    hasEnvironments: !repository.private || !(await isFreePlan(gh, repository)),
    environments,
    repositorySecrets: await secretsAt(gh, `${repositoryPath(full_name)}/actions/secrets`),
    files,
    workflows: all.filter(({ owner }) => owner !== "none"),
    disabled: await disabledWorkflows(gh, full_name),
    ...read,
  };
}

/** The names of the environments to look at: what was asked for, else what the files have, else what init makes. */
function environmentNames({ options }: Pick<Context, "options">, settings: Settings | undefined): string[] {
  const environment = options.environment || settings?.environment || "gpu";
  const isUsed = options.environment ?? (settings === undefined || settings.environment !== undefined);
  const pullRequests = options.pullRequests ?? settings?.pullRequests ?? true;
  return environmentsOf({ environment, pullRequests: pullRequests && isUsed !== false });
}

/** The workflow that says the settings; undefined: none of ours does. */
async function workflowOf(root: string, files: readonly FileState[], branch: string): Promise<string | undefined> {
  const file = files.find(({ path }) => path === GPU_WORKFLOW);
  if (file?.owner === "ours" || file?.owner === "changed") return file.text;
  if (file?.owner !== "none") return undefined;
  const text =
    (await committed(root, "HEAD", GPU_WORKFLOW)) ?? (await committed(root, `origin/${branch}`, GPU_WORKFLOW));
  return text === undefined || ownership(text) === "foreign" ? undefined : text;
}

/** The settings of a workflow of ours, or why they can't be read. */
export function settingsOf(text: string | undefined): Pick<Facts, "settings" | "unread"> {
  if (text === undefined) return { settings: undefined, unread: undefined };
  try {
    return { settings: settingsIn(text), unread: undefined };
  } catch (fault) {
    if (!(fault instanceof SetupError)) throw fault;
    const words = wordsOf(fault);
    return { settings: undefined, unread: fault instanceof UnreadableError ? `${GPU_WORKFLOW} ${words}.` : words };
  }
}

/** A setting that was changed in the file itself is no change of the file. */
function withOwner(file: FileState, settings: Settings | undefined): FileState {
  const { path, text = "", owner } = file;
  const isOurs = owner === "changed" && settings !== undefined && isAsWritten(path, text, settings);
  return isOurs ? { ...file, owner: "ours" } : file;
}

/** Throws where a file of ours holds what is no setting: nobody knows then what is set up. */
export function refuseUnread({ unread }: Pick<Facts, "unread">): void {
  if (unread === undefined) return;
  throw new SetupError(
    `${unread} Nothing was changed.`,
    "Correct that, and run this again. Or take out the file's first line: then it is yours alone, and stays as it is.",
  );
}

/** GitHub's Free plan has no environments in private repositories. A plan that can't be seen may have them. */
async function isFreePlan(gh: Gh, { owner }: Repository): Promise<boolean> {
  const path = owner.type === "Organization" ? `orgs/${partOf(owner.login)}` : "user";
  try {
    const { login, plan } = await gh.ask<{ login: string; plan?: { name?: string } }>({ path, to: "show the plan" });
    return login.toLowerCase() === owner.login.toLowerCase() && plan?.name === "free";
  } catch (fault) {
    if (fault instanceof GithubError) return false;
    throw fault;
  }
}

/** Every workflow of the checkout, and every one that init writes, whether it is there or not. */
async function readFiles(root: string, defaultBranch: string): Promise<FileState[]> {
  const onDefault = await filesOf(root, `origin/${defaultBranch}`, FOLDER);
  const names = existsSync(join(root, FOLDER)) ? readdirSync(join(root, FOLDER)) : [];
  const there = names.filter((name) => /\.ya?ml$/.test(name)).map((name) => `${FOLDER}/${name}`);
  const paths = [...new Set([...WORKFLOW_PATHS, ...there.toSorted()])];
  return paths.map((path) => ({ path, ...readFile(root, path), isOnDefaultBranch: onDefault.includes(path) }));
}

function readFile(root: string, path: string): Pick<FileState, "text" | "why" | "owner"> {
  try {
    const text = readText(root, path);
    return { text, owner: text === undefined ? "none" : ownership(text) };
  } catch (fault) {
    if (!(fault instanceof UnreadableError)) throw fault;
    return { text: undefined, why: fault.message, owner: "foreign" };
  }
}

async function disabledWorkflows(gh: Gh, repository: string): Promise<string[]> {
  const path = `${repositoryPath(repository)}/actions/workflows?per_page=100`;
  const list = await gh.ask<{ workflows: { path: string; state: string }[] }>({ path, to: "list the workflows" });
  return list.workflows.filter(({ state }) => state.startsWith("disabled")).map((workflow) => workflow.path);
}

/** A secret where the jobs of a set-up find it, its oldest copy: an environment's jobs see those of the repository, too. */
export function findSecret(facts: Pick<Facts, "environments" | "repositorySecrets">, name: string) {
  const copies = facts.environments.map(({ secrets }) => secrets.find((secret) => secret.name === name));
  const ofRepository = facts.repositorySecrets.find((secret) => secret.name === name);
  const seen = copies.map((copy) => copy ?? ofRepository).filter((copy) => copy !== undefined);
  if (seen.length < copies.length) return undefined;
  return seen.toSorted((one, other) => (one.updated_at ?? "").localeCompare(other.updated_at ?? ""))[0];
}

/** The path of an environment at GitHub. */
export function pathOf(repository: string, environment: string): string {
  return `${repositoryPath(repository)}/environments/${partOf(environment)}`;
}

/** The names of the secrets at one place. */
async function secretsAt(gh: Gh, path: string): Promise<NamedSecret[]> {
  return (await gh.ask<{ secrets: NamedSecret[] }>({ path: `${path}?per_page=100`, to: "list the secrets" })).secrets;
}

/** In the place of patterns, where the protected branches may use it. */
export const PROTECTED = "(protected branches)";

/** Looks at an environment, its secrets and its rules. */
async function lookAtEnvironment(gh: Gh, repository: string, name: string): Promise<EnvironmentState> {
  const path = pathOf(repository, name);
  const found = await gh.find<{
    protection_rules?: { type: string }[];
    deployment_branch_policy?: { custom_branch_policies: boolean } | null;
  }>({ path, to: `show the environment ${name}` });
  if (found === undefined) return { name, exists: false, secrets: [], branches: undefined, hasReviewers: false };
  const { deployment_branch_policy: policy, protection_rules: rules = [] } = found;
  const ofPolicy = async () => (policy?.custom_branch_policies ? await branchesOf(gh, path) : [PROTECTED]);
  return {
    name,
    exists: true,
    secrets: await secretsAt(gh, `${path}/secrets`),
    branches: policy ? await ofPolicy() : undefined,
    hasReviewers: rules.some(({ type }) => type === "required_reviewers"),
  };
}

async function branchesOf(gh: Gh, path: string): Promise<string[]> {
  const request = { path: `${path}/deployment-branch-policies?per_page=100`, to: "list the environment's branches" };
  const { branch_policies } = await gh.ask<{ branch_policies: { name: string }[] }>(request);
  return branch_policies.map(({ name }) => name);
}
