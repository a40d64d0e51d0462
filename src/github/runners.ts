import { z } from "zod";
import { withRetry } from "../shared/retry.ts";
import { ConditionalReads, type GithubClient, readAnswer } from "./github-client.ts";
import { GithubRefusedError, GithubUnavailableError, type TokenNeed } from "./github-errors.ts";

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
   * Registers a runner for one job, and returns its configuration, which is a secret. A runner that
   * has the name already, left over or from a request that got no answer, is removed first.
   */
  registerRunner(name: string, label: string, signal?: AbortSignal): Promise<{ id: number; jitConfig: string }> {
    return withRetry(() => this.#registerOnce(name, label, signal), { clock: this.#client.clock, signal });
  }

  /**
   * Looks up the state of each of these runners by one request for all; GitHub does not count
   * unchanged answers. Throws GithubUnavailableError or GithubTokenError if a state can't be told:
   * that is no evidence of anything.
   */
  look(ids: ReadonlySet<number>, signal?: AbortSignal): Promise<ReadonlyMap<number, RunnerState>> {
    return this.#looks.look(ids, signal);
  }

  /** True if there are so many runners that a look asks for each by its id. */
  get areMany(): boolean {
    return this.#looks.areMany;
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

  /** Lists the registered runners for which the test is true. */
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

  /** Looks up the runner program for Linux on x64 that GitHub offers now. */
  download(signal?: AbortSignal): Promise<RunnerDownload> {
    const need = this.#place.need(`register runners in ${this.#place.name}`);
    return withRetry(() => this.#downloadOnce(need, signal), { clock: this.#client.clock, signal });
  }

  async #registerOnce(
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
      const { encoded_jit_config: jitConfig, runner } = readAnswer(registeredSchema, answer, need.task);
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

/**
 * A runner's state. `busy`: it has a job. `cut-off`: it has a job and is not connected. `gone`:
 * GitHub does not know it (any more); it was removed, or its job is over.
 */
export type RunnerState = "online" | "busy" | "cut-off" | "offline" | "gone";

/** A runner of the repository as GitHub lists it. */
export interface ListedRunner {
  id: number;
  name: string;
  labels: string[];
  state: Exclude<RunnerState, "gone">;
}

/** Where the runner program is, and how to know that it is the right one. */
export interface RunnerDownload {
  url: string;
  sha256: string;
}

/** GitHub, "Get a self-hosted runner". */
const runnerSchema = z
  .looseObject({
    id: z.number(),
    name: z.string(),
    status: z.string(),
    busy: z.boolean().nullish(),
    labels: z.array(z.looseObject({ name: z.string() })),
  })
  .transform(({ id, name, status, busy, labels }): ListedRunner => {
    const connection = status === "online" ? "online" : "offline";
    return {
      id,
      name,
      labels: labels.map((label) => label.name),
      state: busy ? (connection === "online" ? "busy" : "cut-off") : connection,
    };
  });

/** GitHub, "List self-hosted runners". */
const runnerPageSchema = z.looseObject({ total_count: z.number(), runners: z.array(runnerSchema) });

/** GitHub, "Create configuration for a just-in-time runner". */
const registeredSchema = z.looseObject({
  runner: z.looseObject({ id: z.number() }),
  encoded_jit_config: z.string().min(1),
});

/** GitHub, "List runner applications". */
const downloadsSchema = z.array(
  z.looseObject({
    os: z.string(),
    architecture: z.string(),
    download_url: z.string(),
    sha256_checksum: z.string().optional(),
  }),
);

const LOOK_PAGE_SIZE = 100;

/** Looks at our runners again and again, by one request for all of them. */
class RunnerLooks {
  readonly #place: RunnerPlace;
  readonly #reads: ConditionalReads;
  /**
   * Set once the list has several pages: a runner that moves from one page to another between two
   * requests looks gone.
   */
  #isLarge = false;

  constructor(client: GithubClient, place: RunnerPlace) {
    this.#place = place;
    this.#reads = new ConditionalReads(client);
  }

  /** Looks up each runner's state. Throws GithubUnavailableError or GithubTokenError if one can't be told. */
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

  /** True if there are so many runners that a look asks for each by its id. */
  get areMany(): boolean {
    return this.#isLarge;
  }

  /** Lists all runners; none if one page does not hold them. */
  async #list(signal: AbortSignal | undefined): Promise<ListedRunner[]> {
    const task = `list the runners of ${this.#place.name}`;
    const answer = await this.#reads.read("list", {
      need: this.#place.need(task),
      route: `GET ${this.#place.base}`,
      parameters: { per_page: LOOK_PAGE_SIZE },
      signal,
    });
    const page = readAnswer(runnerPageSchema, answer, task);
    this.#isLarge = page.total_count > LOOK_PAGE_SIZE;
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

/** The place of runners: a repository, or its organisation and a group of runners there. */
export interface RunnerScope {
  kind: "repo" | "org";
  /** 1 is the group "Default", which every repository and organisation has. */
  groupId: number;
}

/** A runner scope, as requests and messages name it. */
interface RunnerPlace {
  /** The beginning of all routes. */
  base: string;
  /** The repository or organisation, in words. */
  name: string;
  groupId: number;
  /** Says what a token needs for this task. */
  need(task: string): TokenNeed;
}

/** Says how requests and messages name a scope. */
function placeOf({ owner, repository }: GithubClient, { kind, groupId }: RunnerScope): RunnerPlace {
  const isOrg = kind === "org";
  const remedy = isOrg ? remedyOfOrg(owner) : remedyOfRepo(repository);
  return {
    base: `${isOrg ? "/orgs/{owner}" : "/repos/{owner}/{repo}"}/actions/runners`,
    name: isOrg ? `the organisation ${owner}` : repository,
    groupId,
    need: (task) => ({ input: "github-token", task, remedy }),
  };
}

function remedyOfRepo(repository: string): string {
  return (
    `Grant the repository permission "Administration: write" on ${repository} to the fine-grained token or the GitHub App ` +
    "(a classic token needs the scope `repo` of a repository administrator), or use runner-scope: org. The workflow's own GITHUB_TOKEN can never do it."
  );
}

function remedyOfOrg(organisation: string): string {
  return (
    `Grant it on ${organisation}: a fine-grained token or a GitHub App needs the organisation permission "Self-hosted runners: write", ` +
    "a classic token the scope `admin:org`. Check runner-group-id, too: GitHub hides a group that is not there behind the same answer. " +
    "runner-scope: org needs an organisation; a person's repositories have none."
  );
}
