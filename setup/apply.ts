import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeApp, proveApp } from "./app.ts";
import { type Applying, setSecret } from "./applying.ts";
import { makeEnvironment, type WantedEnvironment } from "./environments.ts";
import { GithubError } from "./gh.ts";
import { commitAndPush } from "./git.ts";
import type { Change, Plan } from "./plan.ts";
import { openPullRequest } from "./pull-request.ts";
import { hintOf } from "./service.ts";
import { SetupError, StoppedError, wordsOf } from "./setup-error.ts";
import { WORKFLOW_PATHS, workflowFiles } from "./workflows.ts";

/** Carries out all changes but the commit, in their order. After a fault a second start goes on from there. */
export async function applyPlan(plan: Plan, applying: Applying): Promise<void> {
  const { screen } = applying.context;
  const done: string[] = [];
  for (const change of plan.changes.filter(({ kind }) => kind !== "commit")) {
    if (applying.context.stop.aborted) throw new StoppedError(`Stopped. ${soFar(done)}`);
    try {
      const said = await carryOut(change, applying);
      done.push(said);
      screen.say(`  ✓ ${said}`);
    } catch (fault) {
      const Kind = fault instanceof StoppedError ? StoppedError : SetupError;
      throw new Kind(`${wordsOf(fault)} ${soFar(done)}`, hintOf(fault), fault);
    }
  }
}

/** How things stand after a stop. */
export function soFar(done: readonly string[]): string {
  if (done.length === 0) return "Nothing was changed.";
  return `Done until then: ${done.join("; ")}. Run this again: it goes on from there. remove takes it back.`;
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
      return await setSecret("APP_PRIVATE_KEY", applying.given.pem ?? "", applying);
    case "make-app":
      return await makeApp(applying);
    case "write-file":
      return writeWorkflow(change.file.path, applying);
    case "commit":
      return "";
  }
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

/** Written anew from the settings, as an app's id is known only now. */
function writeWorkflow(path: string, { facts, settings }: Applying): string {
  const file = workflowFiles(settings).find((each) => each.path === path);
  const target = join(facts.checkout.root, path);
  mkdirSync(dirname(target), { recursive: true });
  if (realpathSync(dirname(target)) !== join(realpathSync(facts.checkout.root), dirname(path)))
    throw new SetupError(`${dirname(path)} leads out of this checkout.`, "Put a folder of that name in its place.");
  writeFileSync(target, file?.text ?? "");
  return `${path} is written`;
}

/** Commits and pushes the files; opens the pull request where one is wanted. Gives the branch. */
export async function commitFiles(
  change: Extract<Change, { kind: "commit" }>,
  { context, facts }: Applying,
): Promise<string> {
  const { root } = facts.checkout;
  const ours = facts.files.filter(({ owner }) => owner === "foreign").map(({ path }) => path);
  const paths = WORKFLOW_PATHS.filter((path) => !ours.includes(path));
  const message = "Run GPU tests on rented machines";
  await commitAndPush({ root, paths, message, branch: change.branch, isNew: change.how === "pull-request" });
  context.screen.say(`  ✓ The branch ${change.branch} is pushed`);
  if (change.how === "pull-request") await openPullRequest(context, facts.repository, change.branch);
  return change.branch;
}
