import { readFileSync } from "node:fs";
import { parse } from "yaml";

const ROOT = new URL("../../", import.meta.url);

/** A page's workflow files: YAML that begins with a comment with their path. */
export function workflowsIn(page: string): Map<string, string> {
  const text = readFileSync(new URL(page, ROOT), "utf8");
  const blocks = Array.from(text.matchAll(/```yaml\n(# (\.github\/workflows\/[\w.-]+\.ya?ml)\b[\s\S]*?)```/g));
  return new Map(blocks.map(([, yaml = "", path = ""]) => [path, yaml]));
}

function workflowIn(page: string, file: string): string {
  const yaml = workflowsIn(page).get(`.github/workflows/${file}`);
  if (yaml === undefined) throw new Error(`${page} has no workflow ${file}.`);
  return yaml;
}

/** The README's workflow, with both jobs written out. */
export function readmeWorkflow(): string {
  return workflowIn("README.md", "gpu.yml");
}

/** A workflow of the page that leads to the first run. */
export function firstRunWorkflow(file: string): string {
  return workflowIn("docs/first-run.md", file);
}

/** The workflow that rents, by the name that GitHub knows it by. */
export function workflowName(): string {
  return (parse(readmeWorkflow()) as { name: string }).name;
}

/**
 * A workflow for act, which does not know `cache-mode` (act 0.2.89; github.com has it since
 * 2026-09), with the simulator's address in place of the default one. Nothing else is changed.
 */
export function forAct(yaml: string, apiUrl: string): string {
  const workflow = yaml
    .replace(/^.*cache-mode: none.*\n/m, "")
    .replace(/^( +)api-key: .*$/m, (line, indent: string) => `${line}\n${indent}api-url: ${apiUrl}`);
  if (workflow.includes("cache-mode") || !workflow.includes(apiUrl))
    throw new Error("The workflow has another shape now.");
  return workflow;
}

/** The workflow's name for the action: `OWNER/ephemeral-gpu-runner@v1`. */
export function actionReference(): string {
  const jobs = parse(readmeWorkflow()) as { jobs: { rent: { steps: { uses: string }[] } } };
  return jobs.jobs.rent.steps[0]?.uses ?? "";
}
