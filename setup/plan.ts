import { installs, makesApp, setsAppKey } from "./app.ts";
import { type Change, type Part, placeOf, setSecret } from "./change.ts";
import type { Context } from "./context.ts";
import { environmentParts } from "./environment-part.ts";
import { type Facts, findSecret } from "./facts.ts";
import { editChanges, fileParts, ignoreRule } from "./files.ts";
import { bad, doubtful, type Finding, good } from "./finding.ts";
import { keyPart } from "./keys.ts";
import type { NotedApp } from "./note.ts";
import { commits } from "./pull-request.ts";
import type { Registering } from "./registration.ts";
import type { KeyRow } from "./service.ts";
import type { CommitHow } from "./setting-forms.ts";
import type { Edit, Settings } from "./workflows.ts";

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
  registration: Registering["how"];
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
  const parts = [
    ...environmentParts(facts, settings, options.reviewers !== false),
    keyPart(facts, settings, keys, wishes.replacesForeignKey === true),
    ...registrationParts(facts, settings, wishes),
    ...fileParts(facts, settings, wishes.replaceable),
  ];
  const edits = [...(wishes.edits ?? []), ...ignoreRule(facts)];
  const changes = [...parts.flatMap(({ change }) => change ?? []), ...editChanges(edits)];
  const { commit: how } = wishes;
  const ours = facts.files.filter(({ owner }) => owner !== "foreign");
  const paths = [...new Set([...ours, ...edits].map(({ path }) => path))];
  // One of ours may lie there since an earlier start.
  const isOpen = ours.some(({ owner, isOnDefaultBranch }) => owner !== "none" && !isOnDefaultBranch);
  const isNeeded = isOpen || changes.some(({ isOfFiles }) => isOfFiles);
  return {
    findings: parts.flatMap(({ finding }) => finding ?? []),
    changes,
    kept: parts.flatMap(({ kept }) => kept ?? []),
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

function registrationParts(facts: Facts, settings: Settings, { registration, uninstalled }: Wishes): Part[] {
  const secret = settings.register === "app" ? "APP_PRIVATE_KEY" : "RUNNER_TOKEN";
  const into = `into ${placeOf(settings)} as`;
  const token: Change = {
    says: [`Put the token ${into} RUNNER_TOKEN.`],
    carryOut: (applying) => setSecret("RUNNER_TOKEN", applying.given.token ?? "", applying),
  };
  const open = uninstalled && installs(uninstalled);
  const change = { token, "new-app": makesApp(into), "app-key": setsAppKey(into), "as-it-is": open }[registration];
  const finding = secretFinding(facts, settings, secret);
  return [
    { finding: secretFinding(facts, settings, "RENTAL_API_KEY") },
    { finding, ...(change === undefined ? { kept: "what registers the runners" } : { change }) },
  ];
}

function secretFinding(facts: Facts, settings: Settings, name: string): Finding {
  const about = `The secret ${name}`;
  const secret = findSecret(facts, name);
  const { environments, repositorySecrets } = facts;
  if (secret === undefined) {
    const without = environments.filter(({ secrets }) => !secrets.some((each) => each.name === name));
    const places = settings.environment === undefined ? ["the repository"] : without.map((each) => each.name);
    return bad(about, `it is not in ${places.join(" and ")}.`);
  }
  if (settings.environment === undefined && !repositorySecrets.includes(secret))
    return bad(about, `it is in the environment ${environments[0]?.name}, which the files don't name.`);
  return name === "RUNNER_TOKEN" ? ageFinding(about, secret.updated_at) : good(about, "it is there.");
}

/** GitHub does not show when a token ends, only when its secret was set. */
function ageFinding(about: string, updatedAt: string | undefined): Finding {
  const days = updatedAt === undefined ? 0 : Math.floor((Date.now() - Date.parse(updatedAt)) / DAY_MS);
  const set = `it was set ${days === 0 ? "today" : `${days} days ago`}`;
  if (days < WARNED_DAYS) return good(about, `${set}.`);
  const way = "ends, or has ended. Make a new one, and run this with RUNNER_TOKEN.";
  return doubtful(about, `${set}: a token made for ${TOKEN_DAYS} days ${way}`);
}
