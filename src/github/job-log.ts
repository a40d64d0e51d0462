import { oneLine } from "../shared/foreign-text.ts";
import { HttpClient, isLoopback, type ProxySettings } from "../shared/http-client.ts";
import type { GithubClient } from "./github-client.ts";
import { GithubUnavailableError, type TokenNeed } from "./github-errors.ts";

const READ_LOG: TokenNeed = {
  input: "job-token",
  task: "read the log of a job",
  remedy: "Give the job that rents `permissions: { actions: write }`, of which `actions: read` is a part.",
};

/** The longest log that is read. The machine's line stands at the end, so it is not read in a longer one. */
const MOST_JOB_LOG_BYTES = 64_000_000;
/** How much of a log's end is kept: the machine writes its line after the job's own steps. */
const TAIL_BYTES = 65_536;
const LOG_WITHIN_MS = 20_000;

/** Matches the line by which a machine's hook refuses a job, after the time that GitHub puts before each line. */
const SETUP_FAILURE = /^(?:\S+Z )?##\[error\](setup (?:ended with code|took longer than) \d{1,9}\b.{0,400})$/gm;

/** Finds in a job's log how its machine's `setup` failed: the exit code, and the last line of its output. */
export function setupFailure(log: string): string | undefined {
  const said = [...log.matchAll(SETUP_FAILURE)].at(-1)?.[1];
  return said && oneLine(said).replace(/\.$/, "");
}

/** Fetches the logs of jobs that are over. */
export class JobLogs {
  readonly #client: GithubClient;
  readonly #options: { apiUrl: string; proxy?: ProxySettings | undefined };

  constructor(client: GithubClient, options: { apiUrl: string; proxy?: ProxySettings | undefined }) {
    this.#client = client;
    this.#options = options;
  }

  /** Fetches the last lines of a finished job's log, of so many bytes. Throws GithubUnavailableError without it. */
  async tail(jobId: number, signal: AbortSignal, bytes = TAIL_BYTES): Promise<string> {
    const { headers, status } = await this.#client.request({
      need: READ_LOG,
      route: "GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs",
      parameters: { job_id: jobId },
      redirect: "manual",
      expected: [404],
      signal,
    });
    if (status === 404) throw new GithubUnavailableError(READ_LOG.task, "GitHub has not stored it yet");
    const url = this.#placeOf(headers.location);
    if (url === undefined) throw new GithubUnavailableError(READ_LOG.task, "GitHub names no place of its own for it");
    return await this.#fetchTail(url, signal, bytes);
  }

  /** Reads the address of a log. Whoever has the address may read the log, so it must be https. */
  #placeOf(location: unknown): URL | undefined {
    if (typeof location !== "string" || !URL.canParse(location)) return undefined;
    const url = new URL(location);
    const isOwn = url.origin === new URL(this.#options.apiUrl).origin;
    return url.protocol === "https:" || isOwn || isLoopback(url.hostname) ? url : undefined;
  }

  /** Fetches the end of a log, in whole lines. The token is not sent along: another host stores the log. */
  async #fetchTail(url: URL, signal: AbortSignal, bytes: number): Promise<string> {
    const { hostname } = new URL(this.#options.apiUrl);
    const http = new HttpClient({ hostname, proxy: this.#options.proxy, mostBytes: MOST_JOB_LOG_BYTES });
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(LOG_WITHIN_MS)]);
    try {
      const answer = await http.send(url, { method: "GET", signal: bounded });
      if (answer.statusCode !== 200)
        throw new Error(`the place that GitHub named for it answered ${answer.statusCode}`);
      const log = Buffer.from(await answer.body.arrayBuffer());
      const tail = log.subarray(-bytes).toString("utf8");
      return log.length > bytes ? tail.slice(tail.indexOf("\n") + 1) : tail;
    } catch (error) {
      signal.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      throw new GithubUnavailableError(READ_LOG.task, why, { cause: error });
    } finally {
      await http.close();
    }
  }
}
