import { z } from "zod";
import type { GithubClient } from "./github-client.ts";
import { GithubDoubtError, type TokenNeed } from "./github-errors.ts";

const NEED: TokenNeed = {
  input: "job-token",
  task: "list the runs of this repository",
  remedy:
    "Give the job that runs this step `permissions: { actions: write }`: it lists runs with it, and cancels stuck ones.",
};
const PAGE_SIZE = 100;
const MOST_PAGES = 2;

/** A run that is not over: its latest attempt. */
export interface OpenRun {
  id: number;
  attempt: number;
  /** When that attempt began, in milliseconds since the epoch; undefined where GitHub does not tell. */
  startedAt: number | undefined;
}

const optional = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
const pageSchema = z.looseObject({
  workflow_runs: z.array(
    z
      .looseObject({
        id: z.number().int(),
        run_attempt: z.number().int().default(1),
        created_at: optional,
        run_started_at: optional,
      })
      .transform(
        (run): OpenRun => ({
          id: run.id,
          attempt: run.run_attempt,
          startedAt: Date.parse(run.run_started_at ?? run.created_at ?? "") || undefined,
        }),
      ),
  ),
});

/** The repository's runs that wait or run now, those that only wait first; of each kind the newest 200. Throws GithubTokenError or GithubDoubtError. */
export async function listOpenRuns(client: GithubClient, signal?: AbortSignal): Promise<OpenRun[]> {
  const runs = [...(await listWith(client, "queued", signal)), ...(await listWith(client, "in_progress", signal))];
  // A run may begin between the two lists.
  return [...new Map(runs.map((run) => [run.id, run])).values()];
}

async function listWith(client: GithubClient, status: string, signal: AbortSignal | undefined): Promise<OpenRun[]> {
  const runs: OpenRun[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const answer = await client.request({
      need: NEED,
      route: "GET /repos/{owner}/{repo}/actions/runs",
      parameters: { status, per_page: PAGE_SIZE, page, exclude_pull_requests: true },
      signal,
    });
    const read = pageSchema.safeParse(answer.data);
    if (!read.success) throw new GithubDoubtError(NEED.task, "the answer could not be read");
    runs.push(...read.data.workflow_runs);
    if (read.data.workflow_runs.length < PAGE_SIZE) break;
  }
  return runs;
}
