import { type OpenAccount, openAccountAtHand } from "./account-key.ts";
import { ignoreRule } from "./actionlint.ts";
import { applyPlan, commitFiles, writeInto } from "./apply.ts";
import type { Applying } from "./applying.ts";
import { type Finding, moneyFinding, showFindings, timeFinding } from "./check.ts";
import type { Context } from "./context.ts";
import { lackingBranches, queueOf } from "./environments.ts";
import { type Facts, findSecret, keysOf, refuseUnread, settingsOf } from "./facts.ts";
import { examineHistory } from "./history.ts";
import { findIdentity } from "./identity.ts";
import { branchFor, type Change, describeChange, openTo, type Plan, planOf, type Wishes } from "./plan.ts";
import { decideRegistration, type Registering } from "./registration.ts";
import { findEdits, findRemoved } from "./removed.ts";
import { CI_PERMISSIONS, type KeyRow, minutesOf } from "./service.ts";
import { rentSteps } from "./setting-nodes.ts";
import { SetupError, StoppedError } from "./setup-error.ts";
import { type Edit, environmentsOf, GPU_WORKFLOW, SECRETS, type Settings, workflowFiles } from "./workflows.ts";
import { Yaml } from "./yaml-file.ts";

/** A token made for 90 days is told some days before. */
const TOKEN_DAYS = 90;
const WARNED_DAYS = 80;
const DAY_MS = 86_400_000;
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

/** Compares a set-up with what it should be, says what to do, and mends what it may after a yes. */
export async function doctor(context: Context, facts: Facts): Promise<void> {
  context.screen.head(`The set-up of ${facts.repository.full_name}`);
  const removed = [...findRemoved(facts.workflows, actionName(context, facts)), ...findIdentity(facts.workflows)];
  if (facts.settings === undefined) {
    showFindings(context, removed);
    const edits = editsOf(context, facts);
    if (edits.length === 0 || isUnreadStill(facts, edits)) {
      refuseUnread(facts);
      throw noFiles(facts);
    }
    return await offer(context, edits, async () => writeEdits(context, facts, edits));
  }
  const settings = currentSettings(context, facts, facts.settings);
  const opened = await openAccountAtHand(context);
  await using _service = opened?.service;
  const keys = opened && (await keysOf(opened.service, facts.repository.full_name));
  const history = await examineHistory(context.gh, facts.repository.full_name);
  const findings = [...(await examine(facts, settings, { opened, keys })), history, ...removed];
  showFindings(context, findings);
  const plan = await planMending(context, facts, settings, keys);
  if (plan.changes.length === 0) return conclude(context, findings);
  await offer(context, plan.changes, () => mend(context, plan, { facts, settings, opened }));
}

