import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { installApp, makeApp, proveApp } from "./app.ts";
import { type Applying, setSecret } from "./applying.ts";
import { makeEnvironment, type WantedEnvironment } from "./environments.ts";
import type { Facts } from "./facts.ts";
import { GithubError, partOf, repositoryPath } from "./gh.ts";
import { commitAndPush } from "./git.ts";
import type { Change, Plan } from "./plan.ts";
import { openPullRequest } from "./pull-request.ts";
import { SetupError, StoppedError, wordsOf } from "./setup-error.ts";
import { type Settings, workflowFiles } from "./workflows.ts";

/** Carries out all changes but the commit, in their order. After a fault a second start goes on from there. */
export async function applyPlan(plan: Plan, applying: Applying): Promise<void> {
  const { screen, note, stop } = applying.context;
  for (const change of plan.changes.filter(({ kind }) => kind !== "commit")) {
    if (stop.aborted) throw new StoppedError();
    const said = await carryOut(change, applying);
    note.add(said);
    screen.say(`  ✓ ${said}`);
  }
}

async function carryOut(change: Exclude<Change, { kind: "commit" }> | Change, applying: Applying): Promise<string> {
  switch (change.kind) {
    case "make-environment":
      return await makeWanted(change.environment, applying);
    case "make-key":
      return await makeKey(change, applying);
    case "set-runner-token":
      return await setSecret("RUNNER_TOKEN", applying.given.token ?? "", applying);
    case "set-app-key":
      await proveApp(applying, { client_id: applying.settings.appClientId ?? "", pem: applying.given.pem ?? "" });
      applying.context.note.proved(applying.settings.appClientId);
      return await setSecret("APP_PRIVATE_KEY", applying.given.pem ?? "", applying);
    case "make-app":
      return await makeApp(applying);
    case "install-app":
      return await installApp(change.app, applying);
    case "write-file":
      // Anew from the settings, as an app's id is known only now.
      return writeInto(applying.facts, change.file.path, textOf(change.file.path, applying.settings));
    case "edit-file":
      return writeInto(applying.facts, change.path, change.after);
    case "enable-workflow":
      await switchWorkflow(applying, change.path, "enable");
      return `${change.path} is enabled`;
    case "commit":
      return "";
  }
}

/** Has GitHub start a workflow, or not; one that GitHub does not know yet is started. */
export async function switchWorkflow(
  { context, facts }: Pick<Applying, "context" | "facts">,
  path: string,
  to: "enable" | "disable",
): Promise<void> {
  const place = `${repositoryPath(facts.repository.full_name)}/actions/workflows/${partOf(basename(path))}/${to}`;
  await context.gh.find({ method: "PUT", path: place, to: `${to} the workflow` });
}

async function makeWanted(wanted: WantedEnvironment, { context, facts }: Applying): Promise<string> {
  try {
    await makeEnvironment(context.gh, facts.repository.full_name, wanted);
    return `The environment ${wanted.name} is there`;
  } catch (fault) {
    if (!(fault instanceof GithubError) || ![403, 404, 422].includes(fault.status ?? 0)) throw fault;
    const way = wanted.hasReviewer
      ? "A plan may have environments without reviewers: --no-pull-requests leaves pull requests without a machine, and --no-reviewers lets whoever may push a branch read the secrets."
      : "A plan may have no environments: with --no-environment the secrets go into the repository, where every workflow of it can read them.";
    throw new SetupError(wordsOf(fault), way, fault);
  }
}

async function makeKey(
  { name, replaces }: { name: string; replaces: readonly number[] },
  applying: Applying,
): Promise<string> {
  const { service } = applying;
  if (service === undefined) throw new SetupError("There is no key of the rental service.", "Set RENTAL_API_KEY.");
  const { id, key } = await service.makeKey(name);
  applying.ciKey = key;
  try {
    await setSecret("RENTAL_API_KEY", key, applying);
  } catch (fault) {
    // Nobody has its secret any more: it is of no use to anybody.
    await service.revokeKey(id);
    throw fault;
  }
  for (const old of replaces) await service.revokeKey(old);
  return `The key "${name}" is made, and the secret RENTAL_API_KEY is set`;
}

function textOf(path: string, settings: Settings): string {
  return workflowFiles(settings).find((each) => each.path === path)?.text ?? "";
}

/** Writes a file of the checkout, and nowhere else. */
export function writeInto({ checkout: { root } }: Pick<Facts, "checkout">, path: string, text: string): string {
  const target = join(root, path);
  const way = `Put a plain folder ${dirname(path)} in its place.`;
  try {
    mkdirSync(dirname(target), { recursive: true });
    if (realpathSync(dirname(target)) !== join(realpathSync(root), dirname(path)))
      throw new SetupError(`${dirname(path)} leads out of this checkout.`, way);
    writeFileSync(target, text);
  } catch (fault) {
    throw fault instanceof SetupError
      ? fault
      : new SetupError(`${path} can't be written: ${wordsOf(fault)}.`, way, fault);
  }
  return `${path} is written`;
}

/** Commits and pushes the files; opens the pull request where one is wanted. Gives the branch. */
export async function commitFiles(
  change: Extract<Change, { kind: "commit" }>,
  { context, facts, settings }: Applying,
): Promise<string> {
  const { root } = facts.checkout;
  const from = change.how === "pull-request" ? facts.repository.default_branch : undefined;
  const message = "Run GPU tests on rented machines";
  await commitAndPush({ root, paths: change.paths, message, branch: change.branch, from });
  context.note.add(`The branch ${change.branch} is pushed`);
  context.screen.say(`  ✓ The branch ${change.branch} is pushed`);
  if (from !== undefined)
    context.screen.say("  You are on that branch now, with whatever is not committed: git switch - goes back.");
  if (change.how === "pull-request") await openPullRequest(context, facts.repository, change.branch, settings);
  return change.branch;
}
