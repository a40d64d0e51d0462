import { z } from "zod";
import { withRetry } from "../shared/retry.ts";
import { ConditionalReads, type GithubClient, PAGE_SIZE, read, readAnswer, sentenceOf } from "./github-client.ts";
import { GithubRefusedError, GithubUnavailableError, type TokenNeed } from "./github-errors.ts";

/** How long GitHub may hold a registration back. */
const REGISTERS_WITHIN_MS = 120_000;

/** Where the runner program is, and how to know that it is the right one. */
export interface RunnerDownload {
  url: string;
  sha256: string;
}

/** What a runner is that has a job, by what a list shows of it without one. */
export const WITH_JOB = {
  online: "busy",
  offline: "cut-off",
  busy: "busy",
  "cut-off": "cut-off",
  gone: "gone",
} as const;

/** GitHub, "Get a self-hosted runner". */
const runnerSchema = z
  .looseObject({
    id: z.number(),
    name: z.string(),
    status: z.string(),
    busy: z.boolean().nullish(),
    labels: z.array(z.looseObject({ name: z.string() })),
  })
  .transform(({ id, name, status, busy, labels }) => {
    const free = status === "online" ? "online" : "offline";
    return { id, name, labels: labels.map((label) => label.name), state: busy ? WITH_JOB[free] : free } as const;
  });

/** A runner as GitHub lists it. `busy`: it has a job. `cut-off`: it has a job and is not connected. */
export type ListedRunner = z.infer<typeof runnerSchema>;

/** A runner's state. `gone`: GitHub does not know it (any more), as it was removed or its job is over. */
export type RunnerState = ListedRunner["state"] | "gone";

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

/** The runner registrations of one repository, or of its organisation. */
export class Runners {
  readonly #client: GithubClient;
  readonly #place: ReturnType<typeof runnersPath>;
  readonly #reads: ConditionalReads;
  /** True once the list has several pages, between which a runner may move and look gone: no list is used then. */
  #areMany = false;
  #askedAlone = 0;

  constructor(client: GithubClient, scope: RunnerScope = { kind: "repo", groupId: 1 }) {
    this.#client = client;
    this.#place = runnersPath(client, scope);
    this.#reads = new ConditionalReads(client);
  }

  /** How many runners the last look asked for one by one, as a list could not hold them or did not show them. */
  get askedAlone(): number {
    return this.#askedAlone;
  }

  /** Registers a runner for one job. One that has the name, such as that of a lost answer, is removed first. */
  registerRunner(name: string, label: string, signal?: AbortSignal): Promise<{ id: number; jitConfig: string }> {
    const { clock } = this.#client;
    // After a longer wait the offer is old, and so is the deadline that its machine was given.
    const until = clock.now() + REGISTERS_WITHIN_MS;
    let isUncertain = false;
    const once = async () => {
      try {
        return await this.#registerOnce(name, label, isUncertain, signal);
      } catch (error) {
        isUncertain ||= error instanceof GithubUnavailableError;
        throw error;
      }
    };
    return withRetry(once, { clock, signal, until });
  }

