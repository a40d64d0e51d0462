import { expect, test } from "vitest";
import { sortJobs } from "../../../src/github/jobs.ts";
import type { MainEnd } from "../../../src/release/ledger.ts";
import { costOf } from "../../../src/report/session-report.ts";
import { outcomeOf, summaryMarkdown, trendTable } from "../../../src/report/summary.ts";
import { gpuJobs } from "../support/a-fleet.ts";
import { completedJob, WHOSE } from "../support/a-job.ts";
import { aFailedRecord, aRecord, aSessionReport, START } from "../support/a-session-report.ts";

type Given = Parameters<typeof aSessionReport>[0];

const summary = (given: Given = {}) => summaryMarkdown(aSessionReport(given));
const cells = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

/** A machine's row of the table, by its titles. */
function rowOf(given: Given, index = 0): Record<string, string | undefined> {
  const [titles = [], , ...rows] = summary(given)
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map(cells);
  return Object.fromEntries(titles.map((title, column) => [title, rows[index]?.[column]]));
}

type What = Extract<MainEnd, { kind: "failed" }>["what"];
const failed = (message: string, what: What = "other"): MainEnd => ({
  ...{ kind: "failed", what, message, hint: "Raise max-price.", taken: 0 },
});
const RAN = { name: "test (3.12)", conclusion: "success", seconds: 300 };
const SOME_TRAFFIC = { traffic: { downGb: 5, upGb: 0 }, price: { total: 0.6, storage: 0, inetDown: 0.01 } };
const { asked } = aRecord().at;
const FREE = aRecord({ at: { asked, created: asked, gone: asked } });
const withCredit = (credit: number) => ({ context: { startedAt: START, runnerLabel: "gpu", credit } });
const COST = costOf(aSessionReport()).total;

test("what it cost: part by part, for spares, on its own runner, and what credit is left", () => {
  const ran = aRecord({ jobs: [RAN, { ...RAN }], ...SOME_TRAFFIC });
  const records = [ran, aFailedRecord({ isUnneeded: true, last: "no job needs it" })];
  expect(summary({ records, ...withCredit(31.2), end: START + 3_600_000 })).toContain(
    "\nIt cost about 0.64 USD: 0.59 for machines, 0.0500 for traffic (that of 1 machine not counted). " +
      "0.0050 of it for 1 spare that no job needed. This step took 60 min on its own runner: 0.36 USD in a private repository. " +
      "About 30.56 USD of credit is left.\n",
  );
});

const TOO_LITTLE = "of credit is left, too little for another such run.";
const free = (downGb: number) => ({ records: [{ ...FREE, ...SOME_TRAFFIC, traffic: { downGb, upGb: 0 } }] });
const less = "\nIt cost less than 0.0001 USD: 0.00 for machines, less than 0.0001 for traffic. ";

test.each<[string, Given, string]>([
  ["credit for no other such run", withCredit(1), `About 0.41 USD ${TOO_LITTLE}`],
  ["no credit", withCredit(COST - 0.1), "No credit is left."],
  ["nothing, traffic included", free(0), "\nIt cost nothing. "],
  ["less than is shown", free(1e-3), less],
  ["more", { destroyed: [7001001, 8] }, "What instance 8 cost is not known: nothing was written down of it. "],
  ["what nobody knows", { records: [], destroyed: [8, 9] }, "\nWhat instances 8, 9 cost is not known: nothing was "],
])("what it cost: %s", (_what, given, sentence) => {
  expect(summary(given)).toContain(sentence);
});

test.each<[string, Given, boolean]>([
  ["after a cancel that is no news", { jobs: gpuJobs({ waiting: 1 }), jobStatus: "cancelled" }, false],
  ["hold: false, with a job for it", { jobs: gpuJobs({ waiting: 1 }), mainEnd: { kind: "ready" } }, true],
  ["hold: false, and it was for later steps", { jobs: gpuJobs({}), mainEnd: { kind: "ready" } }, false],
])("it says when no job ever used a machine: %s", (_what, given, isTold) => {
  expect(summary(given).includes("No job ever used a machine")).toBe(isTold);
});

const RAN_ON = "The GPU job ran on 1 × RTX 4090 at 0.60 USD per hour";
const LINKS = "'test' (failure: https://github.com/o/7), 'a' (https://github.com/o/x) did not succeed. More.";

test.each<[string, Given, string]>([
  ["what cost nothing", { records: [FREE] }, `${RAN_ON}: it cost nothing, 0s.`],
  ["no address in it", { mainEnd: failed(LINKS) }, "'test' &#40;failure&#41;, 'a' did not succeed."],
])("its heading: %s", (_what, given, heading) => {
  expect(summary(given).split("\n")[0]).toBe(`### ${heading}`);
});

