import { introduceAccount, type OpenAccount, openAccount } from "./account-key.ts";
import { ignoreRule } from "./actionlint.ts";
import { applyPlan, commitFiles } from "./apply.ts";
import type { Applying } from "./applying.ts";
import { checkAll, refuseBad, showFindings } from "./check.ts";
import type { Context } from "./context.ts";
import { type Facts, findSecret, keysOf, refuseUnread } from "./facts.ts";
import { followNewRun, knownRuns, type RunsOf } from "./follow.ts";
import { repositoryPath } from "./gh.ts";
import { findIdentity } from "./identity.ts";
import { type GpuKind, lookAtMarket } from "./market.ts";
import type { Answers } from "./note.ts";
import type { CommitHow, Options } from "./options.ts";
import { branchFor, type Change, describeChange, type Plan, planOf, type Wishes } from "./plan.ts";
import { refuseUnready } from "./ready.ts";
import { decideRegistration, type Registering } from "./registration.ts";
import { askSettings } from "./settings.ts";
import { StoppedError } from "./setup-error.ts";
import { environmentsOf, GPU_WORKFLOW, type Settings } from "./workflows.ts";

/** From nothing to a green run: asks, shows all that it would change, and does it after a yes. */
export async function init(context: Context, facts: Facts): Promise<void> {
  const { screen } = context;
  refuseUnread(facts);
  const whyNoCommit = await refuseUnready(context, facts);
  if (context.note.answers !== undefined)
    screen.head("An earlier start broke off. This one goes on, with its answers. Options change them.");
  screen.head(`The rental account (for ${facts.repository.full_name})`);
  const opened = await openAccount(context);
  await using _service = opened.service;
  await introduceAccount(context, opened);
  const kinds = await lookAtMarket(opened.service);
  const settings = await askSettings(context, facts, kinds);
  const registering = await decideRegistration(context, facts, settings);
  settings.register = registering.register;
  settings.runnerGroupId = registering.runnerGroupId ?? settings.runnerGroupId;
  const { plan, wishes } = await makePlan(context, { facts, opened, settings, registering, whyNoCommit });
  showPlan(context, plan, settings);
  if (context.options.dryRun) return screen.head("Nothing was changed: this was a dry run.");
  await confirm(context, plan);
  context.note.begin(answersOf(context.options, settings, wishes));
  const applying = applyingOf(context, { facts, opened, settings, registering });
  await applyPlan(plan, applying);
  await checkAndRun(plan, applying, kinds);
}

interface Decided {
  facts: Facts;
  opened: OpenAccount;
  settings: Settings;
  registering: Registering;
}

function applyingOf(context: Context, { facts, opened, settings, registering }: Decided): Applying {
  return {
    context,
    facts,
    settings,
    service: opened.service,
    given: { token: registering.token, pem: registering.pem },
  };
}

/** What another start needs not to ask again. */
function answersOf(options: Options, settings: Settings, { commit, branch }: Wishes): Answers {
  // What GitHub calls its default branch, and whose action it is, are no answers.
  const { command: run, defaultBranch: _, action: _action, environment: _found, pullRequests, ...chosen } = settings;
  const { environment, reviewers } = options;
  return { ...chosen, run, commit, branch, environment, reviewers, pullRequests: pullRequests ? undefined : false };
}

