import { createHash } from "node:crypto";
import type { Repository } from "../repositories.ts";
import type { Run } from "./run-record.ts";

/** A workflow file of a repository, known by the runs that there are of it. */
export interface Workflow {
  readonly id: number;
  readonly name: string;
  /** `.github/workflows/NAME.yml`. */
  readonly path: string;
  readonly repository: Repository;
  readonly createdAt: number;
}

/** The workflow of a run; the same name has the same id in each repository. */
export function workflowOf({ spec, repository, createdAt }: Run): Workflow {
  const { workflow: name } = spec;
  const digest = createHash("sha256").update(`${repository.id} ${name}`).digest();
  const id = 150_000_000 + (digest.readUInt32BE(0) % 50_000_000);
  return { id, name, path: `.github/workflows/${name}.yml`, repository, createdAt };
}

/** The workflows of a repository, the one with the oldest run first. */
export function workflowsOf(runs: readonly Run[], repository: Repository): Workflow[] {
  const byId = new Map<number, Workflow>();
  for (const workflow of runs.filter((run) => run.repository === repository).map(workflowOf)) {
    if (!byId.has(workflow.id)) byId.set(workflow.id, workflow);
  }
  return [...byId.values()];
}

/** Whether a path names this workflow: by its id or by its file's name. */
export function isNamed({ id, path }: Workflow, given: string): boolean {
  return String(id) === given || path.endsWith(`/${given}`);
}
