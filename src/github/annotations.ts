import { z } from "zod";
import { readAnswer } from "./answer.ts";
import type { GithubClient } from "./github-client.ts";
import type { TokenNeed } from "./github-errors.ts";

const NEED: TokenNeed = {
  input: "job-token",
  task: "read the annotations of a job",
  remedy:
    "With rerun-lost: true, give the job that sweeps `permissions: { actions: write, checks: read, contents: read }`.",
};

const annotationsSchema = z.array(z.looseObject({ message: z.string().nullish() }));

/**
 * The texts of a job's annotations: its warnings, errors and notices, 50 at most. Throws
 * GithubTokenError or GithubUnavailableError.
 */
export async function listAnnotations(client: GithubClient, jobId: number, signal?: AbortSignal): Promise<string[]> {
  const answer = await client.request({
    need: NEED,
    // A job's id is that of its check run.
    route: "GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations",
    parameters: { check_run_id: jobId, per_page: 100 },
    signal,
  });
  return readAnswer(annotationsSchema, answer, NEED.task).map(({ message }) => message ?? "");
}
