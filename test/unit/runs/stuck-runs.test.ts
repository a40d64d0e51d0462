import { beforeEach, describe, expect, test } from "vitest";
import type { GithubCall, GithubClient } from "../../../src/github/github-client.ts";
import { GithubTokenError, GithubUnavailableError } from "../../../src/github/github-errors.ts";
import type { Job } from "../../../src/github/jobs.ts";
import type { Run } from "../../../src/github/runs.ts";
import type { Owned } from "../../../src/release/leftovers.ts";
import { jobsToAsk, judgeLostRun, type LostNotes, mayBeLost } from "../../../src/runs/lost-runs.ts";
import { cancelStuckRuns, type StuckSearch, stuckForMs } from "../../../src/runs/stuck-runs.ts";
import { aJob } from "../support/a-job.ts";
import { aLabel } from "../support/a-leftover.ts";
import { aListedRun } from "../support/a-run.ts";
import { clock, freshWorld, log } from "../support/fresh-world.ts";

freshWorld();

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const RUN = { runId: 4711, attempt: 1, hasMachine: false };

const since = (minutes: number) => NOW - minutes * MINUTE;
const waiting = (minutes: number, labels = ["gpu-4711-1"]) => ({ status: "queued", labels, createdAt: since(minutes) });
const hosted = (status: string) => ({ status, labels: ["ubuntu-latest"], createdAt: since(60) });

test.each([
  ["a GPU job alone", [waiting(15)], 15],
  ["while other jobs are over", [hosted("completed"), waiting(16)], 16],
  ["whose label has a slip before the run", [waiting(15, ["gup-4711-1"])], 15],
  ["whatever the case, and with other labels", [waiting(15, ["self-hosted", "GPU-4711-1"])], 15],
] as [string, Parameters<typeof stuckForMs>[0], number, number?][])("stuck: %s", (_, jobs, minutes, attempt = 1) => {
  expect(stuckForMs(jobs, { ...RUN, attempt }, NOW)).toBe(minutes * MINUTE);
});

describe("not stuck", () => {
  test.each([
    ["waits less than 15 minutes", [waiting(14.9)]],
    ["has waited for a time that GitHub does not show", [{ ...waiting(60), createdAt: undefined }]],
    ["another job is queued: it may be the one that rents", [waiting(60), hosted("queued")]],
    ["one GPU job runs", [waiting(60), { ...waiting(60), status: "in_progress" }]],
    ["the label of a run whose number ours begins", [waiting(60, ["gpu-4711-12"])]],
  ])("%s", (_what, jobs) => {
    expect(stuckForMs(jobs, RUN, NOW)).toBeUndefined();
  });

  test.each(["gpu-4711-0", "gpu-4711-x", "gpu-4711-", "gpu-471-1", "my-gpu-4711-1"])("the label %s", (label) => {
    expect(stuckForMs([waiting(60, [label])], { ...RUN, attempt: 2 }, NOW)).toBeUndefined();
  });
});

const DOUBT = new GithubUnavailableError("read the runs of this repository", "502");
const NEED = { input: "job-token", task: "cancel a run", remedy: "Give it." } as const;

let jobs: { status: string; labels: string[]; created_at: string }[];
let machines: Owned[];
/** The open runs, and what hides the jobs of one. */
let runs: number[];
let hidden: Map<number, Error>;
/** The requests, and their seconds. */
let asked: string[];
/** The run is completed so many looks after it was cancelled. */
let looksUntilOver: number;
let refusal: Error | undefined;
/** The run when it is asked for by itself. */
let runNow: { attempt?: number; status?: string };

const BEGUN = { status: "in_progress", labels: ["gpu-4711-1"], created_at: "2025-12-31T23:00:00Z" };

beforeEach(() => {
  jobs = [{ ...BEGUN, status: "queued" }];
  machines = [];
  runs = [4711];
  hidden = new Map();
  asked = [];
  looksUntilOver = 0;
  refusal = undefined;
  runNow = {};
});

const aMachine = (label: Parameters<typeof aLabel>[0] = {}): Owned => {
  return { id: 1, label: aLabel(label), startedAt: undefined, usdPerHour: undefined };
};

