import { z } from "zod";
import { moment, optional } from "../answer.ts";

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
        created_at: moment,
        started_at: moment,
        completed_at: moment,
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
          createdAt: job.created_at,
          startedAt: job.started_at,
          completedAt: job.completed_at,
        }),
      ),
  ),
});
