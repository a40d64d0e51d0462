import { GithubClient } from "../github/github-client.ts";
import { repositoryId } from "../github/repository-id.ts";
import { RunJobs } from "../github/run-jobs.ts";
import { RunnerDesk } from "../github/runner-desk.ts";
import { ServiceClient } from "../service/service-client.ts";
import { systemClock } from "../time/clock.ts";
import { actionsLog } from "./actions-log.ts";
import type { InputValues } from "./input-schema.ts";
import type { RunContext } from "./run-context.ts";
import { maskSecret } from "./secrets.ts";

/** The other rooms, opened with this step's keys. */
export interface Rooms extends AsyncDisposable {
  service: ServiceClient;
  desk: RunnerDesk;
  jobs: RunJobs;
  /** The repository's numeric id, asked of GitHub where the platform did not tell it. */
  repositoryId(signal: AbortSignal): Promise<number>;
  clock: typeof systemClock;
  log: typeof actionsLog;
}

type Keys = Pick<InputValues, "api-key" | "api-url" | "github-token" | "job-token">;

/** Opens the rooms. Nothing is asked of anybody yet. */
export function openRooms(inputs: Keys, run: RunContext): Rooms {
  const clock = systemClock;
  const service = new ServiceClient({ baseUrl: inputs["api-url"], apiKey: inputs["api-key"], clock, mask: maskSecret });
  const { owner, repo, apiUrl } = run;
  const asRegistrar = new GithubClient({ apiUrl, token: inputs["github-token"], owner, repo, clock });
  const asJob = new GithubClient({ apiUrl, token: inputs["job-token"], owner, repo, clock });
  return {
    service,
    desk: new RunnerDesk(asRegistrar),
    jobs: new RunJobs(asJob, run),
    repositoryId: async (signal) => run.repositoryId ?? (await repositoryId(asJob, signal)),
    clock,
    log: actionsLog,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
