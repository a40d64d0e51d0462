import { z } from "zod";
import { moment, optional } from "./answer.ts";

const jobSchema = z
  .looseObject({
    id: z.number(),
    name: z.string(),
    status: z.string(),
    conclusion: optional(z.string()),
    labels: z.array(z.string()).nullish(),
    runner_id: optional(z.number()),
    runner_name: optional(z.string()),
    html_url: optional(z.string()),
    created_at: moment,
    started_at: moment,
    completed_at: moment,
  })
  .transform((job) => ({
    id: job.id,
    name: job.name,
    status: job.status,
    conclusion: job.conclusion,
    /** The labels of `runs-on`; empty for a skipped job. */
    labels: job.labels ?? [],
    // Of a job that ended before a runner had it GitHub tells 0 and an empty name.
    runnerId: job.runner_id || undefined,
    runnerName: job.runner_name || undefined,
    url: job.html_url,
    /** When it was made, began to run, and was over, in milliseconds since the epoch. */
    createdAt: job.created_at,
    startedAt: job.started_at,
    completedAt: job.completed_at,
  }));

/** A job of a run attempt, as far as we look at it. */
export type Job = z.infer<typeof jobSchema>;

/** GitHub, "List jobs for a workflow run attempt". */
export const jobPageSchema = z.looseObject({ total_count: z.number(), jobs: z.array(jobSchema) });
