import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** The README's first workflow, as its readers copy it. */
export function readmeWorkflow(): string {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const block = /```yaml\n(?<yaml># \.github\/workflows\/[\s\S]*?)```/.exec(readme)?.groups?.yaml;
  if (block === undefined) throw new Error("The README has no workflow.");
  return block;
}

/**
 * The same for act, which does not know `cache-mode` (act 0.2.89; github.com has it since 2026-09), with the simulator's address in place of the
 * default one. Nothing else is changed.
 */
export function workflowForAct(apiUrl: string): string {
  const workflow = readmeWorkflow()
    .replace(/^.*cache-mode: none.*\n/m, "")
    .replace(/^( +)api-key: .*$/m, (line, indent: string) => `${line}\n${indent}api-url: ${apiUrl}`);
  if (workflow.includes("cache-mode") || !workflow.includes(apiUrl))
    throw new Error("The README's workflow has another shape now.");
  return workflow;
}

/** What the workflow calls the action: `OWNER/ephemeral-gpu-runner@v1`. */
export function actionReference(): string {
  const jobs = parse(readmeWorkflow()) as { jobs: { rent: { steps: { uses: string }[] } } };
  return jobs.jobs.rent.steps[0]?.uses ?? "";
}
