import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Applying, type Change, type Part, type Removing, takesBack } from "./change.ts";
import { diffLines } from "./diff.ts";
import type { Facts, FileState } from "./facts.ts";
import { bad, doubtful, type Finding, good } from "./finding.ts";
import { partOf, repositoryPath } from "./gh.ts";
import { SetupError, wordsOf } from "./setup-error.ts";
import { type Edit, GPU_WORKFLOW, type Settings, workflowFiles } from "./workflows.ts";
import { readText } from "./yaml-file.ts";

/** Each of init's workflows, as it is and as it should be. `replaceable`: those changed by hand that may be written anew. */
export function fileParts(facts: Facts, settings: Settings, replaceable: readonly string[] = []): Part[] {
  const files = workflowFiles(settings);
  return facts.files.flatMap((state, index) => {
    const { path, text: before = "" } = state;
    const after = files[index]?.text ?? "";
    const isRight = before.replaceAll("\r\n", "\n") === after;
    const reason = reasonOf(state);
    const isWritten = !isRight && (reason === undefined || replaceable.includes(path));
    // Anew from the settings, as an app's id is known only when it is made.
    const change = writes(path, before, after, (now) => workflowFiles(now)[index]?.text ?? "");
    const kept = isRight ? path : `${path}, which ${reason}`;
    const part: Part = { finding: findingOf(state, facts, isRight), ...(isWritten ? { change } : { kept }) };
    return facts.disabled.includes(path) ? [part, { change: enables(path) }] : [part];
  });
}

function findingOf(state: FileState, { disabled, repository }: Facts, isRight: boolean): Finding {
  const { path, owner, isOnDefaultBranch: isMerged } = state;
  if (owner === "none") return bad(path, "it is not there.");
  const stays = `it ${reasonOf(state)}, and stays as it is.`;
  if (owner !== "ours") return owner === "foreign" ? bad(path, stays) : doubtful(path, stays);
  if (!isRight) return bad(path, "it is of an older version, or for another branch.");
  if (disabled.includes(path)) return bad(path, "it is disabled at GitHub.");
  if (isMerged) return good(path, "it is as it should be.");
  return doubtful(path, `it is not on ${repository.default_branch} yet, as far as was last fetched: merge it.`);
}

/** Why a file that is not as it should be stays; undefined: it is ours to write. */
export function reasonOf({ owner, why }: FileState): string | undefined {
  if (owner === "changed") return "was changed by hand";
  return owner === "foreign" ? (why ?? "is not init's own") : undefined;
}

/** Writes files of others, with as little changed as can be. */
export function editChanges(edits: readonly Edit[]): Change[] {
  return edits.map(({ path, before, after }) => writes(path, before, after, () => after));
}

function writes(path: string, before: string, after: string, text: (settings: Settings) => string): Change {
  const lines = diffLines(before, after).map((line) => `    ${line}`);
  return {
    says: [`${before === "" ? "Write" : "Change"} ${path}:`, ...lines],
    isOfFiles: true,
    carryOut: ({ facts, settings }) => writeInto(facts, path, text(settings)),
  };
}

/** Writes a file of the checkout, and nowhere else. */
function writeInto({ checkout: { root } }: Pick<Facts, "checkout">, path: string, text: string): string {
  const target = join(root, path);
  const way = `Put a plain folder ${dirname(path)} in its place.`;
  try {
    mkdirSync(dirname(target), { recursive: true });
    if (realpathSync(dirname(target)) !== join(realpathSync(root), dirname(path)))
      throw new SetupError(`${dirname(path)} leads out of this checkout.`, way);
    writeFileSync(target, text);
  } catch (fault) {
    throw fault instanceof SetupError
      ? fault
      : new SetupError(`${path} can't be written: ${wordsOf(fault)}.`, way, fault);
  }
  return `${path} is written`;
}

function enables(path: string): Change {
  return {
    says: [`Enable ${path} at GitHub, where it is disabled.`],
    carryOut: async (applying) => {
      await switchWorkflow(applying, path, "enable");
      return `${path} is enabled`;
    },
  };
}

/** Keeps a workflow from starting. */
export function disables(path: string): Change<Removing> {
  return takesBack(path, "disabled at GitHub", (by) => switchWorkflow(by, path, "disable"));
}

/** Has GitHub start a workflow, or not; one that GitHub does not know yet is started. */
async function switchWorkflow({ context, facts }: Applying | Removing, path: string, to: "enable" | "disable") {
  const place = `${repositoryPath(facts.repository.full_name)}/actions/workflows/${partOf(basename(path))}/${to}`;
  await context.gh.find({ method: "PUT", path: place, to: `${to} the workflow` });
}

/** Takes back the files of ours, and of those that were changed the chosen ones. */
export function fileRemovals({ files }: Facts, changedToo: readonly string[]): Change<Removing>[] {
  return files
    .filter(({ path, owner }) => owner === "ours" || changedToo.includes(path))
    .map(({ path }) =>
      takesBack(path, "deleted", ({ facts }) => rmSync(join(facts.checkout.root, path), { force: true })),
    );
}

/** The files of ours that somebody changed, and that a person wants to lose all the same. */
export async function chosenOf({ files }: Pick<Facts, "files">, ask: (path: string) => Promise<boolean>) {
  const chosen: string[] = [];
  for (const { path, owner } of files) if (owner === "changed" && (await ask(path))) chosen.push(path);
  return chosen;
}

const LINTER_CONFIGS = [".github/actionlint.yaml", ".github/actionlint.yml"] as const;
/** actionlint 1.7.12 does not know the key. */
const LINTER_RULE = `  ${GPU_WORKFLOW}:\n    ignore:\n      - unexpected key "cache-mode"\n`;

/** What keeps a repository's actionlint from refusing the workflow; nothing where it has none, or has the rule. */
export function ignoreRule({ checkout: { root }, workflows }: Facts): Edit[] {
  const config = LINTER_CONFIGS.find((path) => existsSync(join(root, path)));
  const texts = [readText(root, ".pre-commit-config.yaml"), ...workflows.map(({ text }) => text)];
  const isUsed = config !== undefined || texts.some((text = "") => /\bactionlint\b/.test(text));
  const before = config === undefined ? "" : (readText(root, config) ?? "");
  if (!isUsed || before.includes("cache-mode")) return [];
  const paths = /^paths:[ \t]*\r?\n/m;
  const after = paths.test(before) ? before.replace(paths, `$&${LINTER_RULE}`) : `${before}paths:\n${LINTER_RULE}`;
  return [{ path: config ?? LINTER_CONFIGS[0], before, after }];
}
