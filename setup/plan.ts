import { ignoreRule } from "./actionlint.ts";
import { installs, makesApp, setsAppKey } from "./app.ts";
import { type Change, joined, type Part, placeOf, setSecret } from "./change.ts";
import type { Finding } from "./check.ts";
import { keyPart } from "./ci-key.ts";
import type { Context } from "./context.ts";
import { environmentsPart } from "./environment-part.ts";
import { type Facts, findSecret } from "./facts.ts";
import { editChanges, filesPart, isUncommitted } from "./files.ts";
import { commitAndPush } from "./git.ts";
import type { NotedApp } from "./note.ts";
import { openPullRequest } from "./pull-request.ts";
import type { KeyRow } from "./service.ts";
import type { CommitHow } from "./setting-forms.ts";
import { type Edit, type Settings, WORKFLOW_PATHS } from "./workflows.ts";

/** All that is going to be done, in this order. */
export interface Plan {
  findings: readonly Finding[];
  changes: readonly Change[];
  kept: readonly string[];
  /** After all changes. */
  commit: Change | undefined;
}

/** The answers that decide, beside the settings. */
export interface Wishes {
  /** A token for runners was given, or an app is to be made, or the key of one was given. */
  registration: "token" | "new-app" | "app-key" | "as-it-is";
  /** An app of an earlier start that nobody saw installed. */
  uninstalled?: NotedApp | undefined;
  /** Files of ours that somebody changed, and that may be replaced all the same. */
  replaceable?: readonly string[];
  /** A secret RENTAL_API_KEY that init did not make is replaced. */
  replacesForeignKey?: boolean;
  /** What other files lack, or have too much. */
  edits?: readonly Edit[];
  commit: CommitHow;
}

/** Compares what is there with what should be. It asks nobody, and changes nothing. `keys` undefined: not asked. */
export function planOf(
  { options }: Pick<Context, "options">,
  facts: Facts,
  { keys, settings, wishes }: { keys: readonly KeyRow[] | undefined; settings: Settings; wishes: Wishes },
): Plan {
  const {
    findings,
    changes: made,
    kept,
  } = joined([
    environmentsPart(facts, settings, options.reviewers !== false),
    keyPart(facts, settings, keys, wishes.replacesForeignKey === true),
    registrationPart(facts, settings, wishes),
    filesPart(facts, settings, wishes.replaceable),
  ]);
  const edits = [...(wishes.edits ?? []), ...ignoreRule(facts)];
  const changes = [...made, ...editChanges(edits)];
  const { commit: how } = wishes;
  const ours = WORKFLOW_PATHS.filter((path) => facts.files.find((file) => file.path === path)?.owner !== "foreign");
  const paths = [...new Set([...ours, ...edits.map(({ path }) => path)])];
  const isNeeded = isUncommitted(facts) || changes.some(({ isOfFiles }) => isOfFiles);
  return {
    ...{ findings, changes, kept },
    commit: how !== "none" && isNeeded ? commits(how, branchFor(how, options, facts), paths) : undefined,
  };
}

/** The branch that the files go to. */
export function branchFor(how: CommitHow, options: Context["options"], { checkout }: Facts): string {
  return how === "branch" ? (checkout.branch ?? options.branch) : options.branch;
}

/** A token made for 90 days is told some days before. */
const TOKEN_DAYS = 90;
const WARNED_DAYS = 80;
const DAY_MS = 86_400_000;

function registrationPart(facts: Facts, settings: Settings, { registration, uninstalled }: Wishes): Part {
  const secret = settings.register === "app" ? "APP_PRIVATE_KEY" : "RUNNER_TOKEN";
  const findings = ["RENTAL_API_KEY", secret].map((name) => secretFinding(facts, settings, name));
  const into = `into ${placeOf(settings)} as`;
  const token: Change = {
    says: [`Put the token ${into} RUNNER_TOKEN.`],
    carryOut: (applying) => setSecret("RUNNER_TOKEN", applying.given.token ?? "", applying),
  };
  const change = { token, "new-app": makesApp(into), "app-key": setsAppKey(into), "as-it-is": undefined }[registration];
  if (change !== undefined) return { findings, changes: [change], kept: [] };
  if (uninstalled !== undefined) return { findings, changes: [installs(uninstalled)], kept: [] };
  return { findings, changes: [], kept: ["what registers the runners"] };
}

function secretFinding(facts: Facts, settings: Settings, name: string): Finding {
  const about = `The secret ${name}`;
  const secret = findSecret(facts, name);
  if (secret === undefined) {
    const without = facts.environments.filter(({ secrets }) => !secrets.some((each) => each.name === name));
    const places = settings.environment === undefined ? ["the repository"] : without.map((each) => each.name);
    return { about, is: "bad", says: `it is not in ${places.join(" and ")}.` };
  }
  if (settings.environment === undefined && !facts.repositorySecrets.includes(secret)) {
    const says = `it is in the environment ${facts.environments[0]?.name}, which the files don't name.`;
    return { about, is: "bad", says };
  }
  return name === "RUNNER_TOKEN" ? ageFinding(about, secret.updated_at) : { about, is: "good", says: "it is there." };
}

/** GitHub does not show when a token ends, only when its secret was set. */
function ageFinding(about: string, updatedAt: string | undefined): Finding {
  const days = updatedAt === undefined ? 0 : Math.floor((Date.now() - Date.parse(updatedAt)) / DAY_MS);
  const set = `it was set ${days === 0 ? "today" : `${days} days ago`}`;
  if (days < WARNED_DAYS) return { about, is: "good", says: `${set}.` };
  const way = "ends, or has ended. Make a new one, and run this with RUNNER_TOKEN.";
  return { about, is: "doubtful", says: `${set}: a token made for ${TOKEN_DAYS} days ${way}` };
}

/** Commits and pushes the files; opens the pull request where one is wanted. */
function commits(how: Exclude<CommitHow, "none">, branch: string, paths: readonly string[]): Change {
  const isPull = how === "pull-request";
  const says = isPull
    ? `Commit these files to the branch ${branch}, push it, and open a pull request.`
    : `Commit these files, and push the branch ${branch}.`;
  return {
    says: [says],
    carryOut: async ({ context, facts, settings }) => {
      const message = "Run GPU tests on rented machines";
      const from = isPull ? facts.repository.default_branch : undefined;
      await commitAndPush({ root: facts.checkout.root, paths, message, branch, from });
      const pushed = `The branch ${branch} is pushed`;
      if (!isPull) return pushed;
      context.note.add(pushed);
      context.screen.say(`  ✓ ${pushed}`);
      context.screen.say("  You are on that branch now, with whatever is not committed: git switch - goes back.");
      return await openPullRequest(context, facts.repository, branch, settings);
    },
  };
}
