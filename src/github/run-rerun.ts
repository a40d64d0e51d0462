import type { GithubClient } from "./github-client.ts";
import type { TokenNeed } from "./github-errors.ts";

const NEED: TokenNeed = {
  input: "job-token",
  task: "re-run the failed jobs of a run",
  remedy: "Give the job that runs this step `permissions: { actions: write }`.",
};

/**
 * Starts another attempt of a run that is over: of the jobs that failed or were cancelled, and
 * those that need them. Throws GithubTokenError, GithubUnavailableError or GithubRefusedError; after a
 * doubt the attempt may have begun.
 */
export async function rerunFailedJobs(client: GithubClient, runId: number, signal?: AbortSignal): Promise<void> {
  const route = "POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs";
  await client.request({ need: NEED, route, parameters: { run_id: runId }, signal });
}
