import { GithubClient } from "../github/github-client.ts";
import { repositoryId } from "../github/repository.ts";
import { RunAttempts } from "../github/run-attempts.ts";
import { RunCancel } from "../github/run-cancel.ts";
import { RunJobs } from "../github/run-jobs.ts";
import { Runners } from "../github/runners.ts";
import type { Marketplace } from "../marketplace/marketplace.ts";
import { systemClock } from "../shared/clock.ts";
import { ServiceClient } from "../vast/service-client.ts";
import { VastMarketplace } from "../vast/vast-marketplace.ts";
import { actionsLog } from "./actions-log.ts";
import { readProxy } from "./proxy.ts";
import type { RunContext } from "./run-context.ts";
import { maskSecret } from "./secrets.ts";

/** The rental service, opened with this step's key. */
export interface ServiceRoom extends AsyncDisposable {
  service: Marketplace;
  clock: typeof systemClock;
  log: typeof actionsLog;
}

/** GitHub, opened with the job's own token alone, which is all that the sweep has. */
export interface JobRoom {
  client: GithubClient;
  cancel: RunCancel;
  attempts: RunAttempts;
  /** The repository's numeric id, asked of GitHub where the platform did not tell it. */
  repositoryId(signal: AbortSignal): Promise<number>;
}

/** GitHub, opened with both of this step's tokens. */
export interface GithubRoom extends JobRoom {
  runners: Runners;
  jobs: RunJobs;
}

/** Both. */
export type Clients = ServiceRoom & GithubRoom;

/** The inputs that open the service. */
interface ServiceKeys {
  "api-key": string;
  "api-url": string;
}

/** The inputs that open GitHub. */
interface GithubKeys {
  "github-token": string;
  "job-token": string;
  "runner-scope": "repo" | "org";
  "runner-group-id": number;
}

/** Opens the service, asking nothing yet. `until`: no wait goes on after it, ms since the epoch. */
export function openService(inputs: ServiceKeys, until?: number): ServiceRoom {
  const { "api-key": apiKey, "api-url": baseUrl } = inputs;
  const clock = systemClock;
  const client = new ServiceClient({ baseUrl, apiKey, clock, mask: maskSecret, until, proxy: readProxy() });
  const service = new VastMarketplace(client);
  return { service, clock, log: actionsLog, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Opens GitHub, likewise. */
export function openGithub(inputs: GithubKeys, run: RunContext, until?: number): GithubRoom {
  const asRegistrar = githubClient(inputs["github-token"], run, until);
  const room = openJobRoom(inputs["job-token"], run, until);
  const scope = { kind: inputs["runner-scope"], groupId: inputs["runner-group-id"] };
  return { ...room, runners: new Runners(asRegistrar, scope), jobs: new RunJobs(room.client, run) };
}

/** The part of it that needs no token but the job's own. */
export function openJobRoom(token: string, run: RunContext, until?: number): JobRoom {
  const client = githubClient(token, run, until);
  return {
    client,
    cancel: new RunCancel(client),
    attempts: new RunAttempts(client),
    repositoryId: async (signal) => run.repositoryId ?? (await repositoryId(client, signal)),
  };
}

function githubClient(token: string, { apiUrl, owner, repo }: RunContext, until: number | undefined): GithubClient {
  return new GithubClient({ apiUrl, owner, repo, token, until, clock: systemClock });
}