  /** Looks up each of these by one request for all, free if unchanged. Throws if a state can't be read. */
  async look(ids: ReadonlySet<number>, signal?: AbortSignal): Promise<ReadonlyMap<number, RunnerState>> {
    // A single runner is asked for by its id: that answer does not change with every other runner
    // of the place.
    const listed = ids.size > 1 && !this.#areMany ? await this.#listOnce(signal) : [];
    const states = new Map<number, RunnerState>(listed.map(({ id, state }) => [id, state]));
    this.#askedAlone = [...ids].filter((id) => !states.has(id)).length;
    const one = async (id: number) => [id, states.get(id) ?? (await this.#lookAtOne(id, signal))] as const;
    return new Map(await Promise.all([...ids].map(one)));
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
    if (answer.status === 422) return "busy";
    // GitHub answers the same to a token that may see the runner no more: the list, by the same token, must lack it.
    const isListed = answer.status === 404 && (await this.find((runner) => runner.id === id, signal)).length > 0;
    if (isListed) throw new GithubUnavailableError("remove a runner", "404 for a runner that is listed");
    return "removed";
  }

  /** Lists the registered runners for which the test is true. */
  async find(test: (runner: ListedRunner) => boolean, signal?: AbortSignal): Promise<ListedRunner[]> {
    const found: ListedRunner[] = [];
    for (let page = 1, seen = 0; ; page += 1) {
      const call = { ...this.#listing(signal), parameters: { per_page: PAGE_SIZE, page } };
      const { runners, total_count } = await read(this.#client, runnerPageSchema, call);
      found.push(...runners.filter(test));
      seen += runners.length;
      if (runners.length < PAGE_SIZE || seen >= total_count) return found;
    }
  }

  /** Looks up the runner program for Linux on x64 that GitHub offers now. */
  async download(signal?: AbortSignal): Promise<RunnerDownload> {
    const need = this.#place.need(`register runners in ${this.#place.name}`);
    const call = { need, route: `GET ${this.#place.base}/downloads`, signal };
    const ask = () => read(this.#client, downloadsSchema, call);
    const list = await withRetry(ask, { clock: this.#client.clock, signal });
    const entry = list.find(({ os, architecture }) => os === "linux" && architecture === "x64");
    if (entry?.sha256_checksum) return { url: entry.download_url, sha256: entry.sha256_checksum.toLowerCase() };
    throw new GithubRefusedError("find the runner program", 200, "no Linux x64 program with a SHA-256 is offered");
  }

  /** `isUncertain`: a request before had no answer, and may have taken the name. */
  async #registerOnce(name: string, label: string, isUncertain: boolean, signal?: AbortSignal) {
    const need = this.#place.need(`register runners in ${this.#place.name}`);
    const answer = await this.#client.request({
      need,
      route: `POST ${this.#place.base}/generate-jitconfig`,
      parameters: { name, runner_group_id: this.#place.groupId, labels: [label] },
      expected: [409],
      signal,
    });
    if (answer.status !== 409) {
      // Throws GithubUnavailableError, so that it is tried again: the registration exists, and the next
      // try finds it by its name.
      const { encoded_jit_config: jitConfig, runner } = readAnswer(registeredSchema, answer, need.task);
      return { id: runner.id, jitConfig };
    }
    const stale = await this.find((runner) => runner.name === name, signal);
    for (const { id } of stale) await this.remove(id, signal);
    const sentence = sentenceOf(answer.data, `the name ${name} is taken`);
    // The list shows late what was just made: a name that we may have taken ourselves is no refusal.
    if (stale.length === 0 && !isUncertain) throw new GithubRefusedError(need.task, answer.status, sentence);
    throw new GithubUnavailableError(need.task, `${answer.status}: ${sentence}`);
  }

  /** Lists all runners by one request; none if one page does not hold them. */
  async #listOnce(signal?: AbortSignal): Promise<readonly ListedRunner[]> {
    const call = { ...this.#listing(signal), parameters: { per_page: PAGE_SIZE } };
    const page = readAnswer(runnerPageSchema, await this.#reads.read(call), call.need.task);
    this.#areMany = page.total_count > PAGE_SIZE;
    return this.#areMany ? [] : page.runners;
  }

  #listing(signal?: AbortSignal) {
    const need = this.#place.need(`list the runners of ${this.#place.name}`);
    return { need, route: `GET ${this.#place.base}`, signal };
  }

  async #lookAtOne(id: number, signal?: AbortSignal): Promise<RunnerState> {
    const need = this.#place.need(`look at a runner of ${this.#place.name}`);
    const answer = await this.#reads.read({
      need,
      route: `GET ${this.#place.base}/{runner_id}`,
      parameters: { runner_id: id },
      expected: [404],
      signal,
    });
    if (answer.status !== 404) return readAnswer(runnerSchema, answer, need.task).state;
    // GitHub hides by the same answer what a token may no longer see, and shows late what was just
    // made: the list must say the same.
    return (await this.#listOnce(signal)).find((runner) => runner.id === id)?.state ?? "gone";
  }
}

/** Where runners are registered: at a repository, or in a group of its organisation. */
export interface RunnerScope {
  kind: "repo" | "org";
  /** 1 is the group "Default", which every repository and organisation has. */
  groupId: number;
}

/** Names a runner scope: `base` begins all routes, `name` is for people, `need` says what a token needs for a task. */
function runnersPath({ owner, repository }: GithubClient, { kind, groupId }: RunnerScope) {
  const isOrg = kind === "org";
  const remedy = isOrg
    ? `Grant it on ${owner}: a fine-grained token or a GitHub App needs the organisation permission "Self-hosted runners: write", ` +
      "a classic token the scope `admin:org`. Check runner-group-id, too: GitHub hides a group that is not there behind the same answer. " +
      "runner-scope: org needs an organisation; a person's repositories have none."
    : `Grant the repository permission "Administration: write" on ${repository} to the fine-grained token or the GitHub App ` +
      "(a classic token needs the scope `repo` of a repository administrator), or use runner-scope: org. The workflow's own GITHUB_TOKEN can never do it. " +
      "If the token has that permission, an owner of the organisation has to allow self-hosted runners for this repository (Settings, Actions, General).";
  return {
    base: `${isOrg ? "/orgs/{owner}" : "/repos/{owner}/{repo}"}/actions/runners`,
    name: isOrg ? `the organisation ${owner}` : repository,
    groupId,
    need: (task: string): TokenNeed => ({ input: "github-token", task, remedy }),
  };
}