test("one row a machine: what it was, how far it came, why it ended, what it cost", () => {
  expect(rowOf({ records: [aFailedRecord(), aRecord({ jobs: [RAN] })] }, 1)).toEqual({
    "#": "2",
    offer: "11",
    instance: "7001001",
    GPU: "1 × RTX 4090",
    host: "40211",
    "price per hour": "0.60 USD",
    "rented for": "1h",
    stages: "booting 1m 33s, starting 45s, ready 57m 42s",
    cost: "0.59 USD",
    jobs: "job 1, test &#40;3.12&#41;: success, 5m, 0.59 USD",
    "why it ended": "gave itself back",
  });
});

test("what is not gone is rented until now", () => {
  const offer = { id: 11, gpuName: "RTX 4090", numGpus: 1 };
  const unknown = aRecord({ offer, at: { asked: START, created: START }, last: "created" });
  const row = rowOf({ records: [unknown], end: START + 600_000 });
  expect(row).toMatchObject({ host: "unknown", stages: "booting 10m", "rented for": "10m" });
});

test("a chart of the machines' time comes before the table, and what to do after it", () => {
  const markdown = summary({ records: [aRecord(), aFailedRecord()], mainEnd: failed("It broke.") });
  expect(markdown).toMatch(/^### It broke\.\n\n```mermaid\n[\s\S]*?section machine 2[\s\S]*?```\n\n\| # \|/);
  expect(markdown).toMatch(/\n\n\*\*What to do:\*\* Raise max&#45;price\.\n\n\*\*Still rented: nothing\.\*\*\n$/);
});

test("a job's name leads to its page, where GitHub said its id", () => {
  const { jobs } = rowOf({ records: [aRecord({ jobs: [{ ...RAN, id: 77 }, { ...RAN }] })], runUrl: "https://run/5" });
  expect(jobs).toMatch(
    /^job 1, \[test &#40;3.12&#41;\]\(https:\/\/run\/5\/job\/77\): .*; job 2, test &#40;3.12&#41;: /,
  );
});

test("offers that were gone are counted, also where there was no machine", () => {
  expect(summary({ taken: 1 })).toContain("1 offer was gone when it was asked for.");
  expect(summary({ taken: 3, records: [] })).toContain("3 offers were gone when they were asked for.");
});

test("without a machine there is neither a table nor a chart", () => {
  const markdown = summary({ records: [], mainEnd: { kind: "no-job", message: "No job asks." } });
  expect(markdown).toBe("### No job asks.\n\n**Still rented: nothing.**\n");
});

test("what may still bill is named, and then nobody says that nothing is rented", () => {
  const markdown = summary({ undestroyed: ["instance 7001001", "whatever is labelled ghr1.1.2-1.abcdef.…"] });
  expect(markdown).toContain("**May still be billing: instance 7001001,");
  expect(markdown).not.toContain("Still rented: nothing");
});

const ROWS = [
  ...[{ run: 1, at: START, usd: 0.04, waitSeconds: 120, bootSeconds: 80 }],
  ...[{ run: 2, at: START + 60_000, usd: 0.02, bootSeconds: 60 }],
];

test("the last runs: a table of ten at most; what was not reported is no 0", () => {
  expect(trendTable(ROWS)).toEqual([
    "The last 2 runs:",
    "",
    "| run | ended (UTC) | cost | wait | boot |",
    "|---|---|---|---|---|",
    "| 1 | 2026-01-01 00:00 | 0.0400 USD | 2m | 1m 20s |",
    "| 2 | 2026-01-01 00:01 | 0.0200 USD | not reported | 1m |",
  ]);
  expect(trendTable(Array(30).fill(ROWS[0]))).toHaveLength(14);
  expect(trendTable(ROWS.map((row) => ({ ...row, usd: 1e-6 }))).at(-1)).toContain("| less than 0.0001 USD |");
  expect(trendTable(ROWS.slice(1))).toEqual([]);
});

test("the last runs: they and the advice are in the summary; what an offer's name says is harmless there", () => {
  const page = summary({ lessons: { advice: ["a <b>GPU</b> would do. Change gpu-name."], trend: ROWS } });
  expect(page).toContain("| 2 | 2026-01-01 00:01 |");
  expect(page).toContain("would do. Change gpu");
  expect(page).not.toContain("<b>");
});

// The title, and the sentences below it.

const of = (given: Given) => outcomeOf(aSessionReport(given));

const STOPPED = { kind: "stopped" } as const;
const READY = { kind: "ready" } as const;
const CANCELLED = { jobStatus: "cancelled", mainEnd: STOPPED };
/** One that came online after the machine of the job. */
const SPARE = aFailedRecord({ offer: { id: 12, gpuName: "RTX 3090", numGpus: 1 }, at: aRecord().at, isUnneeded: true });
const NEVER_RAN = sortJobs([completedJob("cancelled", { runnerId: undefined, runnerName: undefined })], WHOSE);
/** A create gave no answer. */
const UNCERTAIN = { records: [], isUncertain: true };

const GIVEN_BACK = "What was rented is given back.";
const TAKEN = { destroyed: [7001001], mainEnd: READY };

test.each<[string, Given, string | RegExp]>([
  ["it ran, and a spare did not", { records: [aRecord({ jobs: [RAN] }), SPARE] }, `${RAN_ON}: about 1.17 USD, 1h.`],
  ["no job used the machine, as it was cancelled before", { jobs: NEVER_RAN }, /^Rented: 1 × RTX 4090/],
  ["it was for later steps", { mainEnd: READY }, "Rented: 1 × RTX 4090 at 0.60 USD per hour: about 0.59 USD, 1h."],
  ["a waiting job's", { jobs: gpuJobs({ waiting: 1 }), ...TAKEN }, /back while the GPU job was waiting for it\.$/],
  ["one's that had just ended badly", { jobs: gpuJobs({ robbed: 1 }), ...TAKEN }, /back as the GPU job ended badly\.$/],
  ["a running job's machine gave itself back", { jobs: gpuJobs({ running: 1 }) }, `${RAN_ON}: about 0.59 USD, 1h.`],
  ["a cancel, with a machine", CANCELLED, `The job was cancelled. ${GIVEN_BACK}`],
  ["a cancel, before there was one", { ...CANCELLED, records: [] }, "The job was cancelled. Nothing was rented."],
  ["… beside an unknown create", { ...CANCELLED, ...UNCERTAIN }, /Nothing is rented any more\. What came of one c/],
  ["a create came true after all", { ...UNCERTAIN, destroyed: [7] }, GIVEN_BACK],
  ["an end by force, without a word", { jobStatus: "failure", mainEnd: undefined }, /cut off/],
])("the title: %s", (_what, given, title) => {
  expect(of(given).title).toEqual(typeof title === "string" ? title : expect.stringMatching(title));
});

test("the step's own timeout-minutes stopped it", () => {
  const { title, details } = of({ jobStatus: "failure", mainEnd: STOPPED });
  expect(title).toBe("The step was stopped before the GPU job was over. What was rented is given back.");
  expect(details[0]).toContain("timeout-minutes");
});

const MATCHED = failed("No offer matches: 1 × RTX 4090. The cheapest is 0.47. Nothing was rented.", "no-machine");
const READY_NONE = failed("No machine could be made ready. Attempt 1, offer 10 (…): it is exited.", "no-machine");
const OTHER = failed("2 jobs ask for 1 runner.");
const WHOLE = "No offer matches&#58; 1 × RTX 4090. The cheapest is 0.47. Nothing was rented.";
const stays = { undestroyed: ["instance 7001001"], destroyed: [7] };

test.each<[string, Given, string, string[]]>([
  ["nothing matched: the whole sentence", { records: [], mainEnd: MATCHED }, "No machine could be rented.", [WHOLE]],
  // The table has the rest.
  ["none was ready", { records: [aFailedRecord()], mainEnd: READY_NONE }, "No machine could be made ready.", []],
  ["anything else says so itself", { records: [], mainEnd: OTHER }, "2 jobs ask for 1 runner.", []],
  // That comes before all else.
  ["what may bill", { ...stays, mainEnd: OTHER }, "A machine may still be billing.", ["2 jobs ask for 1 runner."]],
])("main failed: %s", (_what, given, title, details) => {
  expect(of(given)).toEqual({ title, details, next: "Raise max&#45;price." });
});

test("main failed: the GPU job failed: what the job ran on", () => {
  const mainEnd = failed("The GPU job did not succeed (failure); this job fails with it. The end.", "job-failed");
  const { title, details } = of({ mainEnd });
  expect(title).toContain("The GPU job did not succeed &#40;failure&#41;; this job fails with it.");
  expect(details[0]).toMatch(/^It ran on 1 × RTX 4090/);
});

test.each([
  ["main had ended well", "success", READY, "The job that rents ended before the GPU job did."],
  ["it was cancelled", "cancelled", STOPPED, "The job that rents was cancelled."],
  ["main had failed", "failure", failed("max lifetime is over."), "max lifetime is over."],
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
