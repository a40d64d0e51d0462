import { describe, expect, test } from "vitest";
import { sortJobs } from "../../../src/github/jobs.ts";
import type { MainEnd } from "../../../src/release/ledger.ts";
import { outcomeOf } from "../../../src/report/summary.ts";
import { gpuJobs } from "../support/a-fleet.ts";
import { completedJob, WHOSE } from "../support/a-job.ts";
import { aFailedRecord, aRecord, aSessionReport } from "../support/a-session-report.ts";

type Given = Parameters<typeof aSessionReport>[0];
type What = Extract<MainEnd, { kind: "failed" }>["what"];

const of = (given: Given) => outcomeOf(aSessionReport(given));
const hint = "Raise max-price.";
const failed = (what: What, message: string): MainEnd => ({ kind: "failed", what, message, hint, taken: 0 });

const STOPPED = { kind: "stopped" } as const;
const READY = { kind: "ready" } as const;
const CANCELLED = { jobStatus: "cancelled", mainEnd: STOPPED };
const RAN = [{ name: "test", conclusion: "success", seconds: 600 }];
/** One that came online after the machine of the job. */
const SPARE = aFailedRecord({ offer: { id: 12, gpuName: "RTX 3090", numGpus: 1 }, at: aRecord().at, isUnneeded: true });
const NEVER_RAN = sortJobs([completedJob("cancelled", { runnerId: undefined, runnerName: undefined })], WHOSE);
const NO_JOB = { kind: "no-job", message: "No job asks. Nothing was rented." } as const;
/** A create gave no answer. */
const UNCERTAIN = { records: [], isUncertain: true };

const RAN_ON = "The GPU job ran on 1 × RTX 4090 at 0.60 USD per hour";
const GIVEN_BACK = "What was rented is given back.";
const TAKEN = { destroyed: [7001001], mainEnd: READY };

test.each<[string, Given, string | RegExp]>([
  // What that cost with all that failed before.
  ["the job is over", { records: [aRecord({ last: "it is exited" }), aRecord()] }, `${RAN_ON}: about 1.17 USD, 1h.`],
  ["it ran, and a spare did not", { records: [aRecord({ jobs: RAN }), SPARE] }, `${RAN_ON}: about 1.17 USD, 1h.`],
  ["no job used the machine, as it was cancelled before", { jobs: NEVER_RAN }, /^Rented: 1 × RTX 4090/],
  ["it was for later steps", { mainEnd: READY }, "Rented: 1 × RTX 4090 at 0.60 USD per hour: about 0.59 USD, 1h."],
  ["nobody asked for a machine", { records: [], mainEnd: NO_JOB }, "No job asks."],
  ["a waiting job's", { jobs: gpuJobs({ waiting: 1 }), ...TAKEN }, /back while the GPU job was waiting for it\.$/],
  ["one's that had just ended badly", { jobs: gpuJobs({ robbed: 1 }), ...TAKEN }, /back as the GPU job ended badly\.$/],
  ["a running job's machine gave itself back", { jobs: gpuJobs({ running: 1 }) }, `${RAN_ON}: about 0.59 USD, 1h.`],
  ["a cancel, with a machine", CANCELLED, `The job was cancelled. ${GIVEN_BACK}`],
  ["a cancel, before there was one", { ...CANCELLED, records: [] }, "The job was cancelled. Nothing was rented."],
  ["… beside an unknown create", { ...CANCELLED, ...UNCERTAIN }, /Nothing is rented any more\. What came of one c/],
  ["… that came true", { ...CANCELLED, ...UNCERTAIN, destroyed: [7] }, `The job was cancelled. ${GIVEN_BACK}`],
  ["a create came true after all", { ...UNCERTAIN, destroyed: [7] }, GIVEN_BACK],
  ["an end by force, without a word", { jobStatus: "failure", mainEnd: undefined }, /cut off/],
])("%s", (_what, given, title) => {
  expect(of(given).title).toEqual(typeof title === "string" ? title : expect.stringMatching(title));
});

test("the step's own timeout-minutes stopped it", () => {
  const { title, details } = of({ jobStatus: "failure", mainEnd: STOPPED });
  expect(title).toBe("The step was stopped before the GPU job was over. What was rented is given back.");
  expect(details[0]).toContain("timeout-minutes");
});

describe("main failed", () => {
  const MATCHED = failed("no-machine", "No offer matches: 1 × RTX 4090. The cheapest is 0.47. Nothing was rented.");
  const READY_NONE = failed("no-machine", "No machine could be made ready. Attempt 1, offer 10 (…): it is exited.");
  const OTHER = failed("other", "2 jobs ask for 1 runner.");
  const WHOLE = "No offer matches&#58; 1 × RTX 4090. The cheapest is 0.47. Nothing was rented.";
  const stays = { undestroyed: ["instance 7001001"], destroyed: [7] };

  test.each<[string, Given, string, string[]]>([
    ["nothing matched: the whole sentence", { records: [], mainEnd: MATCHED }, "No machine could be rented.", [WHOLE]],
    // The table has the rest.
    ["none was ready", { records: [aFailedRecord()], mainEnd: READY_NONE }, "No machine could be made ready.", []],
    ["anything else says so itself", { records: [], mainEnd: OTHER }, "2 jobs ask for 1 runner.", []],
    // That comes before all else.
    ["what may bill", { ...stays, mainEnd: OTHER }, "A machine may still be billing.", ["2 jobs ask for 1 runner."]],
  ])("%s", (_what, given, title, details) => {
    expect(of(given)).toEqual({ title, details, next: "Raise max&#45;price." });
  });

  test.each([
    ["what the job ran on", undefined, /^It ran on 1 × RTX 4090/],
    ["what no job ran on", NEVER_RAN, /^Rented: 1 × RTX 4090/],
  ])("the GPU job failed: %s", (_what, jobs, ranOn) => {
    const mainEnd = failed("job-failed", "The GPU job did not succeed (failure); this job fails with it. The end.");
    const { title, details } = of({ mainEnd, jobs });
    expect(title).toContain("The GPU job did not succeed &#40;failure&#41;; this job fails with it.");
    expect(details[0]).toMatch(ranOn);
  });
});

test.each([
  ["main had ended well", "success", READY, "The job that rents ended before the GPU job did."],
  ["it was cancelled", "cancelled", STOPPED, "The job that rents was cancelled."],
  ["main had failed", "failure", failed("other", "max lifetime is over."), "max lifetime is over."],
  ["main was killed", "failure", undefined, "The main step was cut off."],
  ["its step timed out", "failure", STOPPED, expect.stringContaining("timeout-minutes of this step")],
] as const)("the machine was taken from a job that ran: %s", (_when, jobStatus, mainEnd, why) => {
  const { title, details } = of({ jobs: gpuJobs({ running: 1 }), destroyed: [7001001], jobStatus, mainEnd });
  expect(title).toBe("The machine was given back under a running job.");
  expect(details[0]).toEqual(why);
});

test("after a cancel it says which machines stayed for their runners to end the job", () => {
  const { details } = of({ jobStatus: "cancelled", leftForJobs: [7001001] });
  expect(details).toEqual(["Instance 7001001 stayed up to 30 s longer, so that its runner could end the job."]);
  expect(of({ jobStatus: "cancelled" }).details).toEqual([]);
});
