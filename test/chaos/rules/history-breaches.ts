import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { MOST_HISTORY_BYTES, readHistoryText } from "../../../src/market/history.ts";
import type { PlannedRun } from "../planned-run.ts";
import type { StageFacts } from "../run-facts.ts";

interface Kept {
  /** Undefined: the run keeps none. */
  path: string | undefined;
  plan: PlannedRun;
  main: StageFacts;
  secrets: Record<string, string>;
}

/** Rules for the file of the input `history`, whatever was in it and however main ended. */
export function historyBreaches({ path, plan, main, secrets }: Kept): string[] {
  const { history } = plan;
  if (path === undefined || history === undefined) return [];
  return [
    ...(history.kind === "folder" ? folderBreaches(path) : fileBreaches(path, history, secrets)),
    ...(main.killed === undefined ? draftsOf(path) : []),
    ...warningBreaches(history, main),
  ];
}

function folderBreaches(path: string): string[] {
  const isEmpty = statSync(path).isDirectory() && readdirSync(path).length === 0;
  return isEmpty ? [] : ["The folder in the place of the history was changed."];
}

/** A killed main leaves the file as it was before or after: never a part. */
function fileBreaches(
  path: string,
  history: NonNullable<PlannedRun["history"]>,
  secrets: Record<string, string>,
): string[] {
  if (!existsSync(path)) return history.kind === "absent" ? [] : ["The history is gone."];
  const text = readFileSync(path, "utf8");
  const read = readHistoryText(text, Number.MAX_SAFE_INTEGER / 2);
  const isUntouched = history.kind === "text" && text === history.text;
  return [
    ...(typeof read === "string" && !isUntouched ? [`The history can't be read: ${read}.`] : []),
    ...(text.length > MOST_HISTORY_BYTES && !isUntouched ? [`The history has ${text.length} characters.`] : []),
    ...Object.entries(secrets).flatMap(([name, secret]) =>
      text.includes(secret) ? [`${name} is in the history.`] : [],
    ),
    ...(/foreign/.test(text) && !isUntouched ? ["Foreign text is in the history."] : []),
  ];
}

function draftsOf(path: string): string[] {
  const drafts = readdirSync(dirname(path)).filter((name) => name.endsWith(".tmp"));
  return drafts.map((name) => `A draft of the history is left: ${name}.`);
}

/** A history that can't be used is reported, and is as if there were none. */
function warningBreaches(history: NonNullable<PlannedRun["history"]>, { log }: StageFacts): string[] {
  const isUnusable = history.kind === "folder" || history.kind === "text";
  const wasRead = /^machine 1: asked for/m.test(log);
  const isReported = /The history \S+ can't be used: /.test(log);
  if (isUnusable && wasRead && !isReported) return ["Main does not say that the history can't be used."];
  return !isUnusable && isReported ? ["Main says that a good history can't be used."] : [];
}
