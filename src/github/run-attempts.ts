import { z } from "zod";
import { readAnswer } from "./answer.ts";
import type { GithubAnswer, GithubClient } from "./github-client.ts";
import type { TokenNeed } from "./github-errors.ts";

const NEED: TokenNeed = {
  input: "job-token",
  task: "read the runs of this repository",
  remedy: "Give the job that runs this step `permissions: { actions: read }`, or `actions: write`, which includes it.",
};

const attemptSchema = z.looseObject({ status: z.string(), updated_at: z.string() });

/** A run attempt as GitHub tells it. */
export interface RunAttempt {
  isCompleted: boolean;
  /** Time since its last change, by GitHub's clock, in milliseconds; 0 where that is not told. */
  unchangedForMs: number;
}

/** Run attempts of one repository, any of its runs. */
export class RunAttempts {
  readonly #client: GithubClient;

  constructor(client: GithubClient) {
    this.#client = client;
  }

  /**
   * One attempt of a run; undefined when GitHub knows none (or hides it from this token, which
   * looks the same). Throws GithubTokenError or GithubUnavailableError.
   */
  async get(runId: number, attempt: number, signal?: AbortSignal): Promise<RunAttempt | undefined> {
    const answer = await this.#client.request({
      need: NEED,
      route: "GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}",
      parameters: { run_id: runId, attempt_number: attempt, exclude_pull_requests: true },
      expected: [404],
      signal,
    });
    if (answer.status === 404) return undefined;
    const { status, updated_at } = readAnswer(attemptSchema, answer, NEED.task);
    return { isCompleted: status === "completed", unchangedForMs: ageOf(updated_at, answer) };
  }
}

/** By the answer's own Date, so that a clock of ours that is wrong makes nothing look old. */
function ageOf(updatedAt: string, { headers }: GithubAnswer): number {
  const age = Date.parse(String(headers.date)) - Date.parse(updatedAt);
  return Number.isFinite(age) ? Math.max(0, age) : 0;
}
