import type { GithubAnswer, GithubCall, GithubClient } from "./github-client.ts";

/** Reads that ask only for changes: GitHub doesn't count a 304 against the rate limit. */
export class ConditionalReads {
  readonly #client: GithubClient;
  readonly #known = new Map<string, { etag: string; answer: GithubAnswer }>();

  constructor(client: GithubClient) {
    this.#client = client;
  }

  /** The answer to a GET, the remembered one on a 304. `key` tells one read from another. */
  async read(key: string, call: GithubCall): Promise<GithubAnswer> {
    const known = this.#known.get(key);
    const answer = await this.#client.request({
      ...call,
      headers: known ? { "if-none-match": known.etag } : {},
      expected: [304, ...(call.expected ?? [])],
    });
    if (answer.status === 304 && known) return known.answer;
    const { etag } = answer.headers;
    if (answer.status === 200 && typeof etag === "string") this.#known.set(key, { etag, answer });
    else this.#known.delete(key);
    return answer;
  }
}
