import { accountFindings, type OpenAccount, openAccountAtHand } from "./account-key.ts";
import { type Applying, carryOutAll } from "./change.ts";
import { type Finding, moneyFinding, showFindings, timeFinding } from "./check.ts";
import { keysOf } from "./ci-key.ts";
import type { Context } from "./context.ts";
import { type Facts, findSecret, refuseUnread, settingsOf } from "./facts.ts";
import { editChanges } from "./files.ts";
import { GithubError, repositoryPath } from "./gh.ts";
import { findIdentity } from "./identity.ts";
import { type Plan, planOf, type Wishes } from "./plan.ts";
import { decideRegistration, type Registering } from "./registration.ts";
import { findEdits, findRemoved } from "./removed.ts";
import { minutesOf } from "./service.ts";
import { rentSteps } from "./setting-nodes.ts";
import { SetupError, StoppedError } from "./setup-error.ts";
import { type Edit, GPU_WORKFLOW, SECRETS, type Settings } from "./workflows.ts";
import { Yaml } from "./yaml-file.ts";

/** What max-lifetime is where the file does not say. */
const USUAL_LIFETIME = "2h";

/** Whether any file or secret of init's is there: then a start without a command is doctor. */
export function wasHere(facts: Facts): boolean {
  return secretsHere(facts).length > 0 || facts.files.some(({ owner }) => owner === "ours" || owner === "changed");
}

/** The names of init's secrets that are at any of its places. */
function secretsHere({ environments, repositorySecrets }: Facts): string[] {
  const there = [...repositorySecrets, ...environments.flatMap(({ secrets }) => secrets)].map(({ name }) => name);
  return SECRETS.filter((name) => there.includes(name));
}

/** Compares a set-up with what it should be, says what to do, and repairs what it may after a yes. */
export async function doctor(context: Context, facts: Facts): Promise<void> {
  const { full_name, default_branch: defaultBranch } = facts.repository;
  context.screen.head(`The set-up of ${full_name}`);
  const removed = [...findRemoved(facts.workflows, actionName(context, facts)), ...findIdentity(facts.workflows)];
  const edits = editsOf(context, facts);
  if (facts.settings === undefined) return await repairOthers(context, facts, { removed, edits });
  // As the files have it, with today's branch and release.
  const settings = { ...facts.settings, defaultBranch, action: context.action ?? facts.settings.action };
  const opened = await openAccountAtHand(context);
  await using service = opened?.service;
  const keys = service && (await keysOf(service, full_name));
  const history = await examineHistory(context, full_name);
  const account = await examineAccount(opened);
  const commit = context.options.commit ?? "none";
  const planFor = (registration: Wishes["registration"]) =>
    planOf(context, facts, { keys, settings, wishes: { registration, edits, commit } });
  const { findings: found } = planFor("as-it-is");
  const findings = [...account, ...found, ...examineLimits(facts, settings), history, ...removed];
  showFindings(context, findings);
  const { how, token, pem } = await repairRegistration(context, facts, settings);
  const plan = planFor(how);
  if (plan.changes.length === 0 && plan.commit === undefined) return conclude(context, findings);
  await offer(plan, { context, facts, settings, service, given: { token, pem } });
}

/** Where no file says the settings, only workflows of others can be repaired. */
async function repairOthers(
  context: Context,
  facts: Facts,
  { removed, edits }: { removed: readonly Finding[]; edits: readonly Edit[] },
): Promise<void> {
  showFindings(context, removed);
  if (edits.length === 0 || isUnreadStill(facts, edits)) {
    refuseUnread(facts);
    throw noFiles(facts);
  }
  // No change of a file looks at settings.
  const applying = { context, facts, settings: {} as Settings, service: undefined, given: {} };
  await offer({ changes: editChanges(edits), commit: undefined }, applying);
}

/** Shows what is to be done, and does it after a yes. */
async function offer({ changes, commit }: Pick<Plan, "changes" | "commit">, applying: Applying): Promise<void> {
  const { screen, options, note, questions } = applying.context;
  screen.head("What can be repaired here");
  const all = [...changes, ...(commit === undefined ? [] : [commit])];
  for (const { says } of all) for (const line of says) screen.say(`  ${line}`);
  if (options.dryRun) return screen.head("Nothing was changed: this was a dry run.");
  if (!(await questions.yes("Repair it?", true))) throw new StoppedError();
  note.begin();
  await carryOutAll(all, applying);
  if (commit === undefined && changes.some(({ isOfFiles }) => isOfFiles)) screen.say("  Commit and push the files.");
  // A start of init that broke off is still to be gone on with.
  if (note.answers === undefined) note.close();
  screen.head("Repaired. Run doctor again to see that all is well.");
}

/** What workflows lack or have too much, beside those of ours that are written anew. */
function editsOf(context: Context, facts: Facts): Edit[] {
  const anew = facts.files.filter(({ owner }) => owner === "ours" && facts.settings !== undefined);
  const others = facts.workflows.filter(({ path }) => !anew.some((file) => file.path === path));
  return findEdits(others, actionName(context, facts));
}

