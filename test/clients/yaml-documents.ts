import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parse, stringify } from "yaml";

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

const ON_A_MACHINE = { "runs-on": "ubuntu-latest" };
const OURS = "OWNER/ephemeral-gpu-runner@v1";
/** The inputs that our action can't do without. */
const REQUIRED = { "api-key": "1", "github-token": "1", "max-price": "1", "max-cost": "1" };

/** What must be in a text, and the jobs that it stands for; the first form that it has counts. */
const FRAGMENTS: readonly [is: (parsed: unknown) => boolean, jobs: (parsed: Fields) => unknown][] = [
  [Array.isArray, (steps) => ({ job: { ...ON_A_MACHINE, steps } })],
  [(parsed) => isMapOf(parsed, (job) => has(job, "steps") || has(job, "uses")), (jobs) => jobs],
  [(parsed) => has(parsed, "steps"), (job) => ({ job: { ...ON_A_MACHINE, ...job } })],
  [(parsed) => has(parsed, "uses"), (step) => inStep({ with: REQUIRED, ...step })],
  [(parsed) => has(parsed, "with"), (step) => inStep({ uses: OURS, ...step })],
  // Inputs alone.
  [
    (parsed) => isMapOf(parsed, (value) => typeof value !== "object"),
    (inputs) => inStep({ uses: OURS, with: { ...REQUIRED, ...inputs } }),
  ],
];

type Fields = Record<string, unknown>;

function wholeWorkflow(name: string, text: string, parsed: unknown): string {
  if (has(parsed, "on") && has(parsed, "jobs")) return text;
  const [, jobsOf] = FRAGMENTS.find(([is]) => is(parsed)) ?? [];
  if (has(parsed, "jobs")) return stringify({ on: "push", ...(parsed as Fields) });
  if (jobsOf !== undefined) return stringify({ on: "push", jobs: jobsOf(parsed as Fields) });
  throw new Error(`${name} is no workflow, no action and no part of one; its first line may say which file it is.`);
}

function inStep(step: Fields): object {
  return { job: { ...ON_A_MACHINE, steps: [step] } };
}

function has(value: unknown, key: string): boolean {
  return typeof value === "object" && value !== null && key in value;
}

function isMapOf(value: unknown, each: (value: unknown) => boolean): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(each);
}
