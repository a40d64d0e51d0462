import { describe, expect, test } from "vitest";
import { asksForMore, finishedMs, type JobState, jobPageSchema, sortJobs } from "../../../src/github/jobs.ts";
import { gpuJob } from "../support/a-fleet.ts";
import { aJob, completedJob, OWN_JOB, RUNNER_LABEL, runningJob, WHOSE, waitingJob } from "../support/a-job.ts";

const states = (...jobs: Parameters<typeof sortJobs>[0]) =>
  sortJobs([OWN_JOB, ...jobs], WHOSE).ours.map(({ state }) => state);

describe("ours", () => {
  test("or run on a runner of ours, whatever they asked for, or ended before they had one", () => {
    expect(states(waitingJob({ status: "completed", conclusion: "cancelled" }))).toEqual(["over"]);
    expect(states(runningJob({ labels: ["ubuntu-latest"] }))).toEqual(["running"]);
    expect(states(runningJob({ labels: [], runnerName: "gpu-4711-1-zzzzzz-1" }))).toEqual([]);
  });
});

test.each([{ id: 1 }, { runnerName: "hosted-1" }, { name: "rent" }])("this very job is neither: %j", (mark) => {
  const own = aJob({ id: 9, name: "x", runnerName: "y", ...mark });
  expect(sortJobs([own, waitingJob()], WHOSE)).toMatchObject({ others: 0, ours: [{ id: 2 }] });
});

test("the others are counted, those named that are not over, and those skipped counted, our own and ours aside", () => {
  const over = (id: number, conclusion: string) => aJob({ id, status: "completed", conclusion, labels: [] });
  const jobs = [OWN_JOB, aJob({ name: "lint" }), over(51, "success"), over(52, "skipped"), completedJob("skipped")];
  const others = { others: 3, othersOpen: [{ name: "lint" }], skipped: 1 };
  expect(sortJobs(jobs, WHOSE)).toMatchObject({ ours: [{ state: "over" }], ...others });
});

test("a job that waits for labels in addition to ours can have no runner of ours", () => {
  const [job] = sortJobs([OWN_JOB, waitingJob({ labels: [RUNNER_LABEL, "self-hosted"] })], WHOSE).ours;
  expect(job?.otherLabels).toEqual(["self-hosted"]);
  expect(job && asksForMore(job)).toBe(true);
  expect(asksForMore(gpuJob(101, "running", { otherLabels: ["self-hosted"] }))).toBe(false);
});

const RAN = { runnerName: "gpu-4711-1-abcdef-1", startedAt: 1000, completedAt: 61_000 };

test.each<[string, JobState, object, number[]]>([
  ["GitHub shows no begin", "over", { ...RAN, startedAt: undefined }, []],
  ["GitHub shows no end", "over", { ...RAN, completedAt: undefined }, []],
  ["its clock was set back", "over", { ...RAN, completedAt: 500 }, [0]],
  ["it was cancelled while it waited, though GitHub shows times", "over", { ...RAN, runnerName: undefined }, []],
])("how long a job takes is learnt: %s", (_what, state, given, learnt) => {
  expect(finishedMs({ ours: [gpuJob(101, state, given)] })).toEqual(learnt);
  expect(finishedMs(undefined)).toEqual([]);
});

test("a job without a runner that asks for a label one step from ours is listed with that label", () => {
  const labels = ["self-hosted", "gpu-4711"];
  const jobs = [OWN_JOB, waitingJob({ labels }), aJob({ id: 51, labels: ["gpu-4711"] }), waitingJob({ id: 3 })];
  const { mistyped, othersOpen } = sortJobs(jobs, WHOSE);
  expect(mistyped).toMatchObject([{ id: 2, state: "waiting", label: "gpu-4711" }]);
  expect(othersOpen).toHaveLength(2);
});

const ok = { name: "Set up job", status: "completed", conclusion: "success" };
const bad = (name: string) => ({ name, status: "completed", conclusion: "failure" });
test.each([
  ["the first of several", [ok, bad("Initialize containers"), bad("Complete job")], "Initialize containers"],
  ["none", [ok, { name: "Run pytest", status: "in_progress", conclusion: null }], undefined],
])("the step that failed: %s", (_, steps, failedStep) => {
  const job = { id: 2, name: "test", status: "completed", conclusion: "failure", steps };
  expect(jobPageSchema.parse({ total_count: 1, jobs: [job] }).jobs).toMatchObject([{ id: 2, failedStep }]);
});