/** Shows what is to be done, and does it after a yes. */
async function offer(context: Context, changes: readonly Change[], carryOut: () => Promise<void>): Promise<void> {
  const { screen, options, note, questions } = context;
  screen.head("What can be repaired here");
  for (const change of changes) for (const line of describeChange(change, "the secrets")) screen.say(`  ${line}`);
  if (options.dryRun) return screen.head("Nothing was changed: this was a dry run.");
  if (!(await questions.yes("Repair it?", true))) throw new StoppedError();
  note.begin();
  await carryOut();
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

function writeEdits({ note, screen }: Context, facts: Facts, edits: readonly Edit[]): void {
  for (const { path, after } of edits) {
    const said = writeInto(facts, path, after);
    note.add(said);
    screen.say(`  ✓ ${said}`);
  }
  screen.say("  Commit and push the files.");
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

/** As the files have it, with today's branch and release. */
function currentSettings({ action }: Context, { repository }: Facts, settings: Settings): Settings {
  return { ...settings, defaultBranch: repository.default_branch, action: action ?? settings.action };
}

interface Known {
  opened: OpenAccount | undefined;
  keys: readonly KeyRow[] | undefined;
}

async function examine(facts: Facts, settings: Settings, { opened, keys }: Known): Promise<Finding[]> {
  return [
    ...(await examineAccount(opened)),
    examineKey(keys, facts),
    ...examineEnvironments(facts, settings),
    ...examineSecrets(facts, settings),
    ...examineFiles(facts, settings),
    ...examineLimits(facts, settings),
  ];
}

async function examineAccount(opened: OpenAccount | undefined): Promise<Finding[]> {
  const about = "The rental account";
  if (opened === undefined) return [{ about, is: "unknown", says: "not asked, as RENTAL_API_KEY is not set here." }];
  const { credit, isEmailVerified } = opened.account;
  const findings: Finding[] = [];
  const has = `it has ${credit?.toFixed(2) ?? "an unknown number of"} USD`;
  if (credit !== undefined && credit < 1)
    findings.push({ about, is: "bad", says: `${has}. Add some: nothing is rented below that for long.` });
  else findings.push({ about, is: "good", says: `${has}.` });
  if (isEmailVerified === false)
    findings.push({
      about,
      is: "bad",
      says: "its e-mail address is not verified. Follow the link that the service sent.",
    });
  const variables = (await opened.service.variables()) ?? [];
  if (variables.length > 0)
    findings.push({ about, is: "doubtful", says: `it gives ${variables.join(", ")} to every machine. Delete them.` });
  return findings;
}

function examineKey(keys: readonly KeyRow[] | undefined, facts: Facts): Finding {
  const about = "The key for CI";
  if (keys === undefined) return { about, is: "unknown", says: "not asked." };
  const [key] = keys;
  if (key === undefined) {
    const hasSecret = findSecret(facts, "RENTAL_API_KEY") !== undefined;
    const says = hasSecret
      ? "none of init's is on the account; the secret holds another one, or a revoked one."
      : "there is none.";
    return { about, is: hasSecret ? "doubtful" : "bad", says };
  }
  const may = key.permissions;
  if (may === undefined) return { about, is: "good", says: `it is there (${key.id}).` };
  const lacks = CI_PERMISSIONS.filter((each) => !may.includes(each));
  const extra = may.filter((each) => !(CI_PERMISSIONS as readonly string[]).includes(each));
  if (lacks.length > 0) return { about, is: "bad", says: `it lacks ${lacks.join(", ")}. Run remove, then init.` };
  if (extra.length > 0)
    return { about, is: "bad", says: `it may do more than it should: ${extra.join(", ")}. Run remove, then init.` };
  return { about, is: "good", says: `it is there (${key.id}), with the rights that it needs and no more.` };
}

function examineSecrets(facts: Facts, settings: Settings): Finding[] {
  const wanted = ["RENTAL_API_KEY", settings.register === "app" ? "APP_PRIVATE_KEY" : "RUNNER_TOKEN"];
  return wanted.map((name): Finding => {
    const about = `The secret ${name}`;
    const secret = findSecret(facts, name);
    if (secret === undefined)
      return { about, is: "bad", says: `it is not in ${placesWithout(facts, settings, name)}.` };
    if (settings.environment === undefined && !facts.repositorySecrets.includes(secret))
      return {
        about,
        is: "bad",
        says: `it is in the environment ${facts.environments[0]?.name}, which the files don't name.`,
      };
    return name === "RUNNER_TOKEN" ? examineAge(about, secret.updated_at) : { about, is: "good", says: "it is there." };
  });
}

function placesWithout({ environments }: Facts, { environment }: Settings, name: string): string {
  if (environment === undefined) return "the repository";
  const without = environments.filter(({ secrets }) => !secrets.some((secret) => secret.name === name));
  return without.map((each) => each.name).join(" and ");
}

/** Whether each is there, for the runs that need it, and who may read it. */
function examineEnvironments({ environments, repository }: Facts, settings: Settings): Finding[] {
  return environmentsOf(settings).map((name): Finding => {
    const about = `The environment ${name}`;
    const state = environments.find((each) => each.name === name);
    if (state?.exists !== true) return { about, is: "bad", says: "it is not there." };
    const isOfPulls = name !== settings.environment;
    const lacks = isOfPulls ? [] : lackingBranches(state, queueOf(repository.default_branch));
    if (lacks.length > 0) return { about, is: "bad", says: `${lacks.join(" and ")} may not use it.` };
    const open = openTo(state);
    if (open === undefined) return { about, is: "good", says: "not everybody who may push a branch can read it." };
    const way = isOfPulls ? "Give it a reviewer" : `Limit it to ${repository.default_branch} and its merge queue`;
    return { about, is: "doubtful", says: `${open}. ${way} (Settings, Environments).` };
  });
}

/** GitHub does not show when a token ends, only when its secret was set. */
function examineAge(about: string, updatedAt: string | undefined): Finding {
  const days = updatedAt === undefined ? 0 : Math.floor((Date.now() - Date.parse(updatedAt)) / DAY_MS);
  if (days < WARNED_DAYS)
    return { about, is: "good", says: days === 0 ? "it was set today." : `it was set ${days} days ago.` };
  const says = `it was set ${days} days ago: a token made for ${TOKEN_DAYS} days ends, or has ended. Make a new one, and run this with RUNNER_TOKEN.`;
  return { about, is: "doubtful", says };
}

function examineFiles(facts: Facts, settings: Settings): Finding[] {
  const wanted = workflowFiles(settings);
  return facts.files.map(({ path, text = "", owner, why = "is not init's own", isOnDefaultBranch }): Finding => {
    const says = { none: "it is not there.", foreign: `it ${why}, and stays as it is.` }[owner as string];
    if (says !== undefined) return { about: path, is: "bad", says };
    if (owner === "changed")
      return { about: path, is: "doubtful", says: "it was changed by hand, and stays as it is." };
    if (text.replaceAll("\r\n", "\n") !== wanted.find((file) => file.path === path)?.text)
      return { about: path, is: "bad", says: "it is of an older version, or for another branch." };
    const branch = facts.repository.default_branch;
    if (facts.disabled.includes(path)) return { about: path, is: "bad", says: "it is disabled at GitHub." };
    if (!isOnDefaultBranch)
      return { about: path, is: "doubtful", says: `it is not on ${branch} yet, as far as was last fetched: merge it.` };
    return { about: path, is: "good", says: "it is as it should be." };
  });
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

interface Mending extends Plan {
  registering: Registering;
}

async function planMending(
  context: Context,
  facts: Facts,
  settings: Settings,
  keys: readonly KeyRow[] | undefined,
): Promise<Mending> {
  const registering = await mendRegistration(context, facts, settings);
  const commit = context.options.commit ?? "none";
  const requirements: Wishes = {
    registration: registering.how,
    replaceable: [],
    replacesForeignKey: false,
    reviewers: context.options.reviewers,
    edits: [...editsOf(context, facts), ...ignoreRule(facts)],
    commit,
    branch: branchFor(commit, context, facts),
  };
  const plan = planOf(facts, keys ?? [], settings, requirements);
  // Without the account's key none can be made for CI.
  const changes = keys === undefined ? plan.changes.filter(({ kind }) => kind !== "make-key") : plan.changes;
  return { ...plan, changes, registering };
}

/** What was given, or what is missing and can be asked for; else it stays. */
async function mendRegistration(context: Context, facts: Facts, settings: Settings): Promise<Registering> {
  const { register } = settings;
  const name = register === "app" ? "APP_PRIVATE_KEY" : "RUNNER_TOKEN";
  const isGiven = context.variable(name) !== undefined;
  const isAsked = findSecret(facts, name) === undefined && context.questions.asks;
  if (!isGiven && !isAsked) return { how: "as-it-is", register };
  return await decideRegistration(context, facts, settings);
}

async function mend(
  context: Context,
  { changes, registering, kept }: Mending,
  { facts, settings, opened }: { facts: Facts; settings: Settings; opened: OpenAccount | undefined },
): Promise<void> {
  const given = { token: registering.token, pem: registering.pem };
  const applying: Applying = { context, facts, settings, service: opened?.service, given };
  await applyPlan({ changes, kept }, applying);
  const commit = changes.find((change): change is Extract<Change, { kind: "commit" }> => change.kind === "commit");
  if (commit !== undefined) await commitFiles(commit, applying);
  else if (changes.some(({ kind }) => kind === "write-file" || kind === "edit-file"))
    context.screen.say("  Commit and push the files.");
}
