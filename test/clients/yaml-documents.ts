import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** A YAML text's kind to GitHub, by which both judges choose their rules. */
export type DocumentKind = "workflow" | "action" | "dependabot" | "issue-form";

/** One YAML text of the repository: a file, or a block of a Markdown file. */
export interface YamlDocument {
  /** Where it is: `README.md:10`, or the file. */
  readonly name: string;
  readonly kind: DocumentKind;
  /** As GitHub would read it: a fragment of a workflow is completed to a whole one. */
  readonly text: string;
}

const ROOT = new URL("../../", import.meta.url);

/** What another tool reads. */
const OTHERS = /(^|\/)(action-types|zizmor)\.yml$/;

/** Every YAML file for GitHub, and every YAML block in Markdown; throws on an unknown kind. */
export function yamlDocuments(): YamlDocument[] {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: ROOT, encoding: "utf8" });
  return files.split("\n").flatMap((file) => {
    if (OTHERS.test(file)) return [];
    if (/\.ya?ml$/.test(file)) return [document(file, readFileSync(new URL(file, ROOT), "utf8"), file)];
    return file.endsWith(".md") ? blocksOf(file) : [];
  });
}

function blocksOf(file: string): YamlDocument[] {
  const markdown = readFileSync(new URL(file, ROOT), "utf8");
  return Array.from(
    markdown.matchAll(/^( *)```ya?ml\n([\s\S]*?)^ *```$/gm),
    ({ index, 1: indent = "", 2: block = "" }) => {
      const line = markdown.slice(0, index).split("\n").length;
      const text = block.replaceAll(new RegExp(`^${indent}`, "gm"), "");
      // A block may say in its first line which file it is.
      const path = /^# (\S+\.ya?ml)\n/.exec(text)?.[1] ?? "";
      return document(`${file}:${line}`, text, path);
    },
  );
}

function document(name: string, text: string, path: string): YamlDocument {
  if (path === ".github/dependabot.yml") return { name, kind: "dependabot", text };
  if (path.startsWith(".github/ISSUE_TEMPLATE/")) return { name, kind: "issue-form", text };
  const parsed: unknown = parse(text);
  if (has(parsed, "runs")) return { name, kind: "action", text };
  return { name, kind: "workflow", text: wholeWorkflow(name, text, parsed) };
}

const EVENT = "on: push\n";
const JOB = "  job:\n    runs-on: ubuntu-latest\n";
const RENTING_STEP = "    steps:\n      - uses: OWNER/ephemeral-gpu-runner@v1\n        with:\n";
const REQUIRED = ["api-key", "github-token", "max-price", "max-cost"];

/** The surroundings of a fragment, from the outside in: the first form that it has counts. */
const FRAGMENTS: readonly { is: (parsed: unknown) => boolean; whole: (text: string, parsed: unknown) => string }[] = [
  { is: (parsed) => has(parsed, "on") && has(parsed, "jobs"), whole: (text) => text },
  { is: (parsed) => has(parsed, "jobs"), whole: (text) => EVENT + text },
  { is: Array.isArray, whole: (text) => inJob(`    steps:\n${indented(text, 6)}`) },
  { is: (parsed) => isMapOf(parsed, isJob), whole: (text) => `${EVENT}jobs:\n${indented(text, 2)}` },
  {
    is: (parsed) => has(parsed, "steps") && has(parsed, "runs-on"),
    whole: (text) => `${EVENT}jobs:\n  job:\n${indented(text, 4)}`,
  },
  { is: (parsed) => has(parsed, "steps"), whole: (text) => inJob(indented(text, 4)) },
  {
    is: (parsed) => has(parsed, "uses") && has(parsed, "with"),
    whole: (text) => inJob(`    steps:\n      -\n${indented(text, 8)}`),
  },
  {
    is: (parsed) => has(parsed, "uses"),
    whole: (text) => inJob(`    steps:\n      -\n${indented(text, 8)}        with:\n${required({})}`),
  },
  {
    is: (parsed) => has(parsed, "with"),
    whole: (text) => inJob(`    steps:\n      - uses: OWNER/ephemeral-gpu-runner@v1\n${indented(text, 8)}`),
  },
  // Inputs alone; those that are required stand beside them.
  { is: isInputs, whole: (text, parsed) => inJob(RENTING_STEP + required(parsed as object) + indented(text, 10)) },
];

function wholeWorkflow(name: string, text: string, parsed: unknown): string {
  const fragment = FRAGMENTS.find(({ is }) => is(parsed));
  if (fragment) return fragment.whole(text, parsed);
  throw new Error(`${name} is no workflow, no action and no part of one; its first line may say which file it is.`);
}

function inJob(lines: string): string {
  return `${EVENT}jobs:\n${JOB}${lines}`;
}

function isJob(value: unknown): boolean {
  return has(value, "steps") || has(value, "uses");
}

function isInputs(parsed: unknown): boolean {
  return isMapOf(parsed, (value) => typeof value !== "object");
}

/** The inputs that our action can't do without, less those that are given. */
function required(given: object): string {
  const others = REQUIRED.filter((name) => !(name in given)).map((name) => `${name}: "1"\n`);
  return indented(others.join(""), 10);
}

function indented(text: string, by: number): string {
  return text.replaceAll(/^(?=.)/gm, " ".repeat(by));
}

function has(value: unknown, key: string): boolean {
  return typeof value === "object" && value !== null && key in value;
}

function isMapOf(value: unknown, each: (value: unknown) => boolean): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(each);
}
