import { describe, expect, test } from "vitest";
import { countJobs } from "../../../src/jobs/job-counts.ts";
import {
  aJob,
  completedJob,
  OUR_RUNNER,
  OWN_JOB,
  RUNNER_LABEL,
  runningJob,
  WHOSE,
  waitingJob,
} from "../support/a-job.ts";
import { someCounts } from "../support/some-counts.ts";

describe("a job of ours", () => {
  test("waits when it is queued", () => {
    expect(countJobs([OWN_JOB, waitingJob()], WHOSE)).toEqual({
      waiting: 1,
      foreignLabels: [],
      running: 0,
      completed: [],
      open: 0,
      rivals: 0,
      others: 1,
      url: "https://job/2",
    });
  });

  test.each([
    ["waiting", "an approval"],
    ["pending", "a concurrency group"],
    ["requested", "whatever GitHub means by it"],
    ["a status of next year", "whatever that will be"],
  ])("is open, and asks for no machine yet, while it is %s (%s)", (status) => {
    expect(countJobs([OWN_JOB, waitingJob({ status })], WHOSE)).toMatchObject({ waiting: 0, running: 0, open: 1 });
  });

  test("runs when it is in progress", () => {
    expect(countJobs([OWN_JOB, runningJob()], WHOSE)).toMatchObject({ waiting: 0, running: 1, open: 0, others: 1 });
  });

  test.each(["success", "failure", "cancelled", "timed_out"])("is over with its conclusion: %s", (conclusion) => {
    expect(countJobs([OWN_JOB, completedJob(conclusion)], WHOSE)).toMatchObject({ completed: [conclusion], open: 0 });
  });

  test("is over without a conclusion that GitHub has not written yet", () => {
    expect(countJobs([completedJob("x", { conclusion: undefined })], WHOSE).completed).toEqual(["unknown"]);
  });

  test("is ours whatever the case of its label", () => {
    expect(countJobs([waitingJob({ labels: ["GPU-4711-1"] })], WHOSE).waiting).toBe(1);
    const shouting = { ...WHOSE, runnerLabel: "GPU-4711-1" };
    expect(countJobs([waitingJob()], shouting).waiting).toBe(1);
  });

  test("is ours when our label is one of several", () => {
    expect(countJobs([waitingJob({ labels: ["self-hosted", RUNNER_LABEL] })], WHOSE).waiting).toBe(1);
  });

  test("is ours when our runner has it, whatever it asked for", () => {
    const byRunner = runningJob({ labels: ["self-hosted"] });
    expect(countJobs([byRunner], WHOSE).running).toBe(1);
    expect(countJobs([{ ...byRunner, status: "completed", conclusion: "success" }], WHOSE).completed).toEqual([
      "success",
    ]);
  });
});

describe("labels that our runner does not have", () => {
  test("are told of a job that waits for them beside ours", () => {
    const jobs = [
      waitingJob({ labels: ["self-hosted", RUNNER_LABEL] }),
      waitingJob({ id: 3, labels: [RUNNER_LABEL, "a100"] }),
    ];
    expect(countJobs(jobs, WHOSE).foreignLabels).toEqual(["self-hosted", "a100"]);
  });

  test("are not ours in another case", () => {
    expect(countJobs([waitingJob({ labels: [RUNNER_LABEL.toUpperCase()] })], WHOSE).foreignLabels).toEqual([]);
  });

  test("don't matter of a job that runs on ours, is over, or is not ours", () => {
    const labels = ["self-hosted", RUNNER_LABEL];
    const jobs = [runningJob({ labels }), completedJob("success", { id: 3, labels }), aJob({ labels: ["windows"] })];
    expect(countJobs(jobs, WHOSE).foreignLabels).toEqual([]);
  });
});

describe("a job that is not ours", () => {
  test.each([
    ["of another label", "gpu-4711-2"],
    ["of a label that ours begins with", "gpu-4711"],
    ["of a label that begins with ours", "gpu-4711-10"],
  ])("%s", (_what, label) => {
    expect(countJobs([waitingJob({ labels: [label] })], WHOSE)).toMatchObject({ waiting: 0, open: 1, others: 1 });
  });

  test("on a runner of somebody else", () => {
    expect(countJobs([aJob({ runnerId: OUR_RUNNER + 1 })], WHOSE)).toMatchObject({ running: 0, open: 1 });
  });

  test("without a runner, while no runner of ours is known", () => {
    const nobody = { ...WHOSE, runnerIds: new Set<number>() };
    expect(countJobs([aJob({ runnerId: undefined })], nobody)).toMatchObject({ running: 0, open: 1 });
  });

  test("that was skipped: it shows no labels, and only counts as a job that is over", () => {
    const skipped = aJob({ status: "completed", conclusion: "skipped", labels: [], runnerId: undefined });
    expect(countJobs([OWN_JOB, skipped], WHOSE)).toEqual({
      waiting: 0,
      foreignLabels: [],
      running: 0,
      completed: [],
      open: 0,
      rivals: 0,
      others: 1,
      url: undefined,
    });
  });
});

