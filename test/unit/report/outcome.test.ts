import { describe, expect, test } from "vitest";
import { sortJobs } from "../../../src/github/jobs.ts";
import type { MainEnd } from "../../../src/release/ledger.ts";
import { outcomeOf } from "../../../src/report/summary.ts";
import { completedJob, WHOSE } from "../support/a-job.ts";
import { aFailedRecord, aRecord, aSessionReport } from "../support/a-session-report.ts";
import { someJobs } from "../support/some-jobs.ts";

type What = Extract<MainEnd, { kind: "failed" }>["what"];

function failed(what: What, message: string): MainEnd {
  return { kind: "failed", what, message, hint: "Raise max-price.", taken: 0 };
}

const RUNNING = someJobs({ running: 1 });
const WAITING = someJobs({ waiting: 1 });

describe("it went well", () => {
  test("the GPU job is over: what it ran on, and what that cost with all that failed before", () => {
    expect(outcomeOf(aSessionReport({ records: [aRecord({ last: "it is exited" }), aRecord()] })).title).toBe(
      "The GPU job ran on 1 × RTX 4090 at 0.60 USD per hour: about 1.17 USD, 1h.",
    );
  });

  test("the GPU of the machine that the job ran on, not of the spare that came online after it", () => {
    const jobs = [{ name: "test", conclusion: "success", seconds: 600 }];
    const offer = { id: 12, machineId: 5, gpuName: "RTX 3090", numGpus: 1 };
    const spare = aFailedRecord({ offer, at: aRecord().at, isUnneeded: true, last: "no job needs it" });
    expect(outcomeOf(aSessionReport({ records: [aRecord({ jobs }), spare] })).title).toMatch(
      /^The GPU job ran on 1 × RTX 4090/,
    );
  });

  test("no job used the machine, as it was cancelled before: no job is said to have run on it", () => {
    const jobs = sortJobs([completedJob("cancelled", { runnerId: undefined, runnerName: undefined })], WHOSE);
    expect(outcomeOf(aSessionReport({ jobs })).title).toMatch(/^Rented: 1 × RTX 4090/);
    const end = failed("job-failed", "'test' (cancelled) did not succeed; no machine had run it. The end.");
    expect(outcomeOf(aSessionReport({ jobs, mainEnd: end })).details[0]).toMatch(/^Rented: 1 × RTX 4090/);
  });

  test("the machine was for later steps: nothing is said of a job", () => {
    expect(outcomeOf(aSessionReport({ mainEnd: { kind: "ready" } })).title).toBe(
      "Rented: 1 × RTX 4090 at 0.60 USD per hour: about 0.59 USD, 1h.",
    );
  });

  test("nobody asked for a machine", () => {
    const message = "No job in this run asks for the GPU runner. Nothing was rented.";
    expect(outcomeOf(aSessionReport({ records: [], mainEnd: { kind: "no-job", message } })).title).toBe(
      "No job in this run asks for the GPU runner.",
    );
  });
});

describe("main failed", () => {
  test("nothing matched: the whole sentence, which says what would have", () => {
    const message =
      "No offer matches: 1 × RTX 4090, at most 0.40 USD per hour. The cheapest is 0.47. Nothing was rented.";
    expect(outcomeOf(aSessionReport({ records: [], mainEnd: failed("no-machine", message) }))).toEqual({
      title: "No machine could be rented.",
      details: [message.replaceAll(":", "&#58;")],
      next: "Raise max&#45;price.",
    });
  });

  test("no machine became ready: the sentence only, for the table has the rest", () => {
    const message =
      "No machine could be made ready. Attempt 1, offer 10 (…): it is exited. Nothing is rented any more.";
    const report = aSessionReport({ records: [aFailedRecord()], mainEnd: failed("no-machine", message) });
    expect(outcomeOf(report)).toEqual({
      title: "No machine could be made ready.",
      details: [],
      next: "Raise max&#45;price.",
    });
  });

  test("the GPU job failed: what it ran on", () => {
    const end = failed("job-failed", "The GPU job did not succeed (failure); this job fails with it. The end.");
    const { title, details } = outcomeOf(aSessionReport({ mainEnd: end }));
    expect(title).toContain("The GPU job did not succeed &#40;failure&#41;; this job fails with it.");
    expect(details[0]).toMatch(/^It ran on 1 × RTX 4090/);
  });

  test("anything else says so itself", () => {
    const end = failed("other", "2 jobs ask for 1 runner.");
    expect(outcomeOf(aSessionReport({ records: [], mainEnd: end }))).toEqual({
      title: "2 jobs ask for 1 runner.",
      details: [],
      next: "Raise max&#45;price.",
    });
  });
});

