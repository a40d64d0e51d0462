import { GithubClient } from "../../github/github-client.ts";
import { repositoryId } from "../../github/repository.ts";
import { Runners } from "../../github/runners/runners.ts";
import { RunAttempts } from "../../github/runs/run-attempts.ts";
import { RunCancel } from "../../github/runs/run-cancel.ts";
import { RunJobs } from "../../github/runs/run-jobs.ts";
import { ServiceClient } from "../../service/service-client.ts";
import { systemClock } from "../../time/clock.ts";
import { actionsLog } from "./actions-log.ts";
import { readProxy } from "./proxy.ts";
import type { RunContext } from "./run-context.ts";
import { maskSecret } from "./secrets.ts";

/** The rental service, opened with this step's key. */
export interface ServiceRoom extends AsyncDisposable {
  service: ServiceClient;
  clock: typeof systemClock;
  log: typeof actionsLog;
}

/** GitHub, opened with this step's tokens. */
export interface GithubRoom {
  runners: Runners;
  jobs: RunJobs;
  cancel: RunCancel;
  attempts: RunAttempts;
  /** The repository's numeric id, asked of GitHub where the platform did not tell it. */
  repositoryId(signal: AbortSignal): Promise<number>;
}

/** Both. */
export type Rooms = ServiceRoom & GithubRoom;

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
  const clock = systemClock;
  const proxy = readProxy();
  const options = { ...(until === undefined ? {} : { until }), ...(proxy ? { proxy } : {}) };
  const service = new ServiceClient({
    baseUrl: inputs["api-url"],
    apiKey: inputs["api-key"],
    clock,
    mask: maskSecret,
    ...options,
  });
  return { service, clock, log: actionsLog, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Opens GitHub, likewise. */
export function openGithub(inputs: GithubKeys, run: RunContext, until?: number): GithubRoom {
  const { owner, repo, apiUrl } = run;
  const common = { apiUrl, owner, repo, clock: systemClock, ...(until === undefined ? {} : { until }) };
  const asRegistrar = new GithubClient({ ...common, token: inputs["github-token"] });
  const asJob = new GithubClient({ ...common, token: inputs["job-token"] });
  return {
    runners: new Runners(asRegistrar, { kind: inputs["runner-scope"], groupId: inputs["runner-group-id"] }),
    jobs: new RunJobs(asJob, run),
    cancel: new RunCancel(asJob),
    attempts: new RunAttempts(asJob),
    repositoryId: async (signal) => run.repositoryId ?? (await repositoryId(asJob, signal)),
  };
}
