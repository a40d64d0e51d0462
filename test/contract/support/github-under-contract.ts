import { test as plainTest } from "vitest";
import type { RunControl } from "../../../simulator/github/runs/run-control.ts";
import type { RunSpec } from "../../../simulator/github/runs/run-record.ts";
import { type GithubStandIn, startGithub } from "../../../simulator/github/start-github.ts";
import { GithubClient, type GithubOptions } from "../../../src/github/github-client.ts";
import { RunJobs } from "../../../src/github/jobs.ts";
import { Runners } from "../../../src/github/runners.ts";
import { AttachedRunner } from "../../simulator/support/attached-runner.ts";
import { githubClock } from "../../simulator/support/github.ts";
import { type HandClock, windingClock } from "../../simulator/support/hand-clock.ts";

/** The number of the run whose jobs the tests read. */
export const RUN_ID = 4711;
/** The label of the GPU jobs, and a runner's name. */
export const LABEL = "gpu-4711-1";
export const NAME = "gpu-4711-1-abcdef-1";

/** Tokens, by what they may do: nothing but see the repository, an organisation's runners, re-run a lost run. */
export const TOKEN = { poor: "ghs_poor", org: "ghs_of_the_organisation", rerun: "ghs_may_rerun" } as const;
const MAY = {
  poor: {},
  org: { organization_self_hosted_runners: "write" },
  rerun: { actions: "write", checks: "read", contents: "read" },
} as const;

/** A stand-in for GitHub and clients of it. Time stands still but for the clients' waits. */
export interface GithubUnderContract extends AsyncDisposable {
  readonly github: GithubStandIn;
  readonly clock: HandClock;
  /** With the token that may register runners. */
  readonly runners: Runners;
  /** With the workflow's own token. */
  readonly jobs: RunJobs;
  /** With the token that may register runners, unless told otherwise. */
  connect(options?: Partial<GithubOptions>): GithubClient;
  addRun(jobs: RunSpec["jobs"], more?: Partial<RunSpec>): RunControl;
  /** The statuses of one operation's answers, in order. */
  statuses(operation: string): (number | string)[];
  /** Registers so many runners; their ids. */
  mint(many: number): Promise<number[]>;
  /** Registers a runner whose listener is online. */
  attach(): Promise<{ id: number; runner: AttachedRunner }>;
}

type JobSpec = RunSpec["jobs"][number];
export const RENT_JOB: JobSpec = {
  name: "rent",
  labels: ["ubuntu-latest"],
  status: "in_progress",
  runnerName: "hosted-1",
};
export const GPU_JOB: JobSpec = { name: "test", labels: [LABEL] };
/** A run that is over. */
export const OVER: JobSpec[] = [{ ...GPU_JOB, status: "completed" }];
/** So many jobs of other people. */
export const manyJobs = (many: number): JobSpec[] =>
  Array.from({ length: many }, (_none, n) => ({ name: `job ${n}`, labels: ["ubuntu-latest"] }));

/** Starts a stand-in with the repository octo/gpu-lib, and connects clients. */
export async function openGithub(): Promise<GithubUnderContract> {
  const clock = githubClock();
  const spec = (name: keyof typeof TOKEN) => ({ name, kind: "integration" as const, permissions: MAY[name] });
  const tokens = { [TOKEN.poor]: spec("poor"), [TOKEN.org]: spec("org"), [TOKEN.rerun]: spec("rerun") };
  const github = await startGithub({ clock, tokens });
  const reach = { apiUrl: github.url, owner: "octo", repo: "gpu-lib", clock: windingClock(clock) };
  const connect = (options = {}) => new GithubClient({ ...reach, token: github.runnerToken, ...options });
  const runners = new Runners(connect());
  const mint = async (many: number) => {
    const ids: number[] = [];
    for (let n = 1; n <= many; n += 1) ids.push((await runners.registerRunner(`${NAME}-many-${n}`, LABEL)).id);
    return ids;
  };
  const attach = async () => {
    const { id, jitConfig } = await runners.registerRunner(NAME, LABEL);
    const runner = new AttachedRunner(github, jitConfig);
    await runner.connect();
    return { id, runner };
  };
  return {
    ...{ github, clock, runners, connect, mint, attach },
    jobs: new RunJobs(connect({ token: github.jobToken }), { runId: RUN_ID, attempt: 1 }),
    addRun: (jobs, more) => github.addRun({ repository: "octo/gpu-lib", runId: RUN_ID, jobs, ...more }),
    statuses: (operation) => github.journal.of(operation).map(({ status }) => status),
    [Symbol.asyncDispose]: () => github[Symbol.asyncDispose](),
  };
}

/** A test with a stand-in of its own, that ends with it. */
export const test = plainTest.extend<{ world: GithubUnderContract }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads what a fixture needs there
  world: async ({}, use) => {
    await using world = await openGithub();
    await use(world);
  },
});
