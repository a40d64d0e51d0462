import type { Clock } from "../shared/clock.ts";
import type { ProxySettings } from "../shared/http-client.ts";
import { GithubClient } from "./github-client.ts";
import { JobLogs } from "./job-log.ts";
import { type JobMatcher, RunJobs } from "./jobs.ts";
import { repositoryId } from "./repository.ts";
import { type RunnerScope, Runners } from "./runners.ts";
import { RunAttempts, RunCancel } from "./runs.ts";

/** The run and the job in which this step runs. */
export interface RunContext {
  owner: string;
  repo: string;
  /** Undefined where the platform does not tell it: then GitHub is asked. */
  repositoryId: number | undefined;
  runId: number;
  attempt: number;
  /** The job's key in the workflow. */
  jobName: string;
  runnerName: string | undefined;
  apiUrl: string;
  serverUrl: string;
  /** The label that the GPU job asks for. */
  runnerLabel: string;
}

/** GitHub, opened with the job's own token alone, which is all that the sweep has. */
export interface JobGithub {
  client: GithubClient;
  cancel: RunCancel;
  attempts: RunAttempts;
  /** The repository's numeric id, asked of GitHub where the platform did not tell it. */
  repositoryId(signal: AbortSignal): Promise<number>;
}

/** GitHub, opened with both of this step's tokens. */
export interface Github extends JobGithub {
  runners: Runners;
  jobs: RunJobs;
  logs: JobLogs;
}

/** What opening takes. No request is waited for after `until`, in milliseconds since the epoch. */
interface Opening {
  clock: Clock;
  until?: number | undefined;
  /** The proxy to the host that stores the logs of jobs. */
  proxy?: ProxySettings | undefined;
}

/** Opens GitHub with the job's own token. Asks nothing yet. */
export function openJobGithub(token: string, run: RunContext, opening: Opening): JobGithub {
  const client = clientOf(token, run, opening);
  return {
    client,
    cancel: new RunCancel(client),
    attempts: new RunAttempts(client),
    repositoryId: async (signal) => run.repositoryId ?? (await repositoryId(client, signal)),
  };
}

/** Opens GitHub with the job's token and the one that registers runners. Asks nothing yet. */
export function openGithub(
  tokens: { githubToken: string; jobToken: string; scope: RunnerScope },
  run: RunContext,
  opening: Opening,
): Github {
  const github = openJobGithub(tokens.jobToken, run, opening);
  const registrar = clientOf(tokens.githubToken, run, opening);
  return {
    ...github,
    runners: new Runners(registrar, tokens.scope),
    jobs: new RunJobs(github.client, run),
    logs: new JobLogs(github.client, { apiUrl: run.apiUrl, proxy: opening.proxy }),
  };
}

function clientOf(token: string, { apiUrl, owner, repo }: RunContext, { clock, until }: Opening): GithubClient {
  return new GithubClient({ apiUrl, owner, repo, token, clock, until });
}

/** The marks by which a session knows its jobs and its own job. */
export function jobMatcher(run: RunContext, checkRunId: string, runnerNamePrefix: string): JobMatcher {
  const own = { checkRunId: Number(checkRunId) || undefined, runnerName: run.runnerName, jobName: run.jobName };
  return { runnerLabel: run.runnerLabel, runnerNamePrefix, own };
}

/** The address of a run's page. */
export function runUrl({ serverUrl, owner, repo }: RunContext, runId: number | string): string {
  return `${serverUrl}/${owner}/${repo}/actions/runs/${runId}`;
}
