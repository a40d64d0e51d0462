import type { Job, Run } from "./run-record.ts";
import type { CompleteRunSpec } from "./run-spec.ts";

/** Gives ids, each one once. */
export class Counter {
  #last: number;

  constructor(before: number) {
    this.#last = before;
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }
}

type Given = Pick<Run, "id" | "attempt" | "repository" | "spec" | "createdAt" | "startedAt" | "updatedAt">;

/** Makes the record of an attempt, all of whose jobs are still blocked. */
export function newRun(given: Given, jobIds: Counter): Run {
  const { id, attempt, repository, spec, createdAt, startedAt, updatedAt } = given;
  const run: Run = { id, attempt, repository, spec, createdAt, startedAt, updatedAt, jobs: [], cancelRequested: false };
  for (const job of spec.jobs) run.jobs.push(newJob(run, job, jobIds.next()));
  return run;
}

function newJob(run: Run, spec: CompleteRunSpec["jobs"][number], id: number): Job {
  const times = { createdAt: run.startedAt, startedAt: null, completedAt: null };
  const open = { status: "blocked" as const, conclusion: null, runner: null, steps: [], log: "", annotations: [] };
  const labels = spec.labels.map((label) => filledIn(label, run));
  return { id, name: spec.name, spec, labels, run, ...times, ...open, cancelRequested: false };
}

/** `runs-on` knows the run's own numbers: another attempt asks for another label. */
function filledIn(label: string, { id, attempt }: Run): string {
  return label
    .replace(/\$\{\{\s*github\.run_id\s*\}\}/g, String(id))
    .replace(/\$\{\{\s*github\.run_attempt\s*\}\}/g, String(attempt));
}
