import { type Applying, carryOutAll, isAgreed } from "./change.ts";
import { checkAll } from "./check.ts";
import type { Context } from "./context.ts";
import { type Facts, findBranch, findSecret, refuseUnread } from "./facts.ts";
import { chosenOf, reasonOf } from "./files.ts";
import { refuseBad, showFindings } from "./finding.ts";
import { awaitNewRun } from "./follow.ts";
import { repositoryPath } from "./gh.ts";
import { isKnown } from "./git.ts";
import { accountFindings, keysOf, openAccount, refuseWeak } from "./keys.ts";
import { lookAtMarket } from "./market.ts";
import type { Options } from "./options.ts";
import { branchFor, type Plan, planOf, type Wishes } from "./plan.ts";
import { decideRegistration } from "./registration.ts";
import { findIdentity } from "./removed.ts";
import type { KeyRow } from "./service.ts";
import type { CommitHow } from "./setting-forms.ts";
import { askSettings } from "./settings.ts";
import { SetupError, StoppedError } from "./setup-error.ts";
import { GPU_WORKFLOW, type Settings } from "./workflows.ts";

/** From nothing to a green run: asks, shows all that it would change, and does it after a yes. */
export async function init(context: Context, facts: Facts): Promise<void> {
  const { screen } = context;
  refuseUnread(facts);
  const whyNoCommit = await refuseUnready(context, facts);
  if (context.note.answers !== undefined)
    screen.head("An earlier start broke off. This one goes on, with its answers. Options change them.");
  screen.head(`The rental account (for ${facts.repository.full_name})`);
  const opened = await openAccount(context);
  await using service = opened.service;
  refuseWeak(opened);
  const account = await accountFindings(opened);
  showFindings(context, account);
  refuseBad(account);
  const kinds = await lookAtMarket(service);
  const settings = await askSettings(context, facts, kinds);
  const registering = await decideRegistration(context, facts, settings);
  settings.register = registering.register;
  settings.runnerGroupId = registering.runnerGroupId ?? settings.runnerGroupId;
  const applying: Applying = { context, facts, settings, service, given: registering };
  const keys = await keysOf(service, facts.repository.full_name);
  const wishes = { registration: registering.how, ...(await askWishes(applying, keys, whyNoCommit)) };
  const plan = planOf(context, facts, { keys, settings, wishes });
  showPlan(context, plan, settings);
  const hint = "Options change what is proposed, such as --max-price 0.50 or --image IMAGE. --help lists them.";
  const isNothing = plan.changes.length === 0 && plan.commit === undefined && !context.options.dryRun;
  if (!isNothing && !(await isAgreed(context, "Do all this?", hint))) return;
  context.note.begin(answersOf(context.options, settings, wishes, branchFor(wishes.commit, context.options, facts)));
  await carryOutAll(plan.changes, applying);
  screen.head("The check");
  const checked = await checkAll(context, { settings, kinds, ciKey: applying.ciKey });
  const findings = [...checked, ...findIdentity(facts.workflows)];
  showFindings(context, findings);
  refuseBad(findings);
  await finish(plan, wishes.commit, applying);
}

/** Throws where the repository is not ready. Gives why nothing can be committed on what is checked out, if so. */
async function refuseUnready(context: Context, facts: Facts): Promise<string | undefined> {
  const { checkout, files, repository } = facts;
  if (!(await isKnown(checkout.root, "HEAD")))
    throw new SetupError("The repository has no commit yet.", "Commit something, push it, and run this again.");
  const { default_branch, full_name } = repository;
  if ((await findBranch(context.gh, repository, default_branch)) === undefined)
    throw new SetupError(
      `GitHub has no branch ${default_branch} of ${full_name}.`,
      `Push it first: git push -u origin ${default_branch}`,
    );
  const gpu = files.find(({ path }) => path === GPU_WORKFLOW);
  if (gpu?.owner === "foreign")
    throw new SetupError(
      `${GPU_WORKFLOW} ${reasonOf(gpu)}, and init writes its workflow there. Nothing was changed.`,
      `Give it another name, and run this again: git mv ${GPU_WORKFLOW} ${GPU_WORKFLOW.replace("gpu.yml", "gpu-own.yml")}`,
    );
  const { branch } = checkout;
  const found = branch === undefined ? undefined : await findBranch(context.gh, repository, branch);
  if (branch !== undefined && !found?.protected) return undefined;
  const reason =
    branch === undefined ? "no branch is checked out (a detached HEAD)" : `the branch ${branch} is protected`;
  if (context.options.commit === "branch")
    throw new SetupError(
      `The files can't be committed: ${reason}. Nothing was changed.`,
      "Take --commit pull-request.",
    );
  return reason;
}

