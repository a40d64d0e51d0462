import { z } from "zod";
import type { GithubClient } from "./github-client.ts";
import { GithubDoubtError, GithubRefusedError, type TokenNeed } from "./github-errors.ts";

/** A runner of the repository as GitHub lists it. */
export interface ListedRunner {
  id: number;
  name: string;
  labels: string[];
}

/** Where the runner program is, and how to know that it is the right one. */
export interface RunnerDownload {
  url: string;
  sha256: string;
}

const PAGE_SIZE = 100;
const MINT_TRIES = 4;
const MINT_PAUSE_MS = 2000;

/** Where runners are registered: with one repository, or with its organisation, in a group of runners. */
export interface RunnerScope {
  kind: "repo" | "org";
  /** 1 is the group "Default", which every repository and organisation has. */
  groupId: number;
}

const listedRunner = z
  .looseObject({ id: z.number(), name: z.string(), labels: z.array(z.looseObject({ name: z.string() })) })
  .transform(
    (runner): ListedRunner => ({ id: runner.id, name: runner.name, labels: runner.labels.map((label) => label.name) }),
  );
const runnerPage = z.looseObject({ total_count: z.number(), runners: z.array(listedRunner) });
const minted = z.looseObject({ runner: z.looseObject({ id: z.number() }), encoded_jit_config: z.string().min(1) });
const online = z.looseObject({ status: z.string() });
const downloads = z.array(
  z.looseObject({
    os: z.string(),
    architecture: z.string(),
    download_url: z.string(),
    sha256_checksum: z.string().optional(),
  }),
);

/** Runner registrations of one repository, or of its organisation. */
export class RunnerDesk {
  readonly #client: GithubClient;
  readonly #need: TokenNeed;
  readonly #groupId: number;
  /** Of all routes. */
  readonly #base: string;
  /** The repository or organisation, for messages. */
  readonly #place: string;
  readonly #looks = new Map<number, { etag: string; data: unknown }>();

  constructor(client: GithubClient, scope: RunnerScope = { kind: "repo", groupId: 1 }) {
    const isOrg = scope.kind === "org";
    this.#client = client;
    this.#groupId = scope.groupId;
    this.#base = `${isOrg ? "/orgs/{owner}" : "/repos/{owner}/{repo}"}/actions/runners`;
    this.#place = isOrg ? `the organisation ${client.owner}` : client.repository;
    const remedy = isOrg ? remedyOfOrg(client.owner) : remedyOfRepo(client.repository);
    this.#need = { input: "github-token", task: `register runners in ${this.#place}`, remedy };
  }

  /**
   * Registers a runner that can run one job, and returns its configuration, which is a secret. A runner of that name that is left
   * over, or that a lost answer made, is removed first.
   */
  async mint(name: string, label: string, signal?: AbortSignal): Promise<{ id: number; jitConfig: string }> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#mintOnce(name, label, signal);
      } catch (error) {
        if (attempt >= MINT_TRIES || !(error instanceof GithubDoubtError)) throw error;
        await this.#client.clock.sleep(MINT_PAUSE_MS * 2 ** (attempt - 1), signal);
      }
    }
  }

  /** Whether the runner is connected; `gone` when GitHub does not know it any more (removed, or done with its job). */
  async status(id: number, signal?: AbortSignal): Promise<"online" | "offline" | "gone"> {
    const known = this.#looks.get(id);
    const answer = await this.#client.request({
      need: this.#need,
      route: `GET ${this.#base}/{runner_id}`,
      parameters: { runner_id: id },
      headers: known ? { "if-none-match": known.etag } : {},
      expected: [304, 404],
      signal,
    });
    if (answer.status === 404) return "gone";
    const data = answer.status === 304 ? known?.data : answer.data;
    const etag = answer.headers.etag;
    if (answer.status !== 304 && typeof etag === "string") this.#looks.set(id, { etag, data });
    const runner = online.safeParse(data);
    if (!runner.success) throw new GithubDoubtError("look at a runner", "the answer could not be read");
    return runner.data.status === "online" ? "online" : "offline";
  }

  /** Removes a registration: `removed` when nobody can use it any more, `busy` when it runs a job. */
  async remove(id: number, signal?: AbortSignal): Promise<"removed" | "busy"> {
    const answer = await this.#client.request({
      need: { ...this.#need, task: `remove a runner from ${this.#place}` },
      route: `DELETE ${this.#base}/{runner_id}`,
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
        need: { ...this.#need, task: `list the runners of ${this.#place}` },
        route: `GET ${this.#base}`,
        parameters: { per_page: PAGE_SIZE, page },
        signal,
      });
      const read = runnerPage.safeParse(answer.data);
      if (!read.success) throw new GithubDoubtError("list runners", "the answer could not be read");
      found.push(...read.data.runners.filter(test));
      seen += read.data.runners.length;
      if (read.data.runners.length < PAGE_SIZE || seen >= read.data.total_count) return found;
    }
  }

  /** The runner program that GitHub offers to this repository now, for Linux on x64. */
  async download(signal?: AbortSignal): Promise<RunnerDownload> {
    const task = `find the runner program for ${this.#place}`;
    const route = `GET ${this.#base}/downloads`;
    const answer = await this.#client.request({ need: { ...this.#need, task }, route, signal });
    const list = downloads.safeParse(answer.data).data ?? [];
    const entry = list.find((candidate) => candidate.os === "linux" && candidate.architecture === "x64");
    if (!entry?.sha256_checksum)
      throw new GithubRefusedError(task, answer.status, "no Linux x64 program with a SHA-256 is offered");
    return { url: entry.download_url, sha256: entry.sha256_checksum.toLowerCase() };
  }

  async #mintOnce(
    name: string,
    label: string,
    signal: AbortSignal | undefined,
  ): Promise<{ id: number; jitConfig: string }> {
    const answer = await this.#client.request({
      need: this.#need,
      route: `POST ${this.#base}/generate-jitconfig`,
      parameters: { name, runner_group_id: this.#groupId, labels: [label] },
      expected: [409],
      signal,
    });
    if (answer.status !== 409) return readMinted(answer.data, this.#need);
    for (const stale of await this.find((runner) => runner.name === name, signal)) await this.remove(stale.id, signal);
    throw new GithubDoubtError(this.#need.task, `the name ${name} was taken`);
  }
}

function remedyOfRepo(repository: string): string {
  return (
    `Grant it on ${repository}: a fine-grained token or a GitHub App needs the repository permission ` +
    '"Administration: write", a classic token the scope `repo` of a repository administrator. The workflow\'s own GITHUB_TOKEN can never do it.'
  );
}

function remedyOfOrg(organisation: string): string {
  return (
    `Grant it on ${organisation}: a fine-grained token or a GitHub App needs the organisation permission "Self-hosted runners: write", ` +
    "a classic token the scope `admin:org`. Check runner-group-id, too: GitHub hides a group that is not there behind the same answer. " +
    "runner-scope: org needs an organisation; a person's repositories have none."
  );
}

function readMinted(data: unknown, need: TokenNeed): { id: number; jitConfig: string } {
  const read = minted.safeParse(data);
  // Doubt, not refusal: the registration exists, and the next try finds it by its name.
  if (!read.success) throw new GithubDoubtError(need.task, "the answer could not be read");
  return { id: read.data.runner.id, jitConfig: read.data.encoded_jit_config };
}
