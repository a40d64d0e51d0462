import { describe, expect, test } from "vitest";
import { type Job, sortJobs } from "../../../src/github/jobs.ts";
import type { MainEnd } from "../../../src/release/ledger.ts";
import type { SessionInputs } from "../../../src/release/session.ts";
import { decideEnd, type RunDecision, type RunFacts, takenFrom, withRobbed } from "../../../src/runs/decide-end.ts";
import { gpuJobs } from "../support/a-fleet.ts";
import { aJob, completedJob, OWN_JOB, runningJob, WHOSE, waitingJob } from "../support/a-job.ts";
import { aRun } from "../support/a-run.ts";

const MINUTE = 60_000;
const POST_BEGAN = 1_800_000_000_000;

function failedAt(completedAt: number, given: Partial<Job> = {}): Job {
  return completedJob("failure", { completedAt, ...given });
}

/** What is listed, beside the job that rents. */
const JOBS: Readonly<Record<string, Job[] | undefined>> = {
  unread: undefined,
  none: [],
  over: [completedJob("failure")],
  "over soon": [failedAt(POST_BEGAN + 4000)],
  "over within the clocks": [failedAt(POST_BEGAN - 5000)],
  "over before": [failedAt(POST_BEGAN - 5001)],
  "well over": [completedJob("success", { completedAt: POST_BEGAN + 4000 })],
  "over soon, on another machine": [failedAt(POST_BEGAN, { runnerId: 22 })],
  "over soon, without a runner": [failedAt(POST_BEGAN, { runnerId: undefined })],
  "over soon, waits": [failedAt(POST_BEGAN), waitingJob()],
  "over soon, runs": [failedAt(POST_BEGAN, { name: "a" }), runningJob()],
  waits: [waitingJob()],
  runs: [runningJob()],
  "waits, runs": [waitingJob(), runningJob({ id: 52 })],
  "waits, held": [waitingJob(), waitingJob({ id: 52, status: "waiting" })],
  "waits, other": [waitingJob(), aJob()],
  mistyped: [waitingJob({ labels: ["gpu-4711"] })],
  "mistyped, other": [waitingJob({ labels: ["gpu-4711"] }), aJob()],
  "mistyped, served": [waitingJob({ labels: ["gpu-4711"] }), aJob({ id: 51, labels: ["gpu-4711"] })],
};

const failed = (what: Extract<MainEnd, { kind: "failed" }>["what"]): MainEnd => {
  return { kind: "failed", what, message: "It did not work.", taken: 0 };
};

/** How main ended. */
const ENDS: Readonly<Record<string, MainEnd | undefined>> = {
  "no machine": { ...failed("no-machine"), tellsFate: true } as MainEnd,
  "other label": { ...failed("mistyped-label"), tellsFate: true } as MainEnd,
  "label in use": failed("label-in-use"),
  ready: { kind: "ready" },
  "said nothing": undefined,
};

interface Given {
  end?: keyof typeof ENDS;
  inputs?: Partial<SessionInputs>;
  main?: RunFacts["main"];
  tookAway?: boolean;
}

function decided(jobs: string, { end = "no machine", inputs, main, tookAway = false }: Given = {}): RunDecision {
  const listed = JOBS[jobs];
  const seen = listed && sortJobs([OWN_JOB, ...listed], WHOSE);
  const all = {
    check: false,
    ifNoMachine: "auto",
    jobCheckRunId: "1",
    jobStatus: "failure",
    knowsLabel: true,
  } as const;
  return decideEnd({
    session: { inputs: { ...all, ...inputs }, run: aRun() },
    jobs: seen && withRobbed(seen, [20, 22], POST_BEGAN),
    end: ENDS[end],
    ...(main && { main }),
    tookAway,
  });
}

const AUTO = { ifNoMachine: "auto" } as const;
const CANCEL = { ifNoMachine: "cancel" } as const;
const LEAVE = { ifNoMachine: "leave" } as const;
type Does = RunDecision["do"];

