import { readAnswer } from "./answer.ts";
import type { GithubClient } from "./github-client.ts";
import type { TokenNeed } from "./github-errors.ts";
import { type Run, runPageSchema, runSchema } from "./run.ts";

const NEED: TokenNeed = {
  input: "job-token",
  task: "list the runs of this repository",
  remedy:
    "Give the job that runs this step `permissions: { actions: write }`: it lists runs with it, and cancels stuck ones.",
};
const PAGE_SIZE = 100;
const MOST_PAGES = 2;

/**
 * The repository's runs that wait or run now, those that only wait first; of each kind the newest
 * 200. Throws GithubTokenError or GithubUnavailableError.
 */
export async function listOpenRuns(client: GithubClient, signal?: AbortSignal): Promise<Run[]> {
  const runs = [...(await listWith(client, "queued", signal)), ...(await listWith(client, "in_progress", signal))];
  // A run may begin between the two lists.
  return [...new Map(runs.map((run) => [run.id, run])).values()];
}

/**
 * The repository's newest 100 runs that failed and were created since then, in milliseconds since
 * the epoch. Throws likewise.
 */
export function listFailedRuns(client: GithubClient, since: number, signal?: AbortSignal): Promise<Run[]> {
  const created = `>=${new Date(since).toISOString().slice(0, 19)}Z`;
  return listPage(client, { status: "failure", created, page: 1 }, signal);
}

/** A run as it is now, by its latest attempt; undefined when GitHub knows none. Throws likewise. */
export async function getRun(client: GithubClient, id: number, signal?: AbortSignal): Promise<Run | undefined> {
  const need = { ...NEED, task: "read a run of this repository" };
  const answer = await client.request({
    need,
    route: "GET /repos/{owner}/{repo}/actions/runs/{run_id}",
    parameters: { run_id: id, exclude_pull_requests: true },
    expected: [404],
    signal,
  });
  if (answer.status === 404) return undefined;
  return readAnswer(runSchema, answer, need.task);
}

async function listWith(client: GithubClient, status: string, signal: AbortSignal | undefined): Promise<Run[]> {
  const runs: Run[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const listed = await listPage(client, { status, page }, signal);
    runs.push(...listed);
    if (listed.length < PAGE_SIZE) break;
  }
  return runs;
}

async function listPage(client: GithubClient, filters: object, signal: AbortSignal | undefined): Promise<Run[]> {
  const answer = await client.request({
    need: NEED,
    route: "GET /repos/{owner}/{repo}/actions/runs",
    parameters: { ...filters, per_page: PAGE_SIZE, exclude_pull_requests: true },
    signal,
  });
  return readAnswer(runPageSchema, answer, NEED.task).workflow_runs;
}
