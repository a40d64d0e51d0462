import type { RunControl } from "../../../simulator/github/runs/run-control.ts";
import type { RunSpec } from "../../../simulator/github/runs/run-record.ts";
import { type GithubStandIn, startGithub } from "../../../simulator/github/start-github.ts";
import type { TokenSpec } from "../../../simulator/github/tokens.ts";
import { GithubClient, type GithubOptions } from "../../../src/github/github-client.ts";
import { RunJobs } from "../../../src/github/jobs.ts";
import { Runners } from "../../../src/github/runners.ts";
import { type HandClock, handClock } from "../../simulator/service-under-test.ts";
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
  addRun(jobs: RunSpec["jobs"], attempt?: number): RunControl;
}

/** Starts a stand-in and connects our clients. */
export async function startContract(tokens: Readonly<Record<string, TokenSpec>> = {}): Promise<GithubUnderContract> {
  const hand = handClock();
  // The stand-in sleeps for no time before each answer.
  const clock: HandClock = { ...hand, sleep: async (ms, signal) => (ms > 0 ? hand.sleep(ms, signal) : undefined) };
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
  return {
    github,
    clock,
    runners: new Runners(connect()),
    jobs: new RunJobs(connect({ token: github.jobToken }), { runId: RUN_ID, attempt: 1 }),
    connect,
    addRun: (jobs, attempt = 1) => github.addRun({ repository: "octo/gpu-lib", runId: RUN_ID, attempt, jobs }),
    [Symbol.asyncDispose]: () => github[Symbol.asyncDispose](),
  };
}
