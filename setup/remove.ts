import { rmSync } from "node:fs";
import { join } from "node:path";
import { CONSOLE, openAccount } from "./account-key.ts";
import { appPage } from "./app.ts";
import { appName } from "./app-page.ts";
import { switchWorkflow } from "./apply.ts";
import type { Context } from "./context.ts";
import type { EnvironmentState } from "./environments.ts";
import { type Facts, keyName, keysOf, refuseUnread } from "./facts.ts";
import { partOf, repositoryPath } from "./gh.ts";
import { findPullRequest } from "./pull-request.ts";
import { hintOf, type KeyRow, type Service } from "./service.ts";
import { SetupError, StoppedError, wordsOf } from "./setup-error.ts";
import { SECRETS } from "./workflows.ts";

/** One thing to take back. */
type Removal =
  | { kind: "disable-workflow"; path: string }
  | { kind: "revoke-key"; key: KeyRow }
  | { kind: "delete-secret"; name: string; environment: string | undefined }
  | { kind: "delete-environment"; name: string }
  | { kind: "delete-file"; path: string };

interface Removing {
  context: Context;
  facts: Facts;
  service: Service;
}

/** Takes back what init made, after a yes: files first, so that no run starts without its secrets. */
export async function remove(context: Context, facts: Facts): Promise<void> {
  const { screen, options, questions } = context;
  refuseUnread(facts);
  screen.head(`What init made in ${facts.repository.full_name}`);
  const opened = await openAccount(context);
  await using service = opened.service;
  const keys = await keysOf(service, facts.repository.full_name);
  const removals = removalsOf(facts, keys, await askChanged(context, facts));
  if (removals.length === 0) screen.say("  Nothing of it is there.");
  for (const removal of removals) screen.say(`  – ${describe(removal, "is to be")}`);
  tellWhatStays(context, facts, keys);
  await tellApps(context, facts);
  await tellBranch(context, facts);
  if (removals.length === 0) return;
  removals.unshift(...(await askDisabled(context, facts, removals)));
  if (options.dryRun) return screen.head("Nothing was changed: this was a dry run.");
  if (!(await questions.yes("Take all this back?", true))) throw new StoppedError();
  await takeBack(removals, { context, facts, service });
  context.note.close();
  if (removals.some(({ kind }) => kind === "delete-file"))
    screen.head("Commit the deletion of the files, and push it.");
}

async function takeBack(removals: readonly Removal[], by: Removing): Promise<void> {
  const { screen, stop } = by.context;
  const done: string[] = [];
  const soFar = () => (done.length === 0 ? "" : ` Taken back until then: ${done.join("; ")}. Run remove again.`);
  for (const removal of removals) {
    if (stop.aborted) throw new StoppedError(`Stopped.${soFar()}`);
    try {
      await carryOut(removal, by);
    } catch (fault) {
      throw new SetupError(`${wordsOf(fault)}${soFar()}`, hintOf(fault), fault);
    }
    done.push(describe(removal));
    screen.say(`  ✓ ${describe(removal)}`);
  }
}

/** A workflow that stays on the default branch goes on without its keys: it is red at each push, unless it is disabled. */
async function askDisabled(
  { questions, screen }: Context,
  { disabled, repository, workflows }: Facts,
  removals: readonly Removal[],
): Promise<Removal[]> {
  if (!removals.some(({ kind }) => kind === "revoke-key" || kind === "delete-secret")) return [];
  const staying = workflows.filter(
    ({ path, text, isOnDefaultBranch }) =>
      isOnDefaultBranch && !disabled.includes(path) && SECRETS.some((name) => text.includes(`secrets.${name}`)),
  );
  if (staying.length === 0) return [];
  screen.say(
    `  Without their keys these are red at each start, until they are gone from ${repository.default_branch}:`,
  );
  for (const { path } of staying) screen.say(`    ${path}`);
  if (!(await questions.yes("Disable them at GitHub first? init and doctor enable their own again", true))) return [];
  return staying.map(({ path }) => ({ kind: "disable-workflow", path }));
}

/** Only a person can delete an app: each that was ever asked for, and the one that has the repository's name. */
async function tellApps(context: Context, { repository, settings }: Facts): Promise<void> {
  const { gh, note, places, screen } = context;
  const slug = appName(repository);
  const isThere = await gh.find({ path: `apps/${slug}`, to: "show the app" });
  const slugs = [...new Set([...note.apps.map((app) => app.slug), ...(isThere ? [slug] : [])])];
  for (const each of slugs)
    screen.say(
      `  The app ${each}, if it is there, can be deleted on its own page alone: ${appPage(context, repository, each)}`,
    );
  const isTold = slugs.length > 0 || settings?.register !== "app";
  if (!isTold)
    screen.say(
      `  The app ${settings.appClientId} can be deleted on its own page alone: ${places.web}/settings/apps, Advanced.`,
    );
}

