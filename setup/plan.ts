import type { Context } from "./context.ts";
import { diffLines } from "./diff.ts";
import {
  absentEnvironment,
  type EnvironmentState,
  lackingBranches,
  queueOf,
  type WantedEnvironment,
} from "./environments.ts";
import { type Facts, findSecret, keyName } from "./facts.ts";
import type { NotedApp } from "./note.ts";
import type { CommitHow } from "./options.ts";
import type { KeyRow } from "./service.ts";
import {
  type Edit,
  environmentsOf,
  type Settings,
  WORKFLOW_PATHS,
  type WorkflowFile,
  workflowFiles,
} from "./workflows.ts";

/** One thing to do, told before it is done. */
export type Change =
  | { kind: "make-environment"; environment: WantedEnvironment }
  /** `replaces`: the key of an earlier start, whose secret nobody has any more. */
  | { kind: "make-key"; name: string; replaces: readonly number[] }
  | { kind: "set-runner-token" }
  | { kind: "make-app" }
  | { kind: "install-app"; app: NotedApp }
  | { kind: "set-app-key" }
  | { kind: "write-file"; file: WorkflowFile; before: string }
  | { kind: "enable-workflow"; path: string }
  | Edit
  | { kind: "commit"; how: Exclude<CommitHow, "none">; branch: string; paths: readonly string[] };

/** Something that stays as it is, and why that matters. */
export type Kept = string;

/** All that is going to be done, in this order. */
export interface Plan {
  changes: Change[];
  kept: Kept[];
}

/** The answers that decide, beside the settings. */
export interface Wishes {
  /** A token for runners was given, or an app is to be made, or the key of one was given. */
  registration: "token" | "new-app" | "app-key" | "as-it-is";
  /** An app of an earlier start that nobody saw installed. */
  uninstalled?: NotedApp | undefined;
  /** Files of ours that somebody changed, and that may be replaced all the same. */
  replaceable: readonly string[];
  /** A secret RENTAL_API_KEY that init did not make is replaced. */
  replacesForeignKey: boolean;
  /** Whether an environment of pull requests is made with a reviewer. */
  reviewers: boolean;
  /** What other files lack, or have too much. */
  edits: readonly Edit[];
  commit: CommitHow;
  branch: string;
}

/** The branch that the files go to. */
export function branchFor(how: CommitHow, { options }: Pick<Context, "options">, { checkout }: Facts): string {
  return how === "branch" ? (checkout.branch ?? options.branch) : options.branch;
}

const WHY_KEPT: Readonly<Record<string, string>> = {
  changed: "was changed by hand",
  foreign: "is not init's own",
};

/** Compares what is there with what should be. Pure: it asks nobody, and changes nothing. */
export function planOf(facts: Facts, keys: readonly KeyRow[], settings: Settings, requirements: Wishes): Plan {
  const plan: Plan = { changes: [], kept: [] };
  planEnvironments(plan, facts, settings, requirements);
  planKey(plan, facts, keys, requirements);
  planRegistration(plan, requirements);
  planFiles(plan, facts, settings, requirements);
  plan.changes.push(...requirements.edits);
  const { commit: how, branch } = requirements;
  const ours = WORKFLOW_PATHS.filter((path) => facts.files.find((file) => file.path === path)?.owner !== "foreign");
  const paths = [...new Set([...ours, ...requirements.edits.map(({ path }) => path)])];
  if (how !== "none" && needsCommit(plan, facts)) plan.changes.push({ kind: "commit", how, branch, paths });
  return plan;
}

function planEnvironments(plan: Plan, facts: Facts, settings: Settings, { reviewers }: Wishes): void {
  const because = facts.hasEnvironments ? "" : ", as its plan has no environments";
  if (settings.environment === undefined)
    plan.kept.push(`the secrets, in the repository${because}: every workflow of it can read them`);
  for (const name of environmentsOf(settings)) {
    const state = facts.environments.find((each) => each.name === name) ?? absentEnvironment(name);
    const isOfPulls = name !== settings.environment;
    const branches = isOfPulls ? undefined : queueOf(facts.repository.default_branch);
    const wanted = { name, exists: state.exists, branches, hasReviewer: isOfPulls && reviewers };
    if (state.exists) keepEnvironment(plan, state, wanted);
    else plan.changes.push({ kind: "make-environment", environment: wanted });
  }
}

/** Rules of one that is there are its owner's: it may be opened to the branch that needs it, and no more. */
function keepEnvironment(plan: Plan, state: EnvironmentState, wanted: WantedEnvironment): void {
  const branches = lackingBranches(state, wanted.branches);
  if (branches.length > 0) plan.changes.push({ kind: "make-environment", environment: { ...wanted, branches } });
  const open = openTo(state);
  plan.kept.push(`the environment ${state.name}${open === undefined ? "" : `: ${open}`}`);
}

