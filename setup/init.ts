import { accountFindings, openAccount, refuseWeak } from "./account-key.ts";
import { type Applying, carryOutAll } from "./change.ts";
import { checkAll, refuseBad, showFindings } from "./check.ts";
import { keysOf } from "./ci-key.ts";
import type { Context } from "./context.ts";
import { type Facts, findSecret, refuseUnread } from "./facts.ts";
import { chosenOf, isOnDefaultBranch } from "./files.ts";
import { followNewRun, knownRuns, type RunsOf } from "./follow.ts";
import { partOf, repositoryPath } from "./gh.ts";
import { isKnown } from "./git.ts";
import { findIdentity } from "./identity.ts";
import { type GpuKind, lookAtMarket } from "./market.ts";
import type { Options } from "./options.ts";
import { branchFor, type Plan, planOf, type Wishes } from "./plan.ts";
import { decideRegistration, type Registering } from "./registration.ts";
import type { Service } from "./service.ts";
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
  const { plan, wishes } = await makePlan(context, { facts, service, settings, registering, whyNoCommit });
  showPlan(context, plan, settings);
  if (context.options.dryRun) return screen.head("Nothing was changed: this was a dry run.");
  await confirm(context, plan);
  context.note.begin(answersOf(context.options, settings, wishes, branchFor(wishes.commit, context.options, facts)));
  const given = { token: registering.token, pem: registering.pem };
  const applying: Applying = { context, facts, settings, service, given };
  await carryOutAll(plan.changes, applying);
  await check(applying, kinds);
  await finish(plan, wishes.commit, applying);
}

/** Throws where the repository is not ready. Gives why nothing can be committed on what is checked out, if so. */
async function refuseUnready(context: Context, facts: Facts): Promise<string | undefined> {
  const { checkout, files, repository } = facts;
  if (!(await isKnown(checkout.root, "HEAD")))
    throw new SetupError("The repository has no commit yet.", "Commit something, push it, and run this again.");
  const base = await findBranch(context, facts, repository.default_branch);
  if (base === undefined)
    throw new SetupError(
      `GitHub has no branch ${repository.default_branch} of ${repository.full_name}.`,
      `Push it first: git push -u origin ${repository.default_branch}`,
    );
  const { owner, why = "is not init's own" } = files.find(({ path }) => path === GPU_WORKFLOW) ?? {};
  if (owner === "foreign")
    throw new SetupError(
      `${GPU_WORKFLOW} ${why}, and init writes its workflow there. Nothing was changed.`,
      `Give it another name, and run this again: git mv ${GPU_WORKFLOW} ${GPU_WORKFLOW.replace("gpu.yml", "gpu-own.yml")}`,
    );
  const { branch } = checkout;
  const found = branch === undefined ? undefined : await findBranch(context, facts, branch);
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

async function findBranch({ gh }: Context, { repository }: Facts, name: string) {
  const path = `${repositoryPath(repository.full_name)}/branches/${partOf(name)}`;
  return await gh.find<{ protected?: boolean }>({ path, to: `show the branch ${name}` });
}

/** What another start needs not to ask again. */
function answersOf(options: Options, settings: Settings, { commit }: Wishes, branch: string): Options {
  // What GitHub calls its default branch, and whose action it is, are no answers.
  const { defaultBranch: _, action: _action, environment: _found, pullRequests, ...chosen } = settings;
  const { environment, reviewers } = options;
  return { ...chosen, commit, branch, environment, reviewers, pullRequests: pullRequests ? undefined : false };
}

async function makePlan(
  context: Context,
  is: {
    facts: Facts;
    service: Service;
    settings: Settings;
    registering: Registering;
    whyNoCommit: string | undefined;
  },
): Promise<{ plan: Plan; wishes: Wishes }> {
  const { facts, service, settings, registering, whyNoCommit } = is;
  const { note, questions } = context;
  const keys = await keysOf(service, facts.repository.full_name);
  const commit = await askCommit(context, facts, whyNoCommit);
  const ask = (path: string) => questions.yes(`${path} was changed by hand. Write it anew?`, false);
  const isForeign = keys.length === 0 && findSecret(facts, "RENTAL_API_KEY") !== undefined;
  const foreign = "There is a secret RENTAL_API_KEY that init did not make. Put a new key into it?";
  const wishes: Wishes = {
    registration: registering.how,
    uninstalled: note.apps.find(
      ({ clientId, state }) => state === "kept" && clientId === settings.appClientId && settings.register === "app",
    ),
    replaceable: await chosenOf(facts, ask),
    replacesForeignKey: isForeign && (await questions.yes(foreign, false)),
    commit,
  };
  return { plan: planOf(context, facts, { keys, settings, wishes }), wishes };
}

async function askCommit(
  { options, questions }: Context,
  { checkout }: Facts,
  whyNoCommit: string | undefined,
): Promise<CommitHow> {
  if (options.commit !== undefined) return options.commit;
  return await questions.choose(
    "What should happen to the files?",
    [
      {
        value: "pull-request",
        label: `Open a pull request from a new branch, ${options.branch}`,
        hint: "that starts the first run",
      },
      ...(whyNoCommit === undefined
        ? [{ value: "branch" as const, label: `Commit them on ${checkout.branch}, and push it` }]
        : []),
      { value: "none", label: "Only write them" },
    ],
    "pull-request",
  );
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

async function confirm({ questions }: Context, { changes, commit }: Plan): Promise<void> {
  const isNothing = changes.length === 0 && commit === undefined;
  if (isNothing || (await questions.yes("Do all this?", true))) return;
  throw new StoppedError(
    undefined,
    "Options change what is proposed, such as --max-price 0.50 or --image IMAGE. --help lists them.",
  );
}

async function check({ ciKey, context, facts, settings }: Applying, kinds: readonly GpuKind[]): Promise<void> {
  context.screen.head("The check");
  const findings = [...(await checkAll(context, { settings, kinds, ciKey })), ...findIdentity(facts.workflows)];
  showFindings(context, findings);
  refuseBad(findings);
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
  const runs: RunsOf = { repository, branch, event: isPull ? "pull_request" : "push" };
  const known = await knownRuns(context, runs);
  await carryOutAll([commit], applying);
  note.close();
  if (isPull && !settings.pullRequests)
    return screen.say(
      `  Merge the pull request: the first run starts on ${default_branch}, as pull requests rent nothing.`,
    );
  if (!isPull && branch !== default_branch)
    return screen.say(`  A push to ${branch} starts no run: a pull request or a push to ${default_branch} does.`);
  if (options.follow === false) return screen.say("  It runs without being followed.");
  await followNewRun(context, runs, known);
  if (isPull) screen.say(`  Merge the pull request: the sweeps start on ${default_branch} alone.`);
}

/** Nothing is to be committed: the workflow is started where it lies. GitHub starts it by hand on no other branch. */
async function startRun(context: Context, facts: Facts): Promise<void> {
  const { note, options, questions, gh, screen } = context;
  note.close();
  if (!isOnDefaultBranch(facts))
    return screen.head(
      "Commit the files under .github/workflows, and push them: the next push or pull request starts the first run.",
    );
  if (options.follow === false || !(await questions.yes("Start a run now?", true))) return;
  const { full_name: repository, default_branch: branch } = facts.repository;
  const runs: RunsOf = { repository, branch, event: "workflow_dispatch" };
  const known = await knownRuns(context, runs);
  const path = `${repositoryPath(repository)}/actions/workflows/gpu.yml/dispatches`;
  await gh.ask({ method: "POST", path, body: { ref: branch }, to: "start the workflow" });
  await followNewRun(context, runs, known);
}
