import { readAnswer } from "./answer.ts";
import type { GithubClient } from "./github-client.ts";
import { GithubRefusedError, GithubUnavailableError, type TokenNeed } from "./github-errors.ts";
import { insist } from "./insist.ts";
import {
  downloadsSchema,
  type ListedRunner,
  mintedSchema,
  type RunnerDownload,
  type RunnerState,
  runnerPageSchema,
} from "./runner.ts";
import { RunnerLooks } from "./runner-looks.ts";
import { placeOf, type RunnerPlace, type RunnerScope } from "./runner-scope.ts";

const PAGE_SIZE = 100;

/** Runner registrations of one repository, or of its organisation. */
export class Runners {
  readonly #client: GithubClient;
  readonly #place: RunnerPlace;
  readonly #looks: RunnerLooks;

  constructor(client: GithubClient, scope: RunnerScope = { kind: "repo", groupId: 1 }) {
    this.#client = client;
    this.#place = placeOf(client, scope);
    this.#looks = new RunnerLooks(client, this.#place);
  }

  /**
   * Registers a runner that can run one job, and returns its configuration, which is a secret. A
   * runner of that name that is left over, or that a lost answer made, is removed first.
   */
  registerRunner(name: string, label: string, signal?: AbortSignal): Promise<{ id: number; jitConfig: string }> {
    return insist(() => this.#mintOnce(name, label, signal), this.#client.clock, { signal });
  }

  /**
   * The state of each of these runners, by one request for all of them; unchanged answers are not
   * counted by GitHub. Throws GithubUnavailableError or GithubTokenError when one can't be told: that is
   * no evidence of anything.
   */
  look(ids: ReadonlySet<number>, signal?: AbortSignal): Promise<ReadonlyMap<number, RunnerState>> {
    return this.#looks.look(ids, signal);
  }

  /** Removes a registration. `removed`: nobody can use it any more; `busy`: it runs a job. */
  async remove(id: number, signal?: AbortSignal): Promise<"removed" | "busy"> {
    const answer = await this.#client.request({
      need: this.#place.need(`remove a runner from ${this.#place.name}`),
      route: `DELETE ${this.#place.base}/{runner_id}`,
      parameters: { runner_id: id },
      expected: [404, 422],
      signal,
    });
    return answer.status === 422 ? "busy" : "removed";
  }

  /** All registered runners that the test admits. */
  async find(test: (runner: ListedRunner) => boolean, signal?: AbortSignal): Promise<ListedRunner[]> {
    const found: ListedRunner[] = [];
    for (let page = 1, seen = 0; ; page += 1) {
      const answer = await this.#client.request({
        need: this.#place.need(`list the runners of ${this.#place.name}`),
        route: `GET ${this.#place.base}`,
        parameters: { per_page: PAGE_SIZE, page },
        signal,
      });
      const { runners, total_count } = readAnswer(runnerPageSchema, answer, "list runners");
      found.push(...runners.filter(test));
      seen += runners.length;
      if (runners.length < PAGE_SIZE || seen >= total_count) return found;
    }
  }

  /** The runner program that GitHub offers to this repository now, for Linux on x64. */
  download(signal?: AbortSignal): Promise<RunnerDownload> {
    const need = this.#place.need(`register runners in ${this.#place.name}`);
    return insist(() => this.#downloadOnce(need, signal), this.#client.clock, { signal });
  }

  async #mintOnce(
    name: string,
    label: string,
    signal: AbortSignal | undefined,
  ): Promise<{ id: number; jitConfig: string }> {
    const need = this.#place.need(`register runners in ${this.#place.name}`);
    const answer = await this.#client.request({
      need,
      route: `POST ${this.#place.base}/generate-jitconfig`,
      parameters: { name, runner_group_id: this.#place.groupId, labels: [label] },
      expected: [409],
      signal,
    });
    if (answer.status !== 409) {
      // Doubt, not refusal: the registration exists, and the next try finds it by its name.
      const { encoded_jit_config: jitConfig, runner } = readAnswer(mintedSchema, answer, need.task);
      return { id: runner.id, jitConfig };
    }
    for (const stale of await this.find((runner) => runner.name === name, signal)) await this.remove(stale.id, signal);
    throw new GithubUnavailableError(need.task, `the name ${name} was taken`);
  }

  async #downloadOnce(need: TokenNeed, signal: AbortSignal | undefined): Promise<RunnerDownload> {
    const answer = await this.#client.request({ need, route: `GET ${this.#place.base}/downloads`, signal });
    const list = readAnswer(downloadsSchema, answer, need.task);
    const entry = list.find((candidate) => candidate.os === "linux" && candidate.architecture === "x64");
    if (!entry?.sha256_checksum)
      throw new GithubRefusedError(
        "find the runner program",
        answer.status,
        "no Linux x64 program with a SHA-256 is offered",
      );
    return { url: entry.download_url, sha256: entry.sha256_checksum.toLowerCase() };
  }
}
