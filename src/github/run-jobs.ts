import { readAnswer } from "./answer.ts";
import { ConditionalReads } from "./conditional-reads.ts";
import type { GithubAnswer, GithubClient } from "./github-client.ts";
import { GithubUnavailableError, type TokenNeed } from "./github-errors.ts";
import { type Job, jobPageSchema } from "./job.ts";

const NEED: TokenNeed = {
  input: "job-token",
  task: "read the jobs of this run",
  remedy:
    "Give the job that rents `permissions: { actions: write }` (actions: read is enough to see the jobs), or set hold: false.",
};
const PAGE_SIZE = 100;
const MOST_PAGES = 10;

/** The jobs of one run attempt. Unchanged pages cost nothing: a 304. */
export class RunJobs {
  readonly #client: GithubClient;
  readonly #run: { runId: number; attempt: number };
  readonly #reads: ConditionalReads;

  constructor(client: GithubClient, run: { runId: number; attempt: number }) {
    this.#client = client;
    this.#reads = new ConditionalReads(client);
    this.#run = run;
  }

  /** Requests that the token has left in this hour; undefined where that is not known. */
  get requestsLeft(): number | undefined {
    return this.#client.requestsLeft;
  }

  /** All jobs listed now: without those whose `needs` are not met, and late by seconds. */
  async list(signal?: AbortSignal): Promise<Job[]> {
    // By id: one that moves to the next page between two requests is in both.
    const jobs = new Map<number, Job>();
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const listed = readAnswer(jobPageSchema, await this.#page(page, signal), NEED.task);
      for (const job of listed.jobs) jobs.set(job.id, job);
      if (listed.jobs.length < PAGE_SIZE || jobs.size >= listed.total_count) return [...jobs.values()];
    }
    // A part of the list must not pass as the whole: "no job of ours" would cost a machine.
    throw new GithubUnavailableError(NEED.task, `there are more than ${MOST_PAGES * PAGE_SIZE}`);
  }

  #page(page: number, signal: AbortSignal | undefined): Promise<GithubAnswer> {
    return this.#reads.read(String(page), {
      need: NEED,
      route: "GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs",
      parameters: { run_id: this.#run.runId, attempt_number: this.#run.attempt, per_page: PAGE_SIZE, page },
      signal,
    });
  }
}