describe("our own job is left out", () => {
  test("by its id", () => {
    expect(countJobs([OWN_JOB], WHOSE).others).toBe(0);
  });

  test("by its id even when another job bears its name, or runs on a runner of its runner's name", () => {
    const twin = aJob({ id: 9, name: "rent", runnerName: "hosted-1" });
    const counts = countJobs([twin, OWN_JOB], WHOSE);
    expect(counts).toMatchObject({ others: 1, open: 1 });
  });

  test("by the runner that it runs on, where the platform does not tell the id", () => {
    const own = { ...WHOSE.own, checkRunId: undefined };
    const namesake = aJob({ id: 9, name: "rent", status: "completed", conclusion: "success", runnerName: "hosted-2" });
    expect(countJobs([namesake, { ...OWN_JOB, name: "rent (1)" }], { ...WHOSE, own })).toMatchObject({
      others: 1,
      open: 0,
    });
  });

  test("by the runner only while it is in progress there: a job that is over does not count as us", () => {
    const own = { checkRunId: undefined, runnerName: "hosted-1", jobName: "rent" };
    const before = aJob({ id: 9, name: "build", status: "completed", conclusion: "success", runnerName: "hosted-1" });
    expect(countJobs([before, OWN_JOB], { ...WHOSE, own })).toMatchObject({ others: 1, open: 0 });
  });

  test("by its name, where neither is known", () => {
    const own = { checkRunId: undefined, runnerName: undefined, jobName: "rent" };
    expect(countJobs([aJob(), OWN_JOB], { ...WHOSE, own }).others).toBe(1);
  });

  test("not at all when the list does not hold it: a job without a runner is not us", () => {
    const own = { checkRunId: undefined, runnerName: undefined, jobName: "rent" };
    const strangers = [aJob({ runnerName: undefined }), waitingJob()];
    expect(countJobs(strangers, { ...WHOSE, own })).toMatchObject({ others: 2, waiting: 1 });
  });

  test("even when it asks for our label itself", () => {
    const odd = { ...OWN_JOB, labels: [RUNNER_LABEL] };
    expect(countJobs([odd], WHOSE)).toMatchObject({ others: 0, running: 0 });
  });
});

test("counts a whole matrix", () => {
  const jobs = [
    OWN_JOB,
    completedJob("success", { id: 2 }),
    runningJob({ id: 3 }),
    waitingJob({ id: 4 }),
    waitingJob({ id: 5 }),
    waitingJob({ id: 6, status: "pending" }),
    aJob({ id: 7 }),
    aJob({ id: 8, status: "completed", conclusion: "failure" }),
  ];
  expect(countJobs(jobs, WHOSE)).toMatchObject({ waiting: 2, running: 1, completed: ["success"], open: 2, others: 7 });
});

test("an empty list, as it comes before GitHub has written the jobs down, is an empty count", () => {
  expect(countJobs([], WHOSE)).toEqual(someCounts());
});

test("other uses of the same attempt that wait are rivals; those of another attempt are not", () => {
  const free = { runnerId: undefined, runnerName: undefined, status: "queued" };
  const jobs = [
    waitingJob(),
    aJob({ ...free, id: 60, labels: [`${RUNNER_LABEL}-two`] }),
    aJob({ ...free, id: 61, labels: ["gpu-4711-2"] }),
    aJob({ ...free, id: 62, labels: ["ubuntu-latest"] }),
    aJob({ id: 63, labels: [`${RUNNER_LABEL}-three`] }),
  ];
  expect(countJobs([OWN_JOB, ...jobs], WHOSE)).toMatchObject({ waiting: 1, rivals: 1, open: 4 });
  const named = { ...WHOSE, runnerLabel: `${RUNNER_LABEL}-two` };
  expect(countJobs([OWN_JOB, ...jobs], named)).toMatchObject({ waiting: 1, rivals: 1 });
});