/** What brings the files back when somebody merges it. */
async function tellBranch(context: Context, { repository }: Facts): Promise<void> {
  const { gh, options, screen } = context;
  const { branch } = options;
  const pull = await findPullRequest(context, repository, branch);
  if (pull !== undefined) screen.say(`  Its pull request is open. Close it: ${pull.html_url}`);
  const path = `${repositoryPath(repository.full_name)}/branches/${partOf(branch)}`;
  if ((await gh.find({ path, to: "show the branch" })) !== undefined)
    screen.say(`  Its branch is at GitHub. Delete it: git push origin --delete ${branch}`);
}

async function askChanged({ questions }: Context, { files }: Facts): Promise<string[]> {
  const chosen: string[] = [];
  for (const { path, owner } of files)
    if (owner === "changed" && (await questions.yes(`${path} was changed by hand. Delete it?`, false)))
      chosen.push(path);
  return chosen;
}

/** Pure: what is to be taken back, in its order. */
export function removalsOf(facts: Facts, keys: readonly KeyRow[], changedToo: readonly string[]): Removal[] {
  const { environments, repositorySecrets, files, settings } = facts;
  const isOurs = settings !== undefined || keys.length > 0;
  const ours = isOurs ? environments.filter(({ exists }) => exists) : [];
  const ofRepository =
    isOurs && settings?.environment === undefined ? repositorySecrets.filter(({ name }) => SECRETS.includes(name)) : [];
  return [
    ...files
      .filter(({ path, owner }) => owner === "ours" || changedToo.includes(path))
      .map(({ path }): Removal => ({ kind: "delete-file", path })),
    ...keys.map((key): Removal => ({ kind: "revoke-key", key })),
    ...ours.flatMap(secretsOfOurs),
    ...ofRepository.map(({ name }): Removal => ({ kind: "delete-secret", name, environment: undefined })),
    ...ours
      .filter(({ secrets }) => secrets.every(({ name }) => SECRETS.includes(name)))
      .map(({ name }): Removal => ({ kind: "delete-environment", name })),
  ];
}

function secretsOfOurs({ name: environment, secrets }: EnvironmentState): Removal[] {
  const names = secrets.map(({ name }) => name).filter((name) => SECRETS.includes(name));
  return names.map((name) => ({ kind: "delete-secret", name, environment }));
}

function describe(removal: Removal, is: "is" | "is to be" = "is"): string {
  switch (removal.kind) {
    case "disable-workflow":
      return `${removal.path} ${is} disabled at GitHub`;
    case "revoke-key":
      return `The key ${removal.key.id}, "${removal.key.name}", ${is} revoked`;
    case "delete-secret":
      return `The secret ${removal.name} ${removal.environment === undefined ? "of the repository" : `of ${removal.environment}`} ${is} deleted`;
    case "delete-environment":
      return `The environment ${removal.name} ${is} deleted`;
    case "delete-file":
      return `${removal.path} ${is} deleted`;
  }
}

/** What no program may take back, and where a person does. */
function tellWhatStays(
  { screen, places }: Context,
  { files, repository, settings }: Facts,
  keys: readonly KeyRow[],
): void {
  if (settings !== undefined && keys.length === 0)
    screen.say(
      `  The account shows no key "${keyName(repository.full_name)}". If you see one on its own page, delete it there: ${CONSOLE}/manage-keys/`,
    );
  if (settings?.register === "token")
    screen.say(`  The token can be deleted by you alone: ${places.web}/settings/personal-access-tokens`);
  for (const { path, owner, why = "is not init's own" } of files)
    if (owner === "foreign") screen.say(`  ${path} ${why}, and stays.`);
}

async function carryOut(removal: Removal, { context, facts, service }: Removing): Promise<void> {
  const base = repositoryPath(facts.repository.full_name);
  switch (removal.kind) {
    case "disable-workflow":
      return await switchWorkflow({ context, facts }, removal.path, "disable");
    case "revoke-key":
      return await service.revokeKey(removal.key.id);
    case "delete-secret": {
      const where = removal.environment === undefined ? "actions" : `environments/${partOf(removal.environment)}`;
      await context.gh.find({
        method: "DELETE",
        path: `${base}/${where}/secrets/${removal.name}`,
        to: "delete the secret",
      });
      return;
    }
    case "delete-environment":
      await context.gh.find({
        method: "DELETE",
        path: `${base}/environments/${partOf(removal.name)}`,
        to: "delete the environment",
      });
      return;
    case "delete-file":
      rmSync(join(facts.checkout.root, removal.path), { force: true });
  }
}
