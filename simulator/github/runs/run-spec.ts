import { z } from "zod";

/** GitHub's words for the result of a job that is over. */
export const CONCLUSIONS = [
  "success",
  "failure",
  "neutral",
  "cancelled",
  "skipped",
  "timed_out",
  "action_required",
] as const;

/** The result of a job that is over. */
export type Conclusion = (typeof CONCLUSIONS)[number];

/** Statuses that GitHub shows; `waiting`: an approval, `pending`: a concurrency group. */
export const JOB_STATUSES = ["queued", "in_progress", "completed", "waiting", "requested", "pending"] as const;

/** Where a job that GitHub shows is. */
export type JobStatus = (typeof JOB_STATUSES)[number];

const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not the name of an environment variable");

const JobSpec = z.strictObject({
  name: z.string().min(1),
  /** The labels of `runs-on`; `${{ github.run_id }}`, `${{ github.run_attempt }}` are filled in. */
  labels: z.array(z.string().min(1)).min(1),
  /** The status once the needs are met (default queued). */
  status: z.enum(JOB_STATUSES).optional(),
  /** Of a job that starts as completed (default success). */
  conclusion: z.enum(CONCLUSIONS).optional(),
  /** Earlier jobs or matrices that must succeed first; until then GitHub does not show it. */
  needs: z.array(z.string()).default([]),
  /** false: its condition is not met, so that it is skipped when its needs are over. */
  if: z.boolean().default(true),
  /** Shell lines that a stand-in runner executes with `bash -e`. */
  run: z.array(z.string()).default([]),
  env: z.record(variableName, z.string()).default({}),
  /** The image of its `container:`. */
  container: z.string().min(1).optional(),
  /** The job whose matrix it is a part of; the same word for all of that matrix. */
  matrix: z.string().min(1).optional(),
  /** The runner of a job that the test drives (default: a hosted one). */
  runnerName: z.string().min(1).optional(),
});

/** A matrix, with GitHub's defaults. */
const MatrixSpec = z.strictObject({
  /** How many of its jobs GitHub gives to runners at a time; the others are queued all the same. */
  maxParallel: z.int().positive().optional(),
  /** One that fails takes the others with it. */
  failFast: z.boolean().default(true),
});

/** One attempt of a workflow run, as tests, scripts and people add it; unknown keys are refused. */
export const RunSpec = z
  .strictObject({
    repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/, "is not owner/name"),
    repositoryId: z.int().positive().optional(),
    runId: z.int().positive().optional(),
    attempt: z.int().positive().optional(),
    workflow: z.string().min(1).default("gpu"),
    event: z.string().min(1).default("push"),
    headBranch: z.string().min(1).default("main"),
    /** It was made so long ago, and nothing has changed since then. */
    secondsAgo: z.number().min(0).default(0),
    jobs: z.array(JobSpec).min(1),
    /** By the word that its jobs have as `matrix`. */
    matrices: z.record(z.string(), MatrixSpec).default({}),
  })
  .superRefine(({ jobs, matrices }, context) => {
    for (const name of Object.keys(matrices)) {
      if (!jobs.some(({ matrix }) => matrix === name)) context.addIssue(`no job is of the matrix ${name}`);
    }
    const before = new Set<string>();
    for (const { name, needs, matrix } of jobs) {
      const unknown = needs.filter((need) => !before.has(need));
      if (unknown.length > 0) context.addIssue(`job ${name} needs ${unknown.join(", ")}, which must stand before it`);
      if (before.has(name)) context.addIssue(`two jobs are named ${name}`);
      before.add(name);
      if (matrix !== undefined) before.add(matrix);
    }
  });

/** A run as it is written: what has a default may be left out. */
export type RunSpec = z.input<typeof RunSpec>;

/** A run with its defaults filled in. */
export type CompleteRunSpec = z.output<typeof RunSpec>;
