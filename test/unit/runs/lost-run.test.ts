import { describe, expect, test } from "vitest";
import type { Job } from "../../../src/github/jobs.ts";
import type { Run } from "../../../src/github/runs.ts";
import { jobsToAsk, judgeLostRun, type LostNotes, mayBeLost } from "../../../src/runs/lost-runs.ts";
import { aJob } from "../support/a-job.ts";
import { aListedRun } from "../support/a-run.ts";

const NOW = Date.UTC(2026, 0, 1);

const RUN = aListedRun();

const job = (id: number, name: string, conclusion: string, labels: string[] = ["ubuntu-latest"]): Job =>
  aJob({ id, name, status: "completed", conclusion, labels });

const GPU = ["gpu-4711-1"];
const RENT = job(1, "rent", "failure");
const LOST = job(2, "test (3.11)", "failure", GPU);
const NOTES: LostNotes = { renting: new Set([1]), lost: new Set([2]) };

test.each<[string, Partial<Run>, boolean]>([
  ["failed, over for minutes, never run again", {}, true],
  ["one that was run again: never twice", { attempt: 2 }, false],
  ["one that goes on", { status: "in_progress", conclusion: undefined }, false],
  ["one that somebody cancelled", { conclusion: "cancelled" }, false],
  ["one that succeeded", { conclusion: "success" }, false],
  ["the one that sweeps", { id: 9000 }, false],
  ["a fork's, whose jobs can rent nothing", { isOfFork: true }, false],
  ["one of yesterday", { updatedAt: NOW - 86_400_000 }, false],
  ["one without a time", { updatedAt: undefined }, false],
])("a run that may be one to re-run: %s: %j", (_what, given, mayBe) => {
  expect(mayBeLost({ ...RUN, ...given }, 9000, NOW)).toBe(mayBe);
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

const CANCELLED = { ...LOST, conclusion: "cancelled" };
const RERUN = { kind: "rerun", jobs: ["test (3.11)"] };
const NOTHING = { kind: "nothing" };
const leave = (name: string) => ({ kind: "leave", why: `its job '${name}' failed by itself` });

test.each<[string, Job[], object]>([
  ["a lost job, and the one that rented for it", [LOST, job(3, "lint", "success"), job(4, "report", "skipped")], RERUN],
  ["one that GitHub ended as cancelled, like fail-fast its sibling", [CANCELLED, job(5, "b", "cancelled", GPU)], RERUN],
  ["a GPU job failed by itself", [LOST, job(5, "test (3.12)", "failure", GPU)], leave("test (3.12)")],
  ["a job took too long", [LOST, job(5, "test (3.12)", "timed_out", GPU)], leave("test (3.12)")],
  ["a job on a hosted machine failed", [LOST, job(5, "lint", "failure")], leave("lint")],
  ["a job that was noted as lost succeeded after all", [{ ...LOST, conclusion: "success" }], NOTHING],
])("the verdict: %s", (_what, jobs, verdict) => {
  expect(judgeLostRun([RENT, ...jobs], NOTES)).toEqual(verdict);
});

test("a note about a job of another run is about nothing here", () => {
  expect(judgeLostRun([RENT, LOST], { renting: new Set([1]), lost: new Set([77]) })).toEqual(NOTHING);
});