/** GitHub as it lists the jobs of a run; a cast, as the real client has private fields. */
function client(): GithubClient {
  const request = async ({ parameters }: GithubCall) => {
    const id = Number(parameters?.run_id);
    const fault = hidden.get(id);
    if (fault) throw fault;
    asked.push(`jobs at ${clock.elapsed / 1000}`);
    const listed = jobs.map((job, index) => ({
      ...{ id: index, name: `job ${index}`, ...job },
      labels: job.labels.map((label) => label.replace("4711", String(id))),
    }));
    return { status: 200, data: { total_count: listed.length, jobs: listed }, headers: {} };
  };
  return { request, clock } as unknown as GithubClient;
}

function search(given: Partial<StuckSearch> = {}): StuckSearch {
  const end = (how: string) => async () => {
    asked.push(`${how} at ${clock.elapsed / 1000}`);
    if (refusal) throw refusal;
    return "asked" as const;
  };
  const attempt = async () => {
    looksUntilOver -= 1;
    if (looksUntilOver % 2 === 1) throw DOUBT;
    return { isCompleted: looksUntilOver < 0, unchangedForMs: 0 };
  };
  const run = (id: number) => aListedRun({ id, status: "queued" });
  const lists = { listOpen: async () => runs.map(run), get: async (id: number) => ({ ...run(id), ...runNow }) };
  const ends = { attempt, cancel: end("cancel"), forceCancel: end("force-cancel") };
  return {
    ...{ client: client(), runs: { ...lists, ...ends } as unknown as StuckSearch["runs"], clock, log },
    ...{ ownRunId: 9000, isDryRun: false, listMachines: async () => machines },
    signal: new AbortController().signal,
    ...given,
  };
}

const look = (given: Partial<StuckSearch> = {}) => clock.run(cancelStuckRuns(search(given)));

test("two looks, 15 s apart, one more right before, then one cancel", async () => {
  expect(await look()).toMatchObject([{ runId: 4711, attempt: 1, outcome: "cancelled", waitedMs: 3_615_000 }]);
  expect(asked).toEqual(["jobs at 0", "jobs at 15", "jobs at 15", "cancel at 15"]);
});

test.each([
  ["a job that begins", () => (jobs = [BEGUN])],
  ["a machine that turns up", () => machines.push(aMachine())],
])("what changed between the looks is not cancelled: %s", async (_what, change) => {
  clock.at(10_000, change);
  expect(await look()).toEqual([]);
  expect(asked).toEqual(["jobs at 0", "jobs at 15"]);
});

test.each([
  ["was re-run", { attempt: 2 }],
  ["is over", { status: "completed" }],
])("a run that %s since the looks is left: a cancel knows no attempts", async (_what, now) => {
  runNow = now;
  expect(await look()).toMatchObject([{ outcome: "changed" }]);
  expect(asked).toEqual(["jobs at 0", "jobs at 15"]);
  expect(log.lines.join()).toMatch(/^Run 4711 \(attempt 1\), .* is left: it waits in vain no longer\.$/);
});

/** Something happens after the looks, right before the cancel. */
const between = (happens: () => unknown) => async () => {
  if (asked.length === 2) happens();
  return machines;
};

test("our own run is not looked at, and a machine of another attempt is no reason to wait", async () => {
  expect(await look({ ownRunId: 4711 })).toEqual([]);
  expect(asked).toEqual([]);
  machines = [aMachine({ attempt: 2 })];
  expect(await look()).toMatchObject([{ outcome: "cancelled" }]);
});

test("a run that a cancel did not end within a minute is cancelled by force; one that even that did not end is reported", async () => {
  looksUntilOver = 1000;
  expect(await look()).toMatchObject([{ outcome: "failed" }]);
  expect(asked.slice(3)).toEqual(["cancel at 15", "force-cancel at 75"]);
  expect(log.warnings).toEqual([expect.stringMatching(/^Run 4711 .* has not ended yet\.$/)]);
});

test("a refusal is a warning with what to do; a dry run cancels nothing", async () => {
  refusal = new GithubTokenError(NEED, 403, "Resource not accessible");
  expect(await look()).toMatchObject([{ outcome: "failed" }]);
  expect(log.warnings).toEqual([expect.stringMatching(/job-token may not cancel a run.*Give it\./s)]);
  asked.length = 0;
  expect(await look({ isDryRun: true })).toMatchObject([{ outcome: "would-cancel" }]);
  expect(asked.join()).not.toContain("cancel");
});

