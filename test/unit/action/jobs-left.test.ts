import { beforeEach, describe, expect, test } from "vitest";
import { DestroyedUnderJobError, jobsLeft, judgeJobsLeft } from "../../../src/action/jobs-left.ts";
import type { Ledger } from "../../../src/action/ledger.ts";
import type { Rooms } from "../../../src/action/rooms.ts";
import type { RunContext } from "../../../src/action/run-context.ts";
import { GithubDoubtError } from "../../../src/github/github-errors.ts";
import { completedJob, OUR_RUNNER, OWN_JOB, RUNNER_LABEL, runningJob, waitingJob } from "../support/a-job.ts";
import { FakeGithub } from "../support/fake-github.ts";
import { RecordedLog } from "../support/recorded-log.ts";

const RUN: RunContext = {
  owner: "octo",
  repo: "gpu-lib",
  repositoryId: 1,
  runId: 4711,
  attempt: 1,
  jobName: "rent",
  runnerName: "hosted-1",
  apiUrl: "https://api.github.com",
  serverUrl: "https://github.com",
  runnerLabel: RUNNER_LABEL,
};
const LEDGER: Ledger = {
  prefix: "ghr1.1.4711-1.abcdef",
  runners: new Map([[1, OUR_RUNNER]]),
  pending: new Map(),
  created: new Map(),
  reports: new Map(),
};

let github: FakeGithub;
let log: RecordedLog;

beforeEach(() => {
  github = new FakeGithub();
  log = new RecordedLog();
});

async function judging(jobs: object[] | Error, destroyedOne: boolean, jobStatus: string): Promise<void> {
  github.jobs = (jobs instanceof Error ? jobs : [OWN_JOB, ...jobs]) as typeof github.jobs;
  // All that is asked of the rooms here.
  const rooms = { jobs: github.runJobs, log } as unknown as Rooms;
  judgeJobsLeft(rooms, RUN, { jobs: await jobsLeft(rooms, RUN, LEDGER), destroyedOne, jobStatus });
}

describe("this job had succeeded, and post took the machine away", () => {
  test.each([
    ["running", runningJob(), "the GPU job was running"],
    ["waiting", waitingJob(), "the GPU job was waiting for it"],
  ])("under a %s job: fails", async (_state, job, words) => {
    const error = await judging([job], true, "success").catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(DestroyedUnderJobError);
    expect(error).toMatchObject({ message: expect.stringContaining(words), hint: expect.stringContaining("hold") });
  });

  test("and the GPU job is over: nothing to say", async () => {
    await judging([completedJob("success")], true, "success");
    expect(log.warnings).toEqual([]);
  });
});

describe("only tells", () => {
  test.each([
    ["when this job was cancelled", true, "cancelled"],
    ["when this job had failed", true, "failure"],
    ["when the machine had given itself back", false, "success"],
  ])("%s", async (_when, destroyedOne, jobStatus) => {
    await judging([waitingJob()], destroyedOne, jobStatus);
    expect(log.warnings).toEqual([expect.stringContaining("https://github.com/octo/gpu-lib/actions/runs/4711")]);
  });
});

test("a list that can't be read is no reason to fail", async () => {
  await judging(new GithubDoubtError("ask", "502"), true, "success");
  expect(log.warnings).toEqual([]);
  expect(log.lines).toHaveLength(1);
});

test("other people's jobs are none of ours", async () => {
  await judging([waitingJob({ labels: ["gpu-4711-2"] })], true, "success");
  expect(log.warnings).toEqual([]);
});
