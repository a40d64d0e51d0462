import { beforeEach, describe, expect, test } from "vitest";
import { rowOf } from "../../../src/fleet/recording/records.ts";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import type { MachineRecord, RanJob } from "../../../src/machine/record.ts";
import { describeRented, keepAfterCancel } from "../../../src/release/after-cancel.ts";
import { poll } from "../../../src/shared/poll.ts";
import { booting as aBootingMachine } from "../support/a-fleet.ts";
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

/** When each instance may go, in seconds after the start of post. `row`: of the first. */
async function releasedAt(records: MachineRecord[], row = 1): Promise<Record<number, number>> {
  const entries = records.map((record, index) => [index + row, record] as const);
  const { mayGo } = keepAfterCancel(aSession({ github, clock, log }), new Map(entries), clock.start);
  const at: Record<number, number> = {};
  const look = async () => {
    for (const { instanceId } of records) if (mayGo(instanceId)) at[instanceId] ??= clock.elapsed / 1000;
    return Object.keys(at).length === records.length;
  };
  await clock.run(poll(look, { clock, intervalMs: 500, until: clock.start + 60_000 }));
  return at;
}

/** A machine of this session, and how far main saw it. */
const aMachine = (instanceId: number, given: Partial<MachineRecord> = {}) => aRecord({ instanceId, ...given });
const withJob = (instanceId: number, ...jobs: RanJob[]) => aMachine(instanceId, { jobs });
const ready = (instanceId: number) => aMachine(instanceId, { jobs: undefined });
const booting = (instanceId: number) => {
  const { at, ...rest } = ready(instanceId);
  return { ...rest, at: { ...at, online: undefined } };
};
const down = () => new GithubUnavailableError("ask", "502");

test("a machine that was never ready goes at once, one with a job when GitHub lists it as over", async () => {
  github.jobs = [runningJob()];
  clock.at(10_000, () => {
    github.jobs = [completedJob("cancelled")];
  });
  expect(await releasedAt([withJob(7, OPEN), booting(8)])).toEqual({ 7: 12, 8: 0 });
});

test("the second instance of a machine's create, too, when the machine's job is over", async () => {
  github.jobs = [completedJob("cancelled")];
  expect(await releasedAt([withJob(7, OPEN)], rowOf(aBootingMachine(1), 1))).toEqual({ 7: 0.5 });
});

describe("until 30 s after the start of post", () => {
  test.each<[string, () => void]>([
    ["while its job runs on", () => (github.jobs = [runningJob()])],
    ["while the list lacks its job: absence proves nothing", () => (github.jobs = [aJob()])],
    ["while the list can't be read", () => (github.jobs = down())],
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
    expect(await releasedAt([withJob(7, OPEN)])).toEqual({ 7: 30 });
  });
});

describe("one that was ready waits for the first list of jobs: main's last look may be older than its job", () => {
  test.each<[string, () => void, number]>([
    ["which shows none of it", () => (github.jobs = []), 0.5],
    ["which shows one that is over", () => (github.jobs = [completedJob("success")]), 0.5],
    ["which shows one that runs: it is kept for that", () => (github.jobs = [runningJob()]), 30],
    ["5 s at most, where there is no list", () => (github.jobs = down()), 5],
  ])("%s", async (_what, put, at) => {
    put();
    expect(await releasedAt([ready(7)])).toEqual({ 7: at });
  });

  test("a list that comes after those 5 s changes nothing", async () => {
    github.jobs = down();
    clock.at(5500, () => {
      github.jobs = [runningJob()];
    });
    expect(await releasedAt([ready(7)])).toEqual({ 7: 5 });
  });

  test("with several uses, and one of them over: a job may have come to the next", async () => {
    github.jobs = [completedJob("success"), runningJob({ id: 9, runnerName: "gpu-4711-1-abcdef-1-2" })];
    expect(await releasedAt([withJob(7, OVER)])).toEqual({ 7: 30 });
  });
});

test("named as left for their jobs are those that have one, not those that waited for the list alone", async () => {
  github.jobs = [runningJob()];
  const reports = new Map([ready(7), ready(8)].map((record, index) => [index + 1, record] as const));
  const keeping = keepAfterCancel(aSession({ github, clock, log }), reports, clock.start);
  await clock.run(clock.sleep(1000));
  expect(keeping.leftForJobs()).toEqual([7]);
});

test("a bug of ours keeps nothing from being destroyed", async () => {
  github.jobs = new TypeError("x is undefined");
  expect(await releasedAt([withJob(7, OPEN)])).toEqual({ 7: 0.5 });
  expect(log.warnings).toEqual([expect.stringContaining("destroyed now")]);
});

test("first of all it says what is rented and how to destroy it by hand", () => {
  const prefix = "ghr1.1.2-1.abcdef";
  expect(describeRented({ prefix, known: [{ id: 7, createdAt: 0 }], isUncertain: false })).toMatch(
    /^Rented: instance 7\. .*curl -X DELETE/,
  );
  expect(describeRented({ prefix, known: [], isUncertain: true })).toMatch(
    /^Something may be rented under labels that begin with ghr1\.1\.2-1\.abcdef\./,
  );
});
