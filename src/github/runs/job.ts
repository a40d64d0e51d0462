import { z } from "zod";

/** A job of a run attempt, as far as we look at it. */
export interface Job {
  id: number;
  name: string;
  status: string;
  conclusion: string | undefined;
  /** The labels of `runs-on`; empty for a skipped job. */
  labels: string[];
  runnerId: number | undefined;
  runnerName: string | undefined;
  url: string | undefined;
  /** When it was made, began to run, and was over, in milliseconds since the epoch. */
  createdAt?: number | undefined;
  startedAt?: number | undefined;
  completedAt?: number | undefined;
}

const optional = <T extends z.ZodType>(type: T) => type.nullish().transform((value) => value ?? undefined);

function moment(text: string | undefined): number | undefined {
  return Date.parse(text ?? "") || undefined;
}

/** GitHub, "List jobs for a workflow run attempt". */
export const jobPageSchema = z.looseObject({
  total_count: z.number(),
  jobs: z.array(
    z
      .looseObject({
        id: z.number(),
        name: z.string(),
        status: z.string(),
        conclusion: optional(z.string()),
        labels: z.array(z.string()).nullish(),
        runner_id: optional(z.number()),
        runner_name: optional(z.string()),
        html_url: optional(z.string()),
        created_at: optional(z.string()),
        started_at: optional(z.string()),
        completed_at: optional(z.string()),
      })
      .transform(
        (job): Job => ({
          id: job.id,
          name: job.name,
          status: job.status,
          conclusion: job.conclusion,
          labels: job.labels ?? [],
          runnerId: job.runner_id,
          runnerName: job.runner_name,
          url: job.html_url,
          createdAt: moment(job.created_at),
          startedAt: moment(job.started_at),
          completedAt: moment(job.completed_at),
        }),
      ),
  ),
});