async function makePlan(
  context: Context,
  { facts, opened, settings, registering, whyNoCommit }: Decided & { whyNoCommit: string | undefined },
): Promise<{ plan: Plan; wishes: Wishes }> {
  const keys = await keysOf(opened.service, facts.repository.full_name);
  const commit = await askCommit(context, facts, whyNoCommit);
  const wishes: Wishes = {
    registration: registering.how,
    uninstalled: context.note.apps.find(
      ({ clientId, state }) => state === "kept" && clientId === settings.appClientId && settings.register === "app",
    ),
    replaceable: await askReplaceable(context, facts),
    replacesForeignKey: keys.length === 0 && (await askForeignKey(context, facts)),
    reviewers: context.options.reviewers,
    edits: ignoreRule(facts),
    commit,
    branch: branchFor(commit, context, facts),
  };
  return { plan: planOf(facts, keys, settings, wishes), wishes };
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

/** Files of ours that somebody changed: each is asked for. Another's file is never touched. */
async function askReplaceable({ questions }: Context, { files }: Facts): Promise<string[]> {
  const replaceable: string[] = [];
  for (const { path, owner } of files)
    if (owner === "changed" && (await questions.yes(`${path} was changed by hand. Write it anew?`, false)))
      replaceable.push(path);
  return replaceable;
}

async function askForeignKey({ questions }: Context, facts: Facts): Promise<boolean> {
  if (findSecret(facts, "RENTAL_API_KEY") === undefined) return false;
  return await questions.yes("There is a secret RENTAL_API_KEY that init did not make. Put a new key into it?", false);
}

/** Prints every change before any is made. */
export function showPlan({ screen }: Context, { changes, kept }: Plan, settings: Settings): void {
  const { gpu, maxPrice, maxCost, image, command } = settings;
  screen.head("The GPU job");
  screen.table([
    ["GPU", gpu],
    ["max-price", `${maxPrice} USD an hour`],
    ["max-cost", maxCost === "none" ? "none" : `${maxCost} USD a run`],
    ["image", image],
    ["command", command],
  ]);
  screen.head(changes.length === 0 ? "There is nothing to do." : "What will be done");
  const place = placeOf(settings);
  for (const [index, change] of changes.entries()) {
    const [first, ...lines] = describeChange(change, place);
    screen.say(`  ${index + 1}. ${first}`);
    for (const line of lines) screen.say(line);
  }
  for (const each of kept) screen.say(`  –  Stays: ${each}.`);
}

function placeOf(settings: Settings): string {
  const environments = environmentsOf(settings);
  if (environments.length === 0) return "the repository's secrets";
  return `the environment${environments.length > 1 ? "s" : ""} ${environments.join(" and ")}`;
}

async function confirm({ questions }: Context, { changes }: Plan): Promise<void> {
  if (changes.length === 0 || (await questions.yes("Do all this?", true))) return;
  throw new StoppedError(
    undefined,
    "Options change what is proposed, such as --max-price 0.50 or --image IMAGE. --help lists them.",
  );
}

async function checkAndRun(plan: Plan, applying: Applying, kinds: readonly GpuKind[]): Promise<void> {
  const { context, settings, ciKey } = applying;
  context.screen.head("The check");
  const findings = [
    ...(await checkAll(context, { settings, kinds, ciKey })),
    ...findIdentity(applying.facts.workflows),
  ];
  showFindings(context, findings);
  refuseBad(findings);
  const commit = plan.changes.find((change): change is Extract<Change, { kind: "commit" }> => change.kind === "commit");
  if (commit !== undefined) return await commitAndFollow(commit, applying);
  context.note.close();
  if (isOnDefaultBranch(applying)) return await startRun(applying);
  context.screen.head(
    "Commit the files under .github/workflows, and push them: the next push or pull request starts the first run.",
  );
}

async function commitAndFollow(commit: Extract<Change, { kind: "commit" }>, applying: Applying): Promise<void> {
  const { context, facts } = applying;
  const { full_name: repository, default_branch } = facts.repository;
  context.screen.head("The first run");
  if (context.stop.aborted) throw new StoppedError();
  const isPull = commit.how === "pull-request";
  const runs: RunsOf = { repository, branch: commit.branch, event: isPull ? "pull_request" : "push" };
  const known = await knownRuns(context, runs);
  await commitFiles(commit, applying);
  context.note.close();
  if (isPull && !applying.settings.pullRequests)
    return context.screen.say(
      `  Merge the pull request: the first run starts on ${default_branch}, as pull requests rent nothing.`,
    );
  if (!isPull && commit.branch !== default_branch)
    return context.screen.say(
      `  A push to ${commit.branch} starts no run: a pull request or a push to ${default_branch} does.`,
    );
  if (!context.options.follow) return context.screen.say("  It runs without being followed.");
  await followNewRun(context, runs, known);
  if (isPull) context.screen.say(`  Merge the pull request: the sweeps start on ${default_branch} alone.`);
}

function isOnDefaultBranch({ facts }: Applying): boolean {
  return facts.files.some(({ path, isOnDefaultBranch }) => path === GPU_WORKFLOW && isOnDefaultBranch);
}

/** Nothing is to be committed: the workflow is started where it lies. GitHub starts it by hand on no other branch. */
async function startRun({ context, facts }: Applying): Promise<void> {
  const { options, questions, gh } = context;
  if (!options.follow || !(await questions.yes("Start a run now?", true))) return;
  const { full_name: repository, default_branch: branch } = facts.repository;
  const runs: RunsOf = { repository, branch, event: "workflow_dispatch" };
  const known = await knownRuns(context, runs);
  const path = `${repositoryPath(repository)}/actions/workflows/gpu.yml/dispatches`;
  await gh.ask({ method: "POST", path, body: { ref: branch }, to: "start the workflow" });
  await followNewRun(context, runs, known);
}