describe("the machine was taken from a job", () => {
  test.each([
    ["main had ended well", "success", { kind: "ready" }, "The job that rents ended before the GPU job did."],
    ["it was cancelled", "cancelled", { kind: "stopped" }, "The job that rents was cancelled."],
    ["main had failed", "failure", failed("other", "max lifetime is over."), "max lifetime is over."],
    ["main was killed", "failure", undefined, "The main step was cut off."],
    ["its step timed out", "failure", { kind: "stopped" }, expect.stringContaining("timeout-minutes of this step")],
  ] as const)("that ran: %s", (_when, jobStatus, mainEnd, why) => {
    const { title, details } = outcomeOf(aSessionReport({ jobs: RUNNING, destroyed: [7001001], jobStatus, mainEnd }));
    expect(title).toBe("The machine was given back under a running job.");
    expect(details[0]).toEqual(why);
  });

  test("that waited", () => {
    const report = aSessionReport({ jobs: WAITING, destroyed: [7001001], mainEnd: { kind: "ready" } });
    expect(outcomeOf(report).title).toBe("The machine was given back while the GPU job was waiting for it.");
  });

  test("not when it had given itself back", () => {
    expect(outcomeOf(aSessionReport({ jobs: RUNNING })).title).toMatch(/^The GPU job ran on/);
  });
});

describe("main was stopped", () => {
  test.each([
    ["with a machine", [aRecord()], "The job was cancelled. What was rented is given back."],
    ["before there was one", [], "The job was cancelled. Nothing was rented."],
  ])("by a cancel, %s", (_when, records, title) => {
    const report = aSessionReport({ records, jobStatus: "cancelled", mainEnd: { kind: "stopped" } });
    expect(outcomeOf(report).title).toBe(title);
  });

  test("by a cancel, while a create had no answer: that nothing was rented would be too much to say", () => {
    const uncertain = { records: [], isUncertain: true, jobStatus: "cancelled", mainEnd: { kind: "stopped" } } as const;
    expect(outcomeOf(aSessionReport(uncertain)).title).toMatch(
      /Nothing is rented any more\. What came of one create is not known/,
    );
  });

  test("by a cancel, while a create had no answer and came true: post destroyed it, and nobody denies it", () => {
    const found = { records: [], isUncertain: true, destroyed: [7001001] };
    const stopped = { ...found, jobStatus: "cancelled", mainEnd: { kind: "stopped" } } as const;
    expect(outcomeOf(aSessionReport(stopped)).title).toBe("The job was cancelled. What was rented is given back.");
    expect(outcomeOf(aSessionReport(found)).title).toBe("What was rented is given back.");
  });

  test("by the step's own timeout-minutes", () => {
    const { title, details } = outcomeOf(aSessionReport({ jobStatus: "failure", mainEnd: { kind: "stopped" } }));
    expect(title).toBe("The step was stopped before the GPU job was over. What was rented is given back.");
    expect(details[0]).toContain("timeout-minutes");
  });

  test("by force, without a word", () => {
    expect(outcomeOf(aSessionReport({ jobStatus: "failure", mainEnd: undefined })).title).toContain("cut off");
  });
});

test("what may still bill comes before all else, and why main failed stands below it", () => {
  const report = aSessionReport({
    undestroyed: ["instance 7001001"],
    jobs: RUNNING,
    destroyed: [7001002],
    mainEnd: failed("other", "2 jobs ask for 1 runner."),
  });
  expect(outcomeOf(report)).toMatchObject({
    title: "A machine may still be billing.",
    details: ["2 jobs ask for 1 runner."],
    next: "Raise max&#45;price.",
  });
});

test("after a cancel it says which machines stayed for their runners to end the job", () => {
  const { details, title } = outcomeOf(aSessionReport({ jobStatus: "cancelled", leftForJobs: [7001001] }));
  expect(title).toBe("The job was cancelled. What was rented is given back.");
  expect(details).toEqual(["Instance 7001001 stayed up to 30 s longer, so that its runner could end the job."]);
  expect(outcomeOf(aSessionReport({ jobStatus: "cancelled" })).details).toEqual([]);
});
