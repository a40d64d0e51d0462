import { z } from "zod";
import type { GithubClient } from "./github-client.ts";
import { GithubDoubtError, type TokenNeed } from "./github-errors.ts";

const NEED: TokenNeed = {
  input: "job-token",
  task: "read this repository",
  remedy: "Leave job-token at its default, the workflow's own GITHUB_TOKEN.",
};

/** The repository's numeric id, for platforms that do not set `GITHUB_REPOSITORY_ID`. */
export async function repositoryId(client: GithubClient, signal?: AbortSignal): Promise<number> {
  const answer = await client.request({ need: NEED, route: "GET /repos/{owner}/{repo}", signal });
  const read = z.looseObject({ id: z.number().int() }).safeParse(answer.data);
  if (!read.success) throw new GithubDoubtError(NEED.task, "the answer could not be read");
  return read.data.id;
}
