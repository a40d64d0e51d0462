import { appPage } from "./app.ts";
import { appName } from "./app-page.ts";
import { type Change, carryOutAll, isAgreed, type Removing, told } from "./change.ts";
import type { Context } from "./context.ts";
import { secretRemovals } from "./environment-part.ts";
import { type Facts, findBranch, refuseUnread } from "./facts.ts";
import { chosenOf, disables, fileRemovals, reasonOf } from "./files.ts";
import { CONSOLE, keyName, keyRemovals, keysOf, openAccount } from "./keys.ts";
import { findPullRequest } from "./pull-request.ts";
import type { KeyRow } from "./service.ts";
import { SECRETS } from "./workflows.ts";

/** Takes back what init made, after a yes: files first, so that no run starts without its secrets. */
export async function remove(context: Context, facts: Facts): Promise<void> {
  const { screen, questions } = context;
  refuseUnread(facts);
  screen.head(`What init made in ${facts.repository.full_name}`);
  const opened = await openAccount(context);
  await using service = opened.service;
  const keys = await keysOf(service, facts.repository.full_name);
  const ask = (path: string) => questions.yes(`${path} was changed by hand. Delete it?`, false);
  const files = fileRemovals(facts, await chosenOf(facts, ask));
  const isOurs = facts.settings !== undefined || keys.length > 0;
  const secrets = [...keyRemovals(keys), ...(isOurs ? secretRemovals(facts) : [])];
  const removals = [...files, ...secrets];
  if (removals.length === 0) screen.say("  Nothing of it is there.");
  for (const { says } of removals) screen.say(`  ${says.join(" ")}`);
  tellWhatStays(context, facts, keys);
  await tellApps(context, facts);
  await tellBranch(context, facts);
  if (removals.length === 0) return;
  if (secrets.length > 0) removals.unshift(...(await askDisabled(context, facts)));
  if (!(await isAgreed(context, "Take all this back?"))) return;
  await takeBack(removals, { context, facts, service });
  context.note.close();
  if (files.length > 0) screen.head("Commit the deletion of the files, and push it.");
}

async function takeBack(removals: readonly Change<Removing>[], by: Removing): Promise<void> {
  const done: string[] = [];
  try {
    await carryOutAll(removals, by, (each) => done.push(each));
  } catch (fault) {
    const all = `Taken back until then: ${done.join("; ")}. Run remove again.`;
    throw told(fault, done.length === 0 ? undefined : all);
  }
}

/** A workflow that stays on the default branch goes on without its keys: it is red at each push, unless it is disabled. */
async function askDisabled({ questions, screen }: Context, { disabled, repository, workflows }: Facts) {
  const staying = workflows.filter(
    ({ path, text = "", isOnDefaultBranch }) =>
      isOnDefaultBranch && !disabled.includes(path) && SECRETS.some((name) => text.includes(`secrets.${name}`)),
  );
  if (staying.length === 0) return [];
  screen.say(
    `  Without their keys these are red at each start, until they are gone from ${repository.default_branch}:`,
  );
  for (const { path } of staying) screen.say(`    ${path}`);
  if (!(await questions.yes("Disable them at GitHub first? init and doctor enable their own again", true))) return [];
  return staying.map(({ path }) => disables(path));
}

/** Only a person can delete an app: each that was ever asked for, and the one that has the repository's name. */
async function tellApps(context: Context, { repository, settings }: Facts): Promise<void> {
  const { gh, note, places, screen } = context;
  const slug = appName(repository);
  const isThere = await gh.find({ path: `apps/${slug}`, to: "show the app" });
  const slugs = [...new Set([...note.apps.map((app) => app.slug), ...(isThere ? [slug] : [])])];
  const tell = (which: string, page: string) =>
    screen.say(`  The app ${which} can be deleted on its own page alone: ${page}`);
  for (const each of slugs) tell(`${each}, if it is there,`, appPage(context, repository, each));
  if (slugs.length === 0 && settings?.register === "app")
    tell(settings.appClientId ?? "", `${places.web}/settings/apps, Advanced.`);
}

/** What brings the files back when somebody merges it. */
async function tellBranch(context: Context, { repository }: Facts): Promise<void> {
  const { gh, options, screen } = context;
  const { branch } = options;
  const pull = await findPullRequest(context, repository, branch);
  if (pull !== undefined) screen.say(`  Its pull request is open. Close it: ${pull.html_url}`);
  if ((await findBranch(gh, repository, branch)) !== undefined)
    screen.say(`  Its branch is at GitHub. Delete it: git push origin --delete ${branch}`);
}

/** What no program may take back, and where a person does. */
function tellWhatStays({ screen, places }: Context, { files, repository, settings }: Facts, keys: readonly KeyRow[]) {
  if (settings !== undefined && keys.length === 0)
    screen.say(
      `  The account shows no key "${keyName(repository.full_name)}". If you see one on its own page, delete it there: ${CONSOLE}/manage-keys/`,
    );
  if (settings?.register === "token")
    screen.say(`  The token can be deleted by you alone: ${places.web}/settings/personal-access-tokens`);
  for (const file of files.filter(({ owner }) => owner === "foreign"))
    screen.say(`  ${file.path} ${reasonOf(file)}, and stays.`);
}