/** What another start needs not to ask again. */
function answersOf(options: Options, settings: Settings, { commit }: Wishes, branch: string): Options {
  // What GitHub calls its default branch, and whose action it is, are no answers.
  const { defaultBranch: _, action: _action, environment: _found, pullRequests, ...chosen } = settings;
  const { environment, reviewers } = options;
  return { ...chosen, commit, branch, environment, reviewers, pullRequests: pullRequests ? undefined : false };
}

async function askWishes(
  { context: { note, options, questions }, facts, settings }: Applying,
  keys: readonly KeyRow[],
  whyNoCommit: string | undefined,
): Promise<Omit<Wishes, "registration">> {
  const pull = `Open a pull request from a new branch, ${options.branch}`;
  const here = { value: "branch" as const, label: `Commit them on ${facts.checkout.branch}, and push it` };
  const choices = [
    { value: "pull-request" as const, label: pull, hint: "that starts the first run" },
    ...(whyNoCommit === undefined ? [here] : []),
    { value: "none" as const, label: "Only write them" },
  ];
  const question = "What should happen to the files?";
  const commit = options.commit ?? (await questions.choose<CommitHow>(question, choices, "pull-request"));
  const ask = (path: string) => questions.yes(`${path} was changed by hand. Write it anew?`, false);
  const isForeign = keys.length === 0 && findSecret(facts, "RENTAL_API_KEY") !== undefined;
  const foreign = "There is a secret RENTAL_API_KEY that init did not make. Put a new key into it?";
  return {
    uninstalled: note.apps.find(
      ({ clientId, state }) => state === "kept" && clientId === settings.appClientId && settings.register === "app",
    ),
    replaceable: await chosenOf(facts, ask),
    replacesForeignKey: isForeign && (await questions.yes(foreign, false)),
    commit,
  };
}

/** Prints every change before any is made. */
function showPlan({ screen }: Context, { changes, commit, kept }: Plan, settings: Settings): void {
  const { gpu, maxPrice, maxCost, image, command } = settings;
  screen.head("The GPU job");
  screen.table([
    ["GPU", gpu],
    ["max-price", `${maxPrice} USD an hour`],
    ["max-cost", maxCost === "none" ? "none" : `${maxCost} USD a run`],
    ["image", image],
    ["command", command],
  ]);
  const all = [...changes, ...(commit === undefined ? [] : [commit])];
  screen.head(all.length === 0 ? "There is nothing to do." : "What will be done");
  for (const [index, { says }] of all.entries()) {
    const [first, ...lines] = says;
    screen.say(`  ${index + 1}. ${first}`);
    for (const line of lines) screen.say(line);
  }
  for (const each of kept) screen.say(`  –  Stays: ${each}.`);
}

/** Commits, or starts a run where all is committed, and follows that. */
async function finish({ commit }: Plan, how: CommitHow, applying: Applying): Promise<void> {
  const { context, facts, settings } = applying;
  const { note, options, screen, stop } = context;
  const { full_name: repository, default_branch } = facts.repository;
  if (commit === undefined) return await startRun(context, facts);
  screen.head("The first run");
  if (stop.aborted) throw new StoppedError();
  const isPull = how === "pull-request";
  const branch = branchFor(how, options, facts);
  const follow = await awaitNewRun(context, { repository, branch, event: isPull ? "pull_request" : "push" });
  await carryOutAll([commit], applying);
  note.close();
  if (isPull && !settings.pullRequests)
    return screen.say(
      `  Merge the pull request: the first run starts on ${default_branch}, as pull requests rent nothing.`,
    );
  if (!isPull && branch !== default_branch)
    return screen.say(`  A push to ${branch} starts no run: a pull request or a push to ${default_branch} does.`);
  if (options.follow === false) return screen.say("  It runs without being followed.");
  await follow();
  if (isPull) screen.say(`  Merge the pull request: the sweeps start on ${default_branch} alone.`);
}

/** Nothing is to be committed: the workflow is started where it lies. GitHub starts it by hand on no other branch. */
async function startRun(context: Context, facts: Facts): Promise<void> {
  const { note, options, questions, gh, screen } = context;
  note.close();
  if (!facts.files.some((file) => file.path === GPU_WORKFLOW && file.isOnDefaultBranch))
    return screen.head(
      "Commit the files under .github/workflows, and push them: the next push or pull request starts the first run.",
    );
  if (options.follow === false || !(await questions.yes("Start a run now?", true))) return;
  const { full_name: repository, default_branch: branch } = facts.repository;
  const follow = await awaitNewRun(context, { repository, branch, event: "workflow_dispatch" });
  const path = `${repositoryPath(repository)}/actions/workflows/gpu.yml/dispatches`;
  await gh.ask({ method: "POST", path, body: { ref: branch }, to: "start the workflow" });
  await follow();
}
