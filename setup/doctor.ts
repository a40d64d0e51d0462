import { type Applying, carryOutAll, isAgreed } from "./change.ts";
import { moneyFinding, timeFinding } from "./check.ts";
import type { Context } from "./context.ts";
import { type Facts, findSecret, refuseUnread, settingsOf } from "./facts.ts";
import { editChanges } from "./files.ts";
import { type Finding, good, showFindings, unasked } from "./finding.ts";
import { GithubError, repositoryPath } from "./gh.ts";
import { accountFindings, keysOf, openAccountAtHand } from "./keys.ts";
import { type Plan, planOf, type Wishes } from "./plan.ts";
import { decideRegistration, type Registering } from "./registration.ts";
import { findEdits, findIdentity, findRemoved } from "./removed.ts";
import { minutesOf } from "./service.ts";
import { rentSteps } from "./setting-nodes.ts";
import { SetupError } from "./setup-error.ts";
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
  const { repository: action } = context.action ??
    facts.settings?.action ?? { repository: "OWNER/ephemeral-gpu-runner" };
  // As a workflow may use it from a fork.
  const [, name = ""] = action.split("/");
  const removed = [...findRemoved(facts.workflows, name), ...findIdentity(facts.workflows)];
  const edits = editsOf(facts, name);
  if (facts.settings === undefined) {
    showFindings(context, removed);
    refuseUnmade(facts, edits);
    // No change of a file looks at settings.
    const applying = { context, facts, settings: {} as Settings, service: undefined, given: {} };
    return await offer({ changes: editChanges(edits), commit: undefined }, applying);
  }
  // As the files have it, with today's branch and release.
  const settings = { ...facts.settings, defaultBranch, action: context.action ?? facts.settings.action };
  const opened = await openAccountAtHand(context);
  await using service = opened?.service;
  const keys = service && (await keysOf(service, full_name));
  const history = await examineHistory(context, full_name);
  const unread = unasked("The rental account", "not asked, as RENTAL_API_KEY is not set here.");
  const account = opened === undefined ? [unread] : await accountFindings(opened);
  const commit = context.options.commit ?? "none";
  const planFor = (registration: Wishes["registration"]) =>
    planOf(context, facts, { keys, settings, wishes: { registration, edits, commit } });
  const { findings: found } = planFor("as-it-is");
  const findings = [...account, ...found, ...examineLimits(facts, settings), history, ...removed];
  showFindings(context, findings);
  const { how, ...given } = await repairRegistration(context, facts, settings);
  const plan = planFor(how);
  if (plan.changes.length === 0 && plan.commit === undefined) return conclude(context, findings);
  await offer(plan, { context, facts, settings, service, given });
}

/** Throws where no file says the settings, and no workflow of others can be repaired. */
function refuseUnmade(facts: Facts, edits: readonly Edit[]): void {
  const edit = edits.find(({ path }) => path === GPU_WORKFLOW);
  const isUnread = facts.unread !== undefined && (edit === undefined || settingsOf(edit.after).unread !== undefined);
  if (edits.length > 0 && !isUnread) return;
  refuseUnread(facts);
  const [secret, ...others] = secretsHere(facts);
  if (secret === undefined)
    throw new SetupError("Init was not here: none of its files is.", "Run this with the word init.");
  const all = others.length > 0 ? `secrets ${[secret, ...others].join(", ")} are` : `secret ${secret} is`;
  const way = `init goes on with ${others.length > 0 ? "them" : "it"}, remove deletes what init made.`;
  throw new SetupError(`None of init's workflow files that says its settings is here, and the ${all} there.`, way);
}

/** Shows what is to be done, and does it after a yes. */
async function offer({ changes, commit }: Pick<Plan, "changes" | "commit">, applying: Applying): Promise<void> {
  const { context } = applying;
  const { screen, note } = context;
  screen.head("What can be repaired here");
  const all = [...changes, ...(commit === undefined ? [] : [commit])];
  for (const { says } of all) for (const line of says) screen.say(`  ${line}`);
  if (!(await isAgreed(context, "Repair it?"))) return;
  note.begin();
  await carryOutAll(all, applying);
  if (commit === undefined && changes.some(({ isOfFiles }) => isOfFiles)) screen.say("  Commit and push the files.");
  // A start of init that broke off is still to be gone on with.
  if (note.answers === undefined) note.close();
  screen.head("Repaired. Run doctor again to see that all is well.");
}

/** What workflows lack or have too much, beside those of ours that are written anew. */
function editsOf({ files, settings, workflows }: Facts, name: string): Edit[] {
  const anew = files.filter(({ owner }) => owner === "ours" && settings !== undefined);
  return findEdits(
    workflows.filter(({ path }) => !anew.some((file) => file.path === path)),
    name,
  );
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

/** By what the file says now: GitHub shows no job's time to the action. */
function examineLimits({ files }: Facts, settings: Settings): Finding[] {
  const { text = "" } = files.find(({ path }) => path === GPU_WORKFLOW) ?? {};
  const yaml = new Yaml(text);
  const minutes = Number(yaml.valueAt(["jobs", "test", "timeout-minutes"]));
  if (!(minutes > 0)) return [];
  const [rent] = rentSteps(yaml);
  const said = yaml.valueAt(["with", "max-lifetime"], rent?.step ?? null) ?? USUAL_LIFETIME;
  const lifetime = minutesOf(String(said));
  return [moneyFinding(settings, minutes), ...(lifetime === undefined ? [] : [timeFinding({ lifetime, minutes })])];
}

/** What a run itself says of its history; nothing else of its log is shown. */
const SAID =
  /^(?:\S+Z )?(Known: \d+ hosts?, \d+ that have this image, from run \d+ \([\dhms ]+ ago\)|Nothing is known of earlier runs)/m;

/** Repeats what the last run said of its history. Only the run has the key that proves it. */
async function examineHistory({ gh }: Context, repository: string): Promise<Finding> {
  const about = "The history";
  const actions = `${repositoryPath(repository)}/actions`;
  const runs = `${actions}/workflows/gpu.yml/runs?status=completed&per_page=1`;
  try {
    const listed = await gh.find<{ workflow_runs: { id: number }[] }>({ path: runs, to: "list the runs" });
    const run = listed?.workflow_runs[0]?.id;
    const words = run === undefined ? undefined : await lastWords(gh, actions, run);
    return words === undefined
      ? unasked(about, "no run has told of one yet.")
      : good(about, `run ${run} said: "${words}".`);
  } catch (fault) {
    if (!(fault instanceof GithubError)) throw fault;
    return unasked(about, `not asked: ${fault.message}`);
  }
}

async function lastWords(gh: Context["gh"], actions: string, run: number): Promise<string | undefined> {
  const request = { path: `${actions}/runs/${run}/jobs?per_page=100`, to: "list the jobs" };
  const { jobs } = await gh.ask<{ jobs: { id: number; name: string; conclusion: string | null }[] }>(request);
  const rents = jobs.find(({ conclusion, name }) => /^rent\b/.test(name) && conclusion !== "skipped");
  if (rents === undefined) return undefined;
  const log = await gh.askText({ path: `${actions}/jobs/${rents.id}/logs`, to: "show the log of the last run" });
  return SAID.exec(log)?.[1];
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
