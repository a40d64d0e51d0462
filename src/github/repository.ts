import { z } from "zod";
import { withRetry } from "../shared/retry.ts";
import { type GithubClient, readAnswer } from "./github-client.ts";
import type { TokenNeed } from "./github-errors.ts";

const NEED: TokenNeed = {
  input: "job-token",
  task: "read this repository",
  remedy: "Leave job-token at its default, the workflow's own GITHUB_TOKEN.",
};

/** Looks up the repository's numeric id, for platforms that do not set `GITHUB_REPOSITORY_ID`. */
export function repositoryId(client: GithubClient, signal?: AbortSignal): Promise<number> {
  return withRetry(() => askForId(client, signal), { clock: client.clock, signal });
}

async function askForId(client: GithubClient, signal: AbortSignal | undefined): Promise<number> {
  const answer = await client.request({ need: NEED, route: "GET /repos/{owner}/{repo}", signal });
  return readAnswer(z.looseObject({ id: z.number().int() }), answer, NEED.task).id;
}

/**
 * Looks up the last commit of a branch; undefined if there is no such branch. Throws
 * GithubTokenError or GithubUnavailableError.
 */
export async function branchHead(
  client: GithubClient,
  branch: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const task = "see the last commit of a branch";
  const remedy =
    "With rerun-lost: true, give the job that sweeps `permissions: { actions: write, checks: read, contents: read }`.";
  const answer = await client.request({
    need: { input: "job-token", task, remedy },
    route: "GET /repos/{owner}/{repo}/git/ref/heads/{branch}",
    parameters: { branch },
    expected: [404],
    signal,
  });
  if (answer.status === 404) return undefined;
  return readAnswer(z.looseObject({ object: z.looseObject({ sha: z.string() }) }), answer, task).object.sha;
}
