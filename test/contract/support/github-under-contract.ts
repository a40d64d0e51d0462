import type { RunControl } from "../../../simulator/github/runs/run-control.ts";
import type { RunSpec } from "../../../simulator/github/runs/run-record.ts";
import { type GithubStandIn, startGithub } from "../../../simulator/github/start-github.ts";
import type { TokenSpec } from "../../../simulator/github/tokens.ts";
import { GithubClient, type GithubOptions } from "../../../src/github/github-client.ts";
import { RunJobs } from "../../../src/github/jobs.ts";
import { Runners } from "../../../src/github/runners.ts";
import { AttachedRunner } from "../../simulator/support/attached-runner.ts";
import { githubClock } from "../../simulator/support/github.ts";
import type { HandClock } from "../../simulator/support/hand-clock.ts";
import { windingClock } from "./winding-clock.ts";

/** The number of the run whose jobs the tests read. */
export const RUN_ID = 4711;

/** A token that may do nothing but see the repository. */
export const POOR_TOKEN = "ghs_poor";

/** A stand-in for GitHub and clients of it. Time stands still but for the clients' waits. */
export interface GithubUnderContract extends AsyncDisposable {
  readonly github: GithubStandIn;
  readonly clock: HandClock;
  /** With the token that may register runners. */
  readonly runners: Runners;
  /** With the workflow's own token. */
  readonly jobs: RunJobs;
  connect(options?: Partial<GithubOptions>): GithubClient;
  addRun(jobs: RunSpec["jobs"], attempt?: number, more?: Partial<RunSpec>): RunControl;
  /** The statuses of one operation's answers, in order. */
  statuses(operation: string): (number | string)[];
  /** Registers so many runners; their ids. */
  mint(many: number): Promise<number[]>;
  /** Registers a runner whose listener is online. */
  attach(): Promise<{ id: number; runner: AttachedRunner }>;
}

/** The label of the GPU jobs, and a runner's name. */
export const LABEL = "gpu-4711-1";
export const NAME = "gpu-4711-1-abcdef-1";

type JobSpec = RunSpec["jobs"][number];
export const RENT_JOB: JobSpec = {
  name: "rent",
  labels: ["ubuntu-latest"],
  status: "in_progress",
  runnerName: "hosted-1",
};
export const GPU_JOB: JobSpec = { name: "test", labels: [LABEL] };

/** Starts a stand-in and connects our clients. */
export async function startContract(tokens: Readonly<Record<string, TokenSpec>> = {}): Promise<GithubUnderContract> {
  const clock = githubClock();
  const poor: TokenSpec = { name: "poor", kind: "integration", permissions: {} };
  const github = await startGithub({ clock, tokens: { [POOR_TOKEN]: poor, ...tokens } });
  const connect = (options: Partial<GithubOptions> = {}) =>
    new GithubClient({
      apiUrl: github.url,
      token: github.runnerToken,
      owner: "octo",
      repo: "gpu-lib",
      clock: windingClock(clock),
      ...options,
    });
  const runners = new Runners(connect());
  const register = (name = NAME) => runners.registerRunner(name, LABEL);
  return {
    github,
    clock,
    runners,
    jobs: new RunJobs(connect({ token: github.jobToken }), { runId: RUN_ID, attempt: 1 }),
    connect,
    addRun: (jobs, attempt = 1, more = {}) =>
      github.addRun({ repository: "octo/gpu-lib", runId: RUN_ID, attempt, jobs, ...more }),
    statuses: (operation) => github.journal.of(operation).map(({ status }) => status),
    mint: async (many) => {
      const ids: number[] = [];
      for (let n = 1; n <= many; n += 1) ids.push((await register(`${NAME}-many-${n}`)).id);
      return ids;
    },
    attach: async () => {
      const { id, jitConfig } = await register();
      const runner = new AttachedRunner(github, jitConfig);
      await runner.connect();
      return { id, runner };
    },
    [Symbol.asyncDispose]: () => github[Symbol.asyncDispose](),
  };
}
