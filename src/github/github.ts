import { z } from "zod";
import type { Clock } from "../shared/clock.ts";
import type { ProxySettings } from "../shared/http-client.ts";
import { withRetry } from "../shared/retry.ts";
import { GithubClient, read } from "./github-client.ts";
import { JobLogs } from "./job-log.ts";
import { RunJobs } from "./jobs.ts";
import { type RunnerScope, Runners } from "./runners.ts";
import { Runs } from "./runs.ts";

/** The run, and the job of it, in which this step runs. */
export interface RunContext {
  owner: string;
  repo: string;
  /** Undefined if the platform does not give it. Then GitHub is asked. */
  repositoryId: number | undefined;
  runId: number;
  attempt: number;
  /** The job's key in the workflow. */
  jobName: string;
  /** The path of the workflow's file; undefined: it is none of this repository. */
  workflow: string | undefined;
  runnerName: string | undefined;
  apiUrl: string;
  serverUrl: string;
  /** The label that the GPU job asks for. */
  runnerLabel: string;
}

/** GitHub, opened with the job's own token alone, which is all that the sweep has. */
export type JobGithub = ReturnType<typeof openJobGithub>;

/** GitHub, opened with both of this step's tokens. */
export type Github = ReturnType<typeof openGithub>;

/** The tools of opening GitHub. No request is waited for after `until`, in milliseconds since the epoch. */
interface OpeningGithub {
  clock: Clock;
  until?: number | undefined;
  /** The proxy to the host that stores the logs of jobs. */
  proxy?: ProxySettings | undefined;
}

/** Opens GitHub with the job's own token. Sends no request yet. */
export function openJobGithub(token: string, run: RunContext, opening: OpeningGithub) {
  const client = clientOf(token, run, opening);
  return {
    client,
    runs: new Runs(client),
    /** Returns the repository's numeric id, and asks GitHub if the platform did not give it. */
    repositoryId: async (signal: AbortSignal) => run.repositoryId ?? (await repositoryId(client, signal)),
  };
}

/** Looks up the repository's numeric id, for platforms that do not set `GITHUB_REPOSITORY_ID`. */
export async function repositoryId(client: GithubClient, signal?: AbortSignal): Promise<number> {
  const ask = () =>
    read(client, z.looseObject({ id: z.number().int() }), {
      need: {
        input: "job-token",
        task: "read this repository",
        remedy: "Leave job-token at its default, the workflow's own GITHUB_TOKEN.",
      },
      route: "GET /repos/{owner}/{repo}",
      signal,
    });
  return (await withRetry(ask, { clock: client.clock, signal })).id;
}

/** Opens GitHub with the job's token and the one that registers runners. Sends no request yet. */
export function openGithub(
  tokens: { githubToken: string; jobToken: string; scope: RunnerScope },
  run: RunContext,
  opening: OpeningGithub,
) {
  const github = openJobGithub(tokens.jobToken, run, opening);
  const registrar = clientOf(tokens.githubToken, run, opening);
  return {
    ...github,
    runners: new Runners(registrar, tokens.scope),
    jobs: new RunJobs(github.client, run),
    logs: new JobLogs(github.client, { apiUrl: run.apiUrl, proxy: opening.proxy }),
  };
}

function clientOf(token: string, { apiUrl, owner, repo }: RunContext, { clock, until }: OpeningGithub): GithubClient {
  return new GithubClient({ apiUrl, owner, repo, token, clock, until });
}

/** Makes the address of a run's page. */
export function runUrl({ serverUrl, owner, repo }: RunContext, runId: number | string): string {
  return `${serverUrl}/${owner}/${repo}/actions/runs/${runId}`;
}