function isUnreadStill({ unread }: Facts, edits: readonly Edit[]): boolean {
  const edit = edits.find(({ path }) => path === GPU_WORKFLOW);
  return unread !== undefined && (edit === undefined || settingsOf(edit.after).unread !== undefined);
}

function noFiles(facts: Facts): SetupError {
  const [secret, ...others] = secretsHere(facts);
  if (secret === undefined)
    return new SetupError("Init was not here: none of its files is.", "Run this with the word init.");
  const all = others.length > 0 ? `secrets ${[secret, ...others].join(", ")} are` : `secret ${secret} is`;
  const way = `init goes on with ${others.length > 0 ? "them" : "it"}, remove deletes what init made.`;
  return new SetupError(`None of init's workflow files that says its settings is here, and the ${all} there.`, way);
}

function conclude({ screen }: Context, findings: readonly Finding[]): void {
  const bad = findings.filter(({ is }) => is === "bad").length;
  if (bad > 0)
    throw new SetupError(
      `${bad} of ${findings.length} are not as they should be.`,
      "The lines that begin with ✗ say what to do.",
    );
  screen.head("All is as it should be, as far as could be asked.");
  if (findings.some(({ is }) => is === "doubtful")) screen.say("The lines that begin with ! say what is left to do.");
}

async function examineAccount(opened: OpenAccount | undefined): Promise<Finding[]> {
  const says = "not asked, as RENTAL_API_KEY is not set here.";
  if (opened === undefined) return [{ about: "The rental account", is: "unknown", says }];
  return await accountFindings(opened);
}

/** The name of the action's repository, as a workflow may use it from a fork. */
function actionName({ action }: Context, { settings }: Facts): string {
  const { repository } = action ?? settings?.action ?? { repository: "OWNER/ephemeral-gpu-runner" };
  return repository.split("/")[1] ?? "";
}

/** By what the file says now: GitHub shows no job's time to the action. */
function examineLimits({ files }: Facts, { maxCost, maxPrice }: Settings): Finding[] {
  const { text = "" } = files.find(({ path }) => path === GPU_WORKFLOW) ?? {};
  const yaml = new Yaml(text);
  const minutes = Number(yaml.valueAt(["jobs", "test", "timeout-minutes"]));
  if (!(minutes > 0)) return [];
  const [rent] = rentSteps(yaml);
  const said = yaml.valueAt(["with", "max-lifetime"], rent?.step ?? null) ?? USUAL_LIFETIME;
  const lifetime = minutesOf(String(said));
  return [
    moneyFinding({ maxCost, maxPrice, minutes }),
    ...(lifetime === undefined ? [] : [timeFinding({ lifetime, minutes })]),
  ];
}

interface Listed {
  workflow_runs?: { id: number }[];
  jobs?: { id: number; name: string; conclusion: string | null }[];
}

/** What a run itself says of its history; nothing else of its log is shown. */
const SAID =
  /^(?:\S+Z )?(Known: \d+ hosts?, \d+ that have this image, from run \d+ \([\dhms ]+ ago\)|Nothing is known of earlier runs)/m;

/** Repeats what the last run said of its history. Only the run has the key that proves it. */
async function examineHistory(context: Context, repository: string): Promise<Finding> {
  const about = "The history";
  try {
    const said = await lastWords(context, `${repositoryPath(repository)}/actions`);
    if (said === undefined) return { about, is: "unknown", says: "no run has told of one yet." };
    return { about, is: "good", says: `run ${said.run} said: "${said.words}".` };
  } catch (fault) {
    if (!(fault instanceof GithubError)) throw fault;
    return { about, is: "unknown", says: `not asked: ${fault.message}` };
  }
}

async function lastWords({ gh }: Context, actions: string): Promise<{ run: number; words: string } | undefined> {
  const runs = `${actions}/workflows/gpu.yml/runs?status=completed&per_page=1`;
  const listed = await gh.find<Listed>({ path: runs, to: "list the runs" });
  const run = listed?.workflow_runs?.[0]?.id;
  if (run === undefined) return undefined;
  const { jobs = [] } = await gh.ask<Listed>({ path: `${actions}/runs/${run}/jobs?per_page=100`, to: "list the jobs" });
  const rents = jobs.find(({ conclusion, name }) => /^rent\b/.test(name) && conclusion !== "skipped");
  if (rents === undefined) return undefined;
  const log = await gh.askText({ path: `${actions}/jobs/${rents.id}/logs`, to: "show the log of the last run" });
  const words = SAID.exec(log)?.[1];
  return words === undefined ? undefined : { run, words };
}

/** What was given, or what is missing and can be asked for; else it stays. */
async function repairRegistration(context: Context, facts: Facts, settings: Settings): Promise<Registering> {
  const { register } = settings;
  const name = register === "app" ? "APP_PRIVATE_KEY" : "RUNNER_TOKEN";
  const isGiven = context.variable(name) !== undefined;
  const isAsked = findSecret(facts, name) === undefined && context.questions.asks;
  if (!isGiven && !isAsked) return { how: "as-it-is", register };
  return await decideRegistration(context, facts, settings);
}
