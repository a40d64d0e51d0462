import { z } from "zod";
import { moment, optional } from "./answer.ts";

const text = optional(z.string());
const owner = z.looseObject({ id: z.number() }).nullish();

/** GitHub, "Get a workflow run". */
export const runSchema = z
  .looseObject({
    id: z.number().int(),
    run_attempt: z.number().int().default(1),
    status: text,
    conclusion: text,
    created_at: moment,
    run_started_at: moment,
    updated_at: moment,
    head_branch: text,
    head_sha: text,
    repository: owner,
    head_repository: owner,
  })
  .transform((run) => ({
    id: run.id,
    attempt: run.run_attempt,
    status: run.status ?? "",
    conclusion: run.conclusion,
    /** When that attempt began. */
    startedAt: run.run_started_at ?? run.created_at,
    /** When something of it last changed; the end of one that is over. */
    updatedAt: run.updated_at,
    /** The branch and the commit that it runs for; a tag's name stands in the place of a branch. */
    headBranch: run.head_branch,
    headSha: run.head_sha,
    /** Its commit is of another repository, or of one that is gone. */
    isOfFork: run.head_repository?.id === undefined || run.head_repository.id !== run.repository?.id,
  }));

/** A run's latest attempt. Times in milliseconds since the epoch; undefined: not told. */
export type Run = z.infer<typeof runSchema>;

/** GitHub, "List workflow runs for a repository". */
export const runPageSchema = z.looseObject({ workflow_runs: z.array(runSchema) });