/** Who may read the secrets of an environment whose rules keep nobody off; undefined: some are kept off. */
export function openTo({ branches, hasReviewers }: EnvironmentState): string | undefined {
  return branches === undefined && !hasReviewers ? "whoever may push a branch can read its secrets" : undefined;
}

function planKey(plan: Plan, facts: Facts, keys: readonly KeyRow[], requirements: Wishes): void {
  const name = keyName(facts.repository.full_name);
  const there = findSecret(facts, "RENTAL_API_KEY");
  const isOurs = keys.length > 0;
  if (there === undefined || (!isOurs && requirements.replacesForeignKey))
    plan.changes.push({ kind: "make-key", name, replaces: keys.map(({ id }) => id) });
  else
    plan.kept.push(
      isOurs ? "the key for CI and the secret RENTAL_API_KEY" : "the secret RENTAL_API_KEY, which init did not make",
    );
}

function planRegistration(plan: Plan, { registration, uninstalled }: Wishes): void {
  if (registration === "as-it-is" && uninstalled !== undefined)
    return void plan.changes.push({ kind: "install-app", app: uninstalled });
  if (registration === "token") plan.changes.push({ kind: "set-runner-token" });
  if (registration === "new-app") plan.changes.push({ kind: "make-app" });
  if (registration === "app-key") plan.changes.push({ kind: "set-app-key" });
  if (registration === "as-it-is") plan.kept.push("what registers the runners");
}

function planFiles(plan: Plan, facts: Facts, settings: Settings, { replaceable }: Wishes): void {
  for (const file of workflowFiles(settings)) {
    const state = facts.files.find(({ path }) => path === file.path);
    const { text: before = "", owner = "none", why = WHY_KEPT[owner] } = state ?? {};
    const isFree = owner === "none" || owner === "ours" || replaceable.includes(file.path);
    if (before.replaceAll("\r\n", "\n") === file.text) plan.kept.push(file.path);
    else if (isFree) plan.changes.push({ kind: "write-file", file, before });
    else plan.kept.push(`${file.path}, which ${why}`);
    if (facts.disabled.includes(file.path)) plan.changes.push({ kind: "enable-workflow", path: file.path });
  }
}

/** Files that are written now, or lie there since an earlier start and are not on the default branch yet. */
function needsCommit({ changes }: Plan, { files }: Facts): boolean {
  const isOpen = files.some(
    ({ owner, isOnDefaultBranch }) => owner !== "none" && owner !== "foreign" && !isOnDefaultBranch,
  );
  return isOpen || changes.some(({ kind }) => ["write-file", "make-app", "edit-file"].includes(kind));
}

function describeFile(path: string, before: string, after: string): string[] {
  const lines = diffLines(before, after).map((line) => `    ${line}`);
  return [`${before === "" ? "Write" : "Change"} ${path}:`, ...lines];
}

function describeEnvironment({ name, exists, branches, hasReviewer }: WantedEnvironment): string {
  if (exists) return `Let ${branches?.join(" and ")} use the environment ${name}.`;
  if (branches !== undefined) return `Make the environment ${name}, for ${branches.join(" and ")} alone.`;
  return hasReviewer
    ? `Make the environment ${name}, for every branch: each run of a pull request waits for your approval.`
    : `Make the environment ${name}, for every branch: whoever may push one can read its secrets.`;
}

/** A change in words, each with its own lines below. */
export function describeChange(change: Change, place: string): string[] {
  switch (change.kind) {
    case "make-environment":
      return [describeEnvironment(change.environment)];
    case "make-key": {
      const old =
        change.replaces.length > 0 ? ` The key of an earlier start, ${change.replaces.join(", ")}, is revoked.` : "";
      return [`Make the key "${change.name}" at the rental service, and put it into ${place} as RENTAL_API_KEY.${old}`];
    }
    case "set-runner-token":
      return [`Put the token into ${place} as RUNNER_TOKEN.`];
    case "make-app":
      return [`Make a GitHub App (two clicks in the browser), and put its key into ${place} as APP_PRIVATE_KEY.`];
    case "install-app":
      return [`Have the app ${change.app.slug} of an earlier start installed (a click in the browser).`];
    case "set-app-key":
      return [`Put the app's key into ${place} as APP_PRIVATE_KEY.`];
    case "write-file":
      return describeFile(change.file.path, change.before, change.file.text);
    case "edit-file":
      return describeFile(change.path, change.before, change.after);
    case "enable-workflow":
      return [`Enable ${change.path} at GitHub, where it is disabled.`];
    case "commit":
      return [
        change.how === "branch"
          ? `Commit these files, and push the branch ${change.branch}.`
          : `Commit these files to the branch ${change.branch}, push it, and open a pull request.`,
      ];
  }
}
