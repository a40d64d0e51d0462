import type { Job } from "../runs/run-record.ts";

/**
 * Writes a job for a bash without a JSON parser: a word, then a plain value; free text is base64.
 * The last line is `end`, so that a cut answer is noticed.
 */
export function jobText(job: Job): string {
  const { run, spec } = job;
  const env = {
    ...spec.env,
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_REPOSITORY: run.repository.fullName,
    GITHUB_REPOSITORY_ID: String(run.repository.id),
    GITHUB_RUN_ID: String(run.id),
    GITHUB_RUN_ATTEMPT: String(run.attempt),
    GITHUB_JOB: job.name,
    GITHUB_WORKFLOW: run.spec.workflow,
    GITHUB_EVENT_NAME: run.spec.event,
    GITHUB_REF_NAME: run.spec.headBranch,
  };
  return [
    "job",
    `id ${job.id}`,
    `name ${base64(job.name)}`,
    `repository ${run.repository.name}`,
    ...(spec.container === undefined ? [] : [`container ${base64(spec.container)}`]),
    `script ${base64(spec.run.map((line) => `${line}\n`).join(""))}`,
    ...Object.entries(env).map(([name, value]) => `env ${name} ${base64(value)}`),
    "end",
    "",
  ].join("\n");
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