/** What main does in its first look, and in one after 11 and after 31 minutes; what post does. */
const ROWS: readonly [jobs: string, given: Given, main: readonly [Does, Does, Does], post: Does][] = [
  ["waits", { inputs: AUTO }, ["cancel", "cancel", "cancel"], "cancel"],
  ["waits", { inputs: CANCEL }, ["cancel", "cancel", "cancel"], "cancel"],
  ["waits", { inputs: LEAVE }, ["leave", "leave", "leave"], "leave"],
  ["waits", { end: "said nothing" }, ["cancel", "cancel", "cancel"], "cancel"],
  ["waits, other", { inputs: AUTO }, ["wait", "wait", "leave"], "leave"],
  ["waits, other", { inputs: CANCEL }, ["cancel", "cancel", "cancel"], "cancel"],
  ["waits, held", { inputs: AUTO }, ["wait", "wait", "leave"], "leave"],
  ["waits, held", { inputs: CANCEL }, ["cancel", "cancel", "cancel"], "cancel"],
  // Its machine was lost, and GitHub has not missed it yet; or it still runs.
  ["waits, runs", { inputs: AUTO }, ["wait", "wait", "leave"], "leave"],
  ["waits, runs", { inputs: CANCEL }, ["wait", "wait", "leave"], "leave"],
  ["waits, runs", { inputs: LEAVE }, ["leave", "leave", "leave"], "leave"],
  ["over", { inputs: CANCEL }, ["leave", "leave", "leave"], "leave"],
  ["unread", { inputs: AUTO }, ["wait", "leave", "leave"], "leave"],
  ["unread", { inputs: CANCEL }, ["wait", "leave", "leave"], "leave"],
  // The job that was meant to ask for our label counts as ours, if main ended on it.
  ["mistyped", { end: "other label" }, ["cancel", "cancel", "cancel"], "cancel"],
  ["mistyped", { end: "no machine" }, ["leave", "leave", "leave"], "leave"],
  ["mistyped, other", { end: "other label" }, ["wait", "wait", "leave"], "leave"],
  ["mistyped, served", { end: "other label" }, ["wait", "wait", "leave"], "leave"],
  // Those that wait are not ours.
  ["waits", { end: "label in use" }, ["leave", "leave", "leave"], "leave"],
  ["waits", { inputs: { check: true } }, ["leave", "leave", "leave"], "leave"],
  ["waits", { inputs: { knowsLabel: false } }, ["leave", "leave", "leave"], "leave"],
];

test.each(ROWS)("jobs: %s, %j: main %j, post %s", (jobs, given, main, post) => {
  const byMain = [0, 11, 31].map((minutes) => {
    return decided(jobs, { ...given, main: { waitedMs: minutes * MINUTE, isKeeping: false } }).do;
  });
  expect({ byMain, byPost: decided(jobs, given).do }).toEqual({ byMain: main, byPost: post });
});

test("of a job that waits post tells nothing where main's error has told it", () => {
  expect(decided("waits", { inputs: LEAVE }).tell).toBeUndefined();
  expect(decided("waits", { inputs: LEAVE, end: "ready" }).tell).toContain("its job waits for up to a day");
});

test.each([
  ["waits, runs", AUTO, ["wait", "wait", "leave"]],
  ["waits", CANCEL, ["wait", "wait", "leave"]],
  ["unread", AUTO, ["wait", "leave", "leave"]],
] as const)("main keeps a machine on which a job may run (jobs: %s, %j): %j", (jobs, inputs, expected) => {
  const looks = [0, 11, 31].map((minutes) => {
    return decided(jobs, { inputs, main: { waitedMs: minutes * MINUTE, isKeeping: true } });
  });
  expect(looks.map((each) => each.do)).toEqual(expected);
  expect(looks[0]?.tell).toMatch(/it is kept until that is over/);
});

describe("post took a machine away", () => {
  const TOOK = { tookAway: true, inputs: { jobStatus: "success" } } as const;

  test.each<[string, Given, RunDecision["failed"]]>([
    ["runs", { ...TOOK, end: "ready" }, "'test' was running"],
    ["waits", { ...TOOK, end: "said nothing" }, "'test' was waiting for it"],
    ["over soon", { ...TOOK, end: "ready" }, "'test' was running or had just ended badly"],
    ["over within the clocks", { ...TOOK, end: "ready" }, "'test' was running or had just ended badly"],
    ["over before", { ...TOOK, end: "ready" }, undefined],
    ["over soon, on another machine", { ...TOOK, end: "ready" }, undefined],
    ["over soon, without a runner", { ...TOOK, end: "ready" }, undefined],
    ["over soon, runs", { ...TOOK, end: "ready" }, "'test' was running"],
    ["runs", { inputs: TOOK.inputs, end: "said nothing" }, undefined],
  ])("jobs: %s, %j: red for %s", (jobs, given, red) => {
    expect(decided(jobs, given).failed).toBe(red);
  });

  test.each([
    [{ running: 1 }, "failure", true, "running"],
    [{ running: 1, waiting: 1 }, "success", true, "running"],
    [{ waiting: 1 }, "success", true, "waiting"],
    [{ waiting: 1 }, "failure", true, undefined],
    [{ robbed: 1, waiting: 1 }, "success", true, "robbed"],
    // After a cancel its machine had been left until its job's end.
    [{ robbed: 1 }, "cancelled", true, undefined],
    [{ running: 1 }, "success", false, undefined],
  ] as const)("from a job of %j (%s, took one: %s): %s", (jobs, jobStatus, tookAway, from) => {
    expect(takenFrom(gpuJobs(jobs), { jobStatus, tookAway })).toBe(from);
    expect(takenFrom(undefined, { jobStatus, tookAway })).toBeUndefined();
  });
});