test("a run that is deleted meanwhile is reported and left, and the others are ended", async () => {
  runs = [4700, 4711];
  hidden.set(4700, new GithubTokenError(NEED, 404, "Not Found"));
  expect(await look()).toMatchObject([{ runId: 4711, outcome: "cancelled" }]);
  expect(log.warnings).toEqual([expect.stringMatching(/^Run 4700 could not be looked at, and is left: /)]);
});

test("a run whose jobs can't be read right before its cancel is not cancelled", async () => {
  const listMachines = between(() => hidden.set(4711, DOUBT));
  expect(await look({ listMachines })).toMatchObject([{ outcome: "failed" }]);
  expect(asked).toEqual(["jobs at 0", "jobs at 15"]);
  expect(log.warnings).toEqual([expect.stringMatching(/^Run 4711 .* could not be cancelled/)]);
});

test("when nothing can be read, not every run is asked for", async () => {
  runs = [1, 2, 3, 4, 5, 6];
  for (const id of runs) hidden.set(id, DOUBT);
  expect(await look()).toEqual([]);
  expect(log.warnings).toHaveLength(4);
  expect(log.warnings[3]).toMatch(/Neither are the other runs looked at/);
});

test("a token that may not look ends the search: it is refused for every run", async () => {
  runs = [4700, 4711];
  hidden.set(4700, new GithubTokenError(NEED, 403, "Resource not accessible"));
  await expect(look()).rejects.toThrow("Resource not accessible");
});

const job = (id: number, name: string, conclusion: string, labels: string[] = ["ubuntu-latest"]): Job =>
  aJob({ id, name, status: "completed", conclusion, labels });

const GPU = ["gpu-4711-1"];
const RENT = job(1, "rent", "failure");
const LOST = job(2, "test (3.11)", "failure", GPU);
const NOTES: LostNotes = { renting: new Set([1]), lost: new Set([2]) };

test.each<[string, Partial<Run>, boolean]>([
  ["failed, over for minutes, never run again", {}, true],
  ["one that was run again: never twice", { attempt: 2 }, false],
  ["one that somebody cancelled", { conclusion: "cancelled" }, false],
  ["the one that sweeps", { id: 9000 }, false],
  ["a fork's, whose jobs can rent nothing", { isOfFork: true }, false],
  ["one without a time", { updatedAt: undefined }, false],
])("a run that may be one to re-run: %s: %j", (_what, given, mayBe) => {
  expect(mayBeLost(aListedRun(given), 9000, NOW)).toBe(mayBe);
});

describe("whose notes are read", () => {
  test("of failed jobs that are none of the GPU's: nothing that ran on a rented machine has a say", () => {
    const jobs = [RENT, LOST, job(3, "lint", "success"), job(4, "named", "cancelled", ["GPU-4711-1-cuda12"])];
    expect(jobsToAsk(aListedRun(), jobs)).toEqual([RENT]);
  });

  test("nobody's, where every GPU job succeeded or none was there", () => {
    expect(jobsToAsk(aListedRun(), [RENT, job(2, "test", "success", GPU)])).toEqual([]);
    expect(jobsToAsk(aListedRun(), [RENT, job(2, "test", "failure", ["gpu-4711-2"])])).toEqual([]);
  });
});

const CANCELLED = { ...LOST, conclusion: "cancelled" };
const RERUN = { kind: "rerun", jobs: ["test (3.11)"] };
const NOTHING = { kind: "nothing" };
const leave = (name: string) => ({ kind: "leave", why: `its job '${name}' failed by itself` });

test.each<[string, Job[], object]>([
  ["one that GitHub ended as cancelled, like fail-fast its sibling", [CANCELLED, job(5, "b", "cancelled", GPU)], RERUN],
  ["a GPU job failed by itself", [LOST, job(5, "test (3.12)", "failure", GPU)], leave("test (3.12)")],
  ["a job that was noted as lost succeeded after all", [{ ...LOST, conclusion: "success" }], NOTHING],
])("the verdict: %s", (_what, jobs, verdict) => {
  expect(judgeLostRun([RENT, ...jobs], NOTES)).toEqual(verdict);
});
