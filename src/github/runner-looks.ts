import { readAnswer } from "./answer.ts";
import { ConditionalReads } from "./conditional-reads.ts";
import type { GithubClient } from "./github-client.ts";
import { type ListedRunner, type RunnerState, runnerPageSchema, runnerSchema } from "./runner.ts";
import type { RunnerPlace } from "./runner-scope.ts";

const PAGE_SIZE = 100;

/** Looks at runners of ours, again and again, at the price of one request for all of them. */
export class RunnerLooks {
  readonly #place: RunnerPlace;
  readonly #reads: ConditionalReads;
  /** Set when there are several pages: a runner that changes pages between requests looks gone. */
  #isLarge = false;

  constructor(client: GithubClient, place: RunnerPlace) {
    this.#place = place;
    this.#reads = new ConditionalReads(client);
  }

  /** Each runner's state. Throws GithubUnavailableError or GithubTokenError when one can't be told. */
  async look(ids: ReadonlySet<number>, signal?: AbortSignal): Promise<ReadonlyMap<number, RunnerState>> {
    // For a single one its own answer is the better: it does not change with every other runner of
    // the place.
    const listed = ids.size > 1 && !this.#isLarge ? await this.#list(signal) : [];
    const states = new Map<number, RunnerState>(listed.map(({ id, state }) => [id, state]));
    await Promise.all(
      [...ids].filter((id) => !states.has(id)).map(async (id) => states.set(id, await this.#lookAtOne(id, signal))),
    );
    return new Map([...ids].map((id) => [id, states.get(id) ?? "gone"]));
  }

  /** All runners of the place, or none when a page does not hold them. */
  async #list(signal: AbortSignal | undefined): Promise<ListedRunner[]> {
    const task = `list the runners of ${this.#place.name}`;
    const answer = await this.#reads.read("list", {
      need: this.#place.need(task),
      route: `GET ${this.#place.base}`,
      parameters: { per_page: PAGE_SIZE },
      signal,
    });
    const page = readAnswer(runnerPageSchema, answer, task);
    this.#isLarge = page.total_count > PAGE_SIZE;
    return this.#isLarge ? [] : page.runners;
  }

  async #lookAtOne(id: number, signal: AbortSignal | undefined): Promise<RunnerState> {
    const answer = await this.#reads.read(String(id), {
      need: this.#place.need(`look at a runner of ${this.#place.name}`),
      route: `GET ${this.#place.base}/{runner_id}`,
      parameters: { runner_id: id },
      expected: [404],
      signal,
    });
    if (answer.status === 404) {
      // GitHub hides by the same answer what a token may no longer see, and shows late what was
      // just made: the list must say the same.
      const listed = (await this.#list(signal)).find((runner) => runner.id === id);
      return listed?.state ?? "gone";
    }
    return readAnswer(runnerSchema, answer, "look at a runner").state;
  }
}
