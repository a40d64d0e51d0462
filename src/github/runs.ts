import { z } from "zod";
import { type GithubAnswer, type GithubClient, moment, optional, readAnswer } from "./github-client.ts";
import type { TokenNeed } from "./github-errors.ts";

const text = optional(z.string());
const owner = z.looseObject({ id: z.number() }).nullish();

/** GitHub, "Get a workflow run". */
const runSchema = z
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
    /** When the run last changed; for a completed run, when it ended. */
    updatedAt: run.updated_at,
    /** The branch (or tag) and the commit that the run is for. */
    headBranch: run.head_branch,
    headSha: run.head_sha,
    /** True if the commit is from another repository, or from a deleted one. */
    isOfFork: run.head_repository?.id === undefined || run.head_repository.id !== run.repository?.id,
  }));

/** A run's latest attempt. Times in milliseconds since the epoch; undefined: not told. */
export type Run = z.infer<typeof runSchema>;

/** GitHub, "List workflow runs for a repository". */
const runPageSchema = z.looseObject({ workflow_runs: z.array(runSchema) });

const NEED: TokenNeed = {
  input: "job-token",
  task: "list the runs of this repository",
  remedy:
    "Give the job that runs this step `permissions: { actions: write }`: it lists runs with it, and cancels stuck ones.",
};
const PAGE_SIZE = 100;
const MOST_PAGES = 2;

/**
 * Lists the repository's runs that are queued or in progress, the queued ones first, at most 200 of
 * each. Throws GithubTokenError or GithubUnavailableError.
 */
export async function listOpenRuns(client: GithubClient, signal?: AbortSignal): Promise<Run[]> {
  const runs = [...(await listWith(client, "queued", signal)), ...(await listWith(client, "in_progress", signal))];
  // A run may begin between the two lists.
  return [...new Map(runs.map((run) => [run.id, run])).values()];
}

/**
 * Lists the newest 100 failed runs that were created after `since`, in milliseconds since the
 * epoch. Throws GithubTokenError or GithubUnavailableError.
 */
export function listFailedRuns(client: GithubClient, since: number, signal?: AbortSignal): Promise<Run[]> {
  const created = `>=${new Date(since).toISOString().slice(0, 19)}Z`;
  return listPage(client, { status: "failure", created, page: 1 }, signal);
}

/**
 * Looks at a run's latest attempt; undefined if GitHub knows no such run. Throws GithubTokenError
 * or GithubUnavailableError.
 */
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

const RERUN_NEED: TokenNeed = {
  input: "job-token",
  task: "re-run the failed jobs of a run",
  remedy: "Give the job that runs this step `permissions: { actions: write }`.",
};

/**
 * Starts another attempt of a run that is over: of the jobs that failed or were cancelled, and
 * those that need them. Throws GithubTokenError, GithubUnavailableError or GithubRefusedError; after a
 * GithubUnavailableError the attempt may have begun.
 */
export async function rerunFailedJobs(client: GithubClient, runId: number, signal?: AbortSignal): Promise<void> {
  const route = "POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs";
  await client.request({ need: RERUN_NEED, route, parameters: { run_id: runId }, signal });
}

const CANCEL_NEED: TokenNeed = {
  input: "job-token",
  task: "cancel a run",
  remedy: "Give the job that runs this step `permissions: { actions: write }`.",
};

/** Ends runs of one repository. GitHub only accepts the request: look at the run to see that it ended. */
export class RunCancel {
  readonly #client: GithubClient;

  constructor(client: GithubClient) {
    this.#client = client;
  }

  /**
   * Asks for a run's end, its clean-up steps included; `over` means that it was completed already.
   * Throws GithubTokenError, GithubUnavailableError or GithubRefusedError.
   */
  cancel(runId: number, signal?: AbortSignal): Promise<"asked" | "over"> {
    return this.#ask("POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel", runId, signal);
  }

  /** Ends a run without its post steps and `always()` steps. Use it only after a cancel did not end the run. */
  forceCancel(runId: number, signal?: AbortSignal): Promise<"asked" | "over"> {
    return this.#ask("POST /repos/{owner}/{repo}/actions/runs/{run_id}/force-cancel", runId, signal);
  }

  async #ask(route: string, runId: number, signal: AbortSignal | undefined): Promise<"asked" | "over"> {
    const parameters = { run_id: runId };
    const answer = await this.#client.request({ need: CANCEL_NEED, route, parameters, expected: [409], signal });
    return answer.status === 409 ? "over" : "asked";
  }
}

const ATTEMPTS_NEED: TokenNeed = {
  input: "job-token",
  task: "read the runs of this repository",
  remedy: "Give the job that runs this step `permissions: { actions: read }`, or `actions: write`, which includes it.",
};

const attemptSchema = z.looseObject({ status: z.string(), updated_at: z.string() });

/** A run attempt as GitHub tells it. */
export interface RunAttempt {
  isCompleted: boolean;
  /** Milliseconds since its last change, by GitHub's clock; 0 if GitHub does not tell. */
  unchangedForMs: number;
}

/** Run attempts of one repository, any of its runs. */
export class RunAttempts {
  readonly #client: GithubClient;

  constructor(client: GithubClient) {
    this.#client = client;
  }

  /**
   * Looks at one attempt of a run. Undefined: GitHub knows none, or hides it from this token, which
   * looks the same. Throws GithubTokenError or GithubUnavailableError.
   */
  async get(runId: number, attempt: number, signal?: AbortSignal): Promise<RunAttempt | undefined> {
    const answer = await this.#client.request({
      need: ATTEMPTS_NEED,
      route: "GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}",
      parameters: { run_id: runId, attempt_number: attempt, exclude_pull_requests: true },
      expected: [404],
      signal,
    });
    if (answer.status === 404) return undefined;
    const { status, updated_at } = readAnswer(attemptSchema, answer, ATTEMPTS_NEED.task);
    return { isCompleted: status === "completed", unchangedForMs: ageOf(updated_at, answer) };
  }
}

/** Computes an age by the answer's own Date header: a wrong clock of ours must make nothing look old. */
function ageOf(updatedAt: string, { headers }: GithubAnswer): number {
  const age = Date.parse(String(headers.date)) - Date.parse(updatedAt);
  return Number.isFinite(age) ? Math.max(0, age) : 0;
}
