import { parse } from "yaml";
import { workflowsIn } from "../../readme/readme-workflow.ts";
import { filesIn, textOf } from "./repository.ts";

export interface Step {
  id?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
}

export interface Job {
  if?: string;
  needs?: string | string[];
  uses?: string;
  "runs-on"?: string;
  "timeout-minutes"?: number | string;
  environment?: string;
  permissions?: Record<string, string> | string;
  secrets?: string;
  outputs?: Record<string, string>;
  strategy?: Record<string, unknown>;
  steps?: Step[];
}

export interface Workflow {
  name: string;
  text: string;
  on: Record<string, unknown>;
  permissions?: Job["permissions"];
  concurrency?: { group: string; "cancel-in-progress": boolean };
  jobs: Record<string, Job>;
}

/** A workflow by a name for people, with its text beside what that holds. */
export function readWorkflow(name: string, text: string): Workflow {
  return { ...(parse(text) as Workflow), name, text };
}

/** A workflow of this repository. */
export function ourWorkflow(file: string): Workflow {
  return readWorkflow(file, textOf(`.github/workflows/${file}.yml`));
}

/** All of them. */
export const OURS = filesIn(".github/workflows", ".yml", ".yaml").map((path) => readWorkflow(path, textOf(path)));

/** Those of README and docs. */
export const COPIED = ["README.md", ...filesIn("docs", ".md")].flatMap((page) =>
  [...workflowsIn(page)].map(([path, text]) => readWorkflow(`${page}: ${path}`, text)),
);

/** All that a job runs. */
export function runsOf(job: Job | undefined): string {
  return (job?.steps ?? []).map(({ run = "" }) => run).join("\n");
}
