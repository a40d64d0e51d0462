import { beforeEach, describe, expect, test } from "vitest";
import { rowOf } from "../../../src/fleet/recording/records.ts";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import type { RanJob } from "../../../src/machine/record.ts";
import { logRented, releasesAfterCancel } from "../../../src/release/after-cancel.ts";
import { booting } from "../support/a-fleet.ts";
import { aJob, completedJob, runningJob } from "../support/a-job.ts";
import { aSession } from "../support/a-session.ts";
import { aRecord } from "../support/a-session-report.ts";
import { FakeGithub } from "../support/fake-github.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { RecordedLog } from "../support/recorded-log.ts";

const OPEN: RanJob = { name: "test", started: 1 };
const OVER: RanJob = { name: "test", started: 1, seconds: 60, conclusion: "success" };

let github: FakeGithub;
let clock: HandWoundClock;
let log: RecordedLog;

beforeEach(() => {
  github = new FakeGithub();
  clock = new HandWoundClock();
  log = new RecordedLog();
});

/** When each instance was let go, in seconds after the start of post; `at once` if never kept. `row`: of the first. */
async function releasedAt(jobs: Record<number, RanJob[]>, row = 1): Promise<Record<number, number | "at once">> {
  const entries = Object.entries(jobs).map(([id, ran], index) => {
    return [index + row, aRecord({ instanceId: Number(id), jobs: ran })] as const;
  });
  const session = aSession({ github, clock, log });
  const releases = releasesAfterCancel(session, new Map(entries), clock.start + 30_000);
  const at: Record<number, number | "at once"> = {};
  const waits = Object.keys(jobs).map(async (id) => {
    const release = releases.get(Number(id));
    await release;
    at[Number(id)] = release === undefined ? "at once" : clock.elapsed / 1000;
  });
  await clock.run(Promise.all(waits));
  return at;
}

test("a machine without a job goes at once, one with a job when GitHub lists it as over", async () => {
  github.jobs = [runningJob()];
  clock.at(10_000, () => {
    github.jobs = [completedJob("cancelled")];
  });
  expect(await releasedAt({ 7: [OPEN], 8: [OVER], 9: [] })).toEqual({ 7: 12, 8: "at once", 9: "at once" });
});

test("the second instance of a machine's create, too, when the machine's job is over", async () => {
  github.jobs = [completedJob("cancelled")];
  expect(await releasedAt({ 7: [OPEN] }, rowOf(booting(1), 1))).toEqual({ 7: 0 });
});

describe("until 30 s after the start of post", () => {
  test.each<[string, () => void]>([
    ["while its job runs on", () => (github.jobs = [runningJob()])],
    ["while the list lacks its job: absence proves nothing", () => (github.jobs = [aJob()])],
    ["while the list can't be read", () => (github.jobs = new GithubUnavailableError("ask", "502"))],
    [
      "while the job of another machine alone is over",
      () => (github.jobs = [completedJob("success", { runnerName: "gpu-4711-1-abcdef-12" })]),
    ],
    [
      "while one of its jobs is open",
      () => (github.jobs = [completedJob("success"), runningJob({ id: 9, runnerName: "gpu-4711-1-abcdef-1-2" })]),
    ],
  ])("%s", async (_when, put) => {
    put();
    expect(await releasedAt({ 7: [OPEN] })).toEqual({ 7: 30 });
  });
});

test("a bug of ours keeps nothing from being destroyed", async () => {
  github.jobs = new TypeError("x is undefined");
  expect(await releasedAt({ 7: [OPEN] })).toEqual({ 7: 0 });
  expect(log.warnings).toEqual([expect.stringContaining("destroyed now")]);
});

test("first of all it says what is rented and how to destroy it by hand", () => {
  const session = aSession({ github, clock, log });
  logRented(session, { prefix: "ghr1.1.2-1.abcdef", known: [{ id: 7, createdAt: 0 }], isUncertain: false });
  expect(log.lines).toEqual([expect.stringMatching(/^Rented: instance 7\. .*curl -X DELETE/)]);
  logRented(session, { prefix: "ghr1.1.2-1.abcdef", known: [], isUncertain: true });
  expect(log.lines[1]).toMatch(/^Something may be rented under labels that begin with ghr1\.1\.2-1\.abcdef\./);
});
