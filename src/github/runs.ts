import { z } from "zod";
import { TO_RERUN } from "./annotations.ts";
import { type GithubClient, moment, optionalText, PAGE_SIZE, read, readAnswer, readIfThere } from "./github-client.ts";
import type { TokenNeed } from "./github-errors.ts";

const owner = z.looseObject({ id: z.number() }).nullish();

/** GitHub, "Get a workflow run". */
const runSchema = z
  .looseObject({
    id: z.number().int(),
    run_attempt: z.number().int().default(1),
    status: optionalText,
    conclusion: optionalText,
    created_at: moment,
    run_started_at: moment,
    updated_at: moment,
    head_branch: optionalText,
    head_sha: optionalText,
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

/** A run's latest attempt. Times in milliseconds since the epoch; undefined: not shown. */
export type Run = z.infer<typeof runSchema>;

/** GitHub, "List workflow runs for a repository". */
const runPageSchema = z.looseObject({ workflow_runs: z.array(runSchema) });

const attemptSchema = z.looseObject({ status: z.string(), updated_at: z.string() });

/** One attempt of a run. */
export interface RunAttempt {
  isCompleted: boolean;
  /** Milliseconds since its last change, by GitHub's clock; 0 if GitHub does not show it. */
  unchangedForMs: number;
}

const WRITE = "Give the job that runs this step `permissions: { actions: write }`";

function need(task: string, remedy = `${WRITE}.`): TokenNeed {
  return { input: "job-token", task, remedy };
}

const TO_LIST = `${WRITE}: it lists runs with it, and cancels stuck ones.`;
const TO_READ =
  "Give the job that runs this step `permissions: { actions: read }`, or `actions: write`, which includes it.";
const RUN = "/repos/{owner}/{repo}/actions/runs/{run_id}";

/** A repository's runs. Throws GithubTokenError, GithubUnavailableError or, for a change, GithubRefusedError. */
export class Runs {
  readonly #client: GithubClient;

  constructor(client: GithubClient) {
    this.#client = client;
  }

  /** Lists the runs that are queued or in progress, the queued ones first, at most 200 of each. */
  async listOpen(signal?: AbortSignal): Promise<Run[]> {
    const runs = [...(await this.#listAll("queued", signal)), ...(await this.#listAll("in_progress", signal))];
    // A run may begin between the two lists.
    return [...new Map(runs.map((run) => [run.id, run])).values()];
  }

  /** Lists the newest 100 failed runs that were created after `since`, in milliseconds since the epoch. */
  listFailed(since: number, signal?: AbortSignal): Promise<Run[]> {
    const created = `>=${new Date(since).toISOString().slice(0, 19)}Z`;
    return this.#list({ status: "failure", created, page: 1 }, signal);
  }

  /** Lists the newest 20 completed runs of a workflow, whose file has this name. */
  listOfWorkflow(file: string, signal?: AbortSignal): Promise<Run[]> {
    const filters = { workflow_id: file, status: "completed", per_page: 20 };
    return this.#list(filters, signal, "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs");
  }

  /** Looks at a run's latest attempt; undefined if GitHub knows no such run. */
  get(id: number, signal?: AbortSignal): Promise<Run | undefined> {
    return readIfThere(this.#client, runSchema, {
      need: need("read a run of this repository", TO_LIST),
      route: `GET ${RUN}`,
      parameters: { run_id: id, exclude_pull_requests: true },
      signal,
    });
  }

  /** Looks at one attempt of a run; undefined if GitHub knows none, or hides it from this token, which looks the same. */
  async attempt(runId: number, attempt: number, signal?: AbortSignal): Promise<RunAttempt | undefined> {
    const toRead = need("read the runs of this repository", TO_READ);
    const answer = await this.#client.request({
      need: toRead,
      route: `GET ${RUN}/attempts/{attempt_number}`,
      parameters: { run_id: runId, attempt_number: attempt, exclude_pull_requests: true },
      expected: [404],
      signal,
    });
    if (answer.status === 404) return undefined;
    const { status, updated_at } = readAnswer(attemptSchema, answer, toRead.task);
    // By the answer's own Date header, because a wrong clock here must make nothing look old.
    const age = Date.parse(String(answer.headers.date)) - Date.parse(updated_at);
    return { isCompleted: status === "completed", unchangedForMs: Number.isFinite(age) ? Math.max(0, age) : 0 };
  }

  /** Asks for a run's end, its clean-up steps included. `over`: it was. Only a look at the run shows that it ended. */
  cancel(runId: number, signal?: AbortSignal): Promise<"asked" | "over"> {
    return this.#end("cancel", runId, signal);
  }

  /** Ends a run without its post steps and `always()` steps. Use it only after a cancel did not end the run. */
  forceCancel(runId: number, signal?: AbortSignal): Promise<"asked" | "over"> {
    return this.#end("force-cancel", runId, signal);
  }

  /** Starts another attempt of what failed in a run that is over. After a GithubUnavailableError it may have begun. */
  async rerunFailedJobs(runId: number, signal?: AbortSignal): Promise<void> {
    await this.#client.request({
      need: need("re-run the failed jobs of a run"),
      route: `POST ${RUN}/rerun-failed-jobs`,
      parameters: { run_id: runId },
      signal,
    });
  }

  async #end(how: "cancel" | "force-cancel", runId: number, signal?: AbortSignal): Promise<"asked" | "over"> {
    const answer = await this.#client.request({
      need: need("cancel a run"),
      route: `POST ${RUN}/${how}`,
      parameters: { run_id: runId },
      expected: [409],
      signal,
    });
    return answer.status === 409 ? "over" : "asked";
  }

  async #listAll(status: string, signal?: AbortSignal): Promise<Run[]> {
    const first = await this.#list({ status, page: 1 }, signal);
    return first.length < PAGE_SIZE ? first : [...first, ...(await this.#list({ status, page: 2 }, signal))];
  }

  async #list(
    filters: object,
    signal: AbortSignal | undefined,
    route = "/repos/{owner}/{repo}/actions/runs",
  ): Promise<Run[]> {
    const page = await read(this.#client, runPageSchema, {
      need: need("list the runs of this repository", TO_LIST),
      route: `GET ${route}`,
      parameters: { per_page: PAGE_SIZE, ...filters, exclude_pull_requests: true },
      signal,
    });
    return page.workflow_runs;
  }
}

/** Looks up a branch's last commit; undefined without the branch. Throws GithubTokenError or GithubUnavailableError. */
export async function branchHead(
  client: GithubClient,
  branch: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const found = await readIfThere(client, z.looseObject({ object: z.looseObject({ sha: z.string() }) }), {
    need: need("see the last commit of a branch", TO_RERUN),
    route: "GET /repos/{owner}/{repo}/git/ref/heads/{branch}",
    parameters: { branch },
    signal,
  });
  return found?.object.sha;
}
