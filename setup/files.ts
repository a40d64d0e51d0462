import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Applying, type Change, joined, type Part, type Removal } from "./change.ts";
import type { Finding } from "./check.ts";
import { diffLines } from "./diff.ts";
import type { Facts, FileState } from "./facts.ts";
import { partOf, repositoryPath } from "./gh.ts";
import { SetupError, wordsOf } from "./setup-error.ts";
import { type Edit, GPU_WORKFLOW, type Settings, type WorkflowFile, workflowFiles } from "./workflows.ts";

/** Each of init's workflows, as it is and as it should be. `replaceable`: those changed by hand that may be written anew. */
export function filesPart(facts: Facts, settings: Settings, replaceable: readonly string[] = []): Part {
  const files = workflowFiles(settings);
  return joined(
    facts.files.map((state, index) =>
      filePart(facts, { state, file: files[index] as WorkflowFile, isFree: replaceable.includes(state.path) }),
    ),
  );
}

function filePart(
  { disabled, repository }: Facts,
  { state, file, isFree }: { state: FileState; file: WorkflowFile; isFree: boolean },
): Part {
  const { path, text: before = "" } = state;
  const isDisabled = disabled.includes(path);
  const isRight = before.replaceAll("\r\n", "\n") === file.text;
  const reason = reasonOf(state);
  const isWritten = !isRight && (reason === undefined || isFree);
  const [is, says] = isRight || state.owner !== "ours" ? whatIs(state, repository, isDisabled) : OLD;
  return {
    findings: [{ about: path, is, says }],
    changes: [
      // Anew from the settings, as an app's id is known only when it is made.
      ...(isWritten ? [writes(path, before, file.text, textOf)] : []),
      ...(isDisabled ? [enables(path)] : []),
    ],
    kept: isWritten ? [] : [isRight ? path : `${path}, which ${reason}`],
  };
}

type Said = readonly [Finding["is"], string];

const OLD: Said = ["bad", "it is of an older version, or for another branch."];

function whatIs(state: FileState, { default_branch }: Facts["repository"], isDisabled: boolean): Said {
  const { owner, isOnDefaultBranch: isMerged } = state;
  if (owner === "none") return ["bad", "it is not there."];
  if (owner !== "ours") return [owner === "foreign" ? "bad" : "doubtful", `it ${reasonOf(state)}, and stays as it is.`];
  if (isDisabled) return ["bad", "it is disabled at GitHub."];
  if (isMerged) return ["good", "it is as it should be."];
  return ["doubtful", `it is not on ${default_branch} yet, as far as was last fetched: merge it.`];
}

/** Why a file that is not as it should be stays; undefined: it is ours to write. */
function reasonOf({ owner, why }: FileState): string | undefined {
  if (owner === "changed") return "was changed by hand";
  return owner === "foreign" ? (why ?? "is not init's own") : undefined;
}

function textOf(path: string, { settings }: Pick<Applying, "settings">): string {
  return workflowFiles(settings).find((each) => each.path === path)?.text ?? "";
}

/** Writes files of others, with as little changed as can be. */
export function editChanges(edits: readonly Edit[]): Change[] {
  return edits.map(({ path, before, after }) => writes(path, before, after, () => after));
}

function writes(
  path: string,
  before: string,
  after: string,
  text: (path: string, applying: Pick<Applying, "settings">) => string,
): Change {
  const lines = diffLines(before, after).map((line) => `    ${line}`);
  return {
    says: [`${before === "" ? "Write" : "Change"} ${path}:`, ...lines],
    isOfFiles: true,
    carryOut: (applying) => writeInto(applying.facts, path, text(path, applying)),
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

/** Has GitHub start a workflow, or not; one that GitHub does not know yet is started. */
async function switchWorkflow(
  { context, facts }: Pick<Applying, "context" | "facts">,
  path: string,
  to: "enable" | "disable",
): Promise<void> {
  const place = `${repositoryPath(facts.repository.full_name)}/actions/workflows/${partOf(basename(path))}/${to}`;
  await context.gh.find({ method: "PUT", path: place, to: `${to} the workflow` });
}

/** Takes back the files of ours, and of those that were changed the chosen ones. */
export function fileRemovals({ files }: Facts, changedToo: readonly string[]): Removal[] {
  return files
    .filter(({ path, owner }) => owner === "ours" || changedToo.includes(path))
    .map(({ path }): Removal => {
      const carryOut: Removal["carryOut"] = ({ facts }) => rmSync(join(facts.checkout.root, path), { force: true });
      return { thing: path, fate: "deleted", carryOut };
    });
}

/** Keeps a workflow from starting. */
export function disables(path: string): Removal {
  return { thing: path, fate: "disabled at GitHub", carryOut: (by) => switchWorkflow(by, path, "disable") };
}

/** Whether a file of ours lies there since an earlier start, and is not on the default branch yet. */
export function isUncommitted({ files }: Pick<Facts, "files">): boolean {
  return files.some(({ owner, isOnDefaultBranch }) => owner !== "none" && owner !== "foreign" && !isOnDefaultBranch);
}

/** Whether the workflow that rents is where GitHub starts it by hand. */
export function isOnDefaultBranch({ files }: Pick<Facts, "files">): boolean {
  return files.some((file) => file.path === GPU_WORKFLOW && file.isOnDefaultBranch);
}

/** The files of ours that somebody changed, and that a person wants to lose all the same. */
export async function chosenOf(
  { files }: Pick<Facts, "files">,
  ask: (path: string) => Promise<boolean>,
): Promise<string[]> {
  const chosen: string[] = [];
  for (const { path, owner } of files) if (owner === "changed" && (await ask(path))) chosen.push(path);
  return chosen;
}
