import { describe, expect, test } from "vitest";
import type { Job } from "../../../src/github/jobs.ts";
import type { Run } from "../../../src/github/runs.ts";
import { jobsToAsk, judgeLostRun, type LostNotes, mayBeLost } from "../../../src/runs/lost-runs.ts";

const NOW = Date.UTC(2026, 0, 1);

const RUN: Run = {
  id: 4711,
  attempt: 1,
  status: "completed",
  conclusion: "failure",
  startedAt: NOW - 3_600_000,
  updatedAt: NOW - 60_000,
  headBranch: "main",
  headSha: "abc",
  isOfFork: false,
};

function job(id: number, name: string, conclusion: string, labels: string[] = ["ubuntu-latest"]): Job {
  const none = {
    runnerId: undefined,
    runnerName: undefined,
    url: undefined,
    createdAt: undefined,
    startedAt: undefined,
    completedAt: undefined,
    failedStep: undefined,
  };
  return { id, name, status: "completed", conclusion, labels, ...none };
}

const GPU = ["gpu-4711-1"];
const RENT = job(1, "rent", "failure");
const LOST = job(2, "test (3.11)", "failure", GPU);
const NOTES: LostNotes = { renting: new Set([1]), lost: new Set([2]) };

describe("a run that may be one to re-run", () => {
  test("failed, over for minutes, never run again", () => {
    expect(mayBeLost(RUN, 9000, NOW)).toBe(true);
  });

  test.each([
    ["one that was run again: never twice", { attempt: 2 }],
    ["one that goes on", { status: "in_progress", conclusion: undefined }],
    ["one that somebody cancelled", { conclusion: "cancelled" }],
    ["one that succeeded", { conclusion: "success" }],
    ["the one that sweeps", { id: 9000 }],
    ["a fork's, whose jobs can rent nothing", { isOfFork: true }],
    ["one of yesterday", { updatedAt: NOW - 86_400_000 }],
    ["one without a time", { updatedAt: undefined }],
  ] as [string, Partial<Run>][])("not %s", (_what, given) => {
    expect(mayBeLost({ ...RUN, ...given }, 9000, NOW)).toBe(false);
  });
});

describe("whose notes are read", () => {
  test("of failed jobs that are none of the GPU's: nothing that ran on a rented machine has a say", () => {
    const jobs = [RENT, LOST, job(3, "lint", "success"), job(4, "named", "cancelled", ["GPU-4711-1-cuda12"])];
    expect(jobsToAsk(RUN, jobs)).toEqual([RENT]);
  });

  test("nobody's, where every GPU job succeeded or none was there", () => {
    expect(jobsToAsk(RUN, [RENT, job(2, "test", "success", GPU)])).toEqual([]);
    expect(jobsToAsk(RUN, [RENT, job(2, "test", "failure", ["gpu-4711-2"])])).toEqual([]);
  });
});

describe("the verdict", () => {
  test("a lost job, and the one that rented for it: re-run", () => {
    expect(judgeLostRun([RENT, LOST, job(3, "lint", "success"), job(4, "report", "skipped")], NOTES)).toEqual({
      kind: "rerun",
      jobs: ["test (3.11)"],
    });
  });

  test("GitHub may end a lost job as cancelled, and fail-fast cancels its siblings", () => {
    const jobs = [RENT, { ...LOST, conclusion: "cancelled" }, job(5, "test (3.12)", "cancelled", GPU)];
    expect(judgeLostRun(jobs, NOTES)).toMatchObject({ kind: "rerun" });
  });

  test.each([
    ["a GPU job", job(5, "test (3.12)", "failure", GPU)],
    ["a job that took too long", job(5, "test (3.12)", "timed_out", GPU)],
    ["a job on a hosted machine", job(5, "lint", "failure")],
  ])("%s that failed by itself keeps all from being re-run", (_what, other) => {
    expect(judgeLostRun([RENT, LOST, other], NOTES)).toEqual({
      kind: "leave",
      why: `its job '${other.name}' failed by itself`,
    });
  });

  test("a job that was noted as lost and succeeded after all needs nothing", () => {
    expect(judgeLostRun([RENT, { ...LOST, conclusion: "success" }], NOTES)).toEqual({ kind: "nothing" });
  });

  test("a note about a job of another run is about nothing here", () => {
    expect(judgeLostRun([RENT, LOST], { renting: new Set([1]), lost: new Set([77]) })).toEqual({ kind: "nothing" });
  });
});
