import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** The README's workflow that rents, as its readers copy it. */
export function readmeWorkflow(): string {
  return workflowIn("gpu.yml");
}

/** The README's workflow that sweeps. */
export function sweepWorkflow(): string {
  return workflowIn("gpu-sweep.yml");
}

/** The workflow that rents, by the name that GitHub knows it by. */
export function workflowName(): string {
  return (parse(readmeWorkflow()) as { name: string }).name;
}

function workflowIn(file: string): string {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const blocks = Array.from(readme.matchAll(/```yaml\n(# \.github\/workflows\/[\s\S]*?)```/g), ([, yaml = ""]) => yaml);
  const block = blocks.find((yaml) => yaml.startsWith(`# .github/workflows/${file}\n`));
  if (block === undefined) throw new Error(`The README has no workflow ${file}.`);
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
