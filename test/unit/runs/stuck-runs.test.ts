import { beforeEach, describe, expect, test } from "vitest";
import type { GithubCall, GithubClient } from "../../../src/github/github-client.ts";
import { GithubTokenError, GithubUnavailableError } from "../../../src/github/github-errors.ts";
import type { Owned } from "../../../src/release/leftovers.ts";
import { cancelStuckRuns, type StuckSearch, stuckForMs } from "../../../src/runs/stuck-runs.ts";
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
  ["by the one that has waited longest", [waiting(2), waiting(20)], 20],
  ["for a session with a name", [waiting(15, ["gpu-4711-1-cuda12"])], 15],
  ["that asks for an earlier attempt's machine: none comes", [waiting(15, ["gpu-4711-1-cuda12"])], 15, 3],
  ["though another one asks for this attempt's", [waiting(16), waiting(2, ["gpu-4711-2"])], 16, 2],
  ["whose label lacks the attempt", [waiting(15, ["gpu-4711"])], 15],
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
    ["another job runs", [waiting(60), hosted("in_progress")]],
    ["another job waits for an approval", [waiting(60), hosted("waiting")]],
    ["another job is held by its group", [waiting(60), hosted("pending")]],
    ["another job is in a state of next year", [waiting(60), hosted("hibernating")]],
    ["one GPU job runs", [waiting(60), { ...waiting(60), status: "in_progress" }]],
    ["the GPU job itself waits for an approval", [{ ...waiting(60), status: "waiting" }]],
    ["the label of an attempt to come", [waiting(60, ["gpu-4711-2"])]],
    ["the label of a run whose number ours begins", [waiting(60, ["gpu-4711-12"])]],
    ["a runner of another kind", [waiting(60, ["gpu"])]],
    ["all is over", [hosted("completed")]],
    ["no job at all", []],
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

test("a job that begins since the looks keeps its run", async () => {
  const listMachines = async () => {
    if (asked.length === 2) jobs = [BEGUN];
    return machines;
  };
  expect(await look({ listMachines })).toMatchObject([{ outcome: "changed" }]);
});

test("our own run is not looked at, and a machine of another attempt is no reason to wait", async () => {
  expect(await look({ ownRunId: 4711 })).toEqual([]);
  expect(asked).toEqual([]);
  machines = [aMachine({ attempt: 2 })];
  expect(await look()).toMatchObject([{ outcome: "cancelled" }]);
});

test("the end is looked for, not assumed; after no answer it is asked again", async () => {
  looksUntilOver = 6;
  expect(await look()).toMatchObject([{ outcome: "cancelled" }]);
  expect(clock.elapsed).toBe(45_000);
});

test("a run that a cancel did not end within a minute is cancelled by force; one that even that did not end is reported", async () => {
  looksUntilOver = 1000;
  expect(await look()).toMatchObject([{ outcome: "failed" }]);
  expect(asked.slice(3)).toEqual(["cancel at 15", "force-cancel at 75"]);
  expect(log.warnings).toEqual([expect.stringMatching(/^Run 4711 .* has not ended yet\.$/)]);
});

test("a refusal is a warning with what to do", async () => {
  refusal = new GithubTokenError(NEED, 403, "Resource not accessible");
  expect(await look()).toMatchObject([{ outcome: "failed" }]);
  expect(log.warnings).toEqual([expect.stringContaining("job-token may not cancel a run")]);
  expect(log.warnings[0]).toContain("Give it.");
});

test("a dry run cancels nothing", async () => {
  expect(await look({ isDryRun: true })).toMatchObject([{ outcome: "would-cancel" }]);
  expect(asked).toEqual(["jobs at 0", "jobs at 15", "jobs at 15"]);
});

test.each([
  ["has too many jobs", new GithubUnavailableError("read the jobs of this run", "there are more than 1000")],
  ["is deleted meanwhile", new GithubTokenError(NEED, 404, "Not Found")],
])("a run that %s is reported and left, and the others are ended", async (_what, fault) => {
  runs = [4700, 4711];
  hidden.set(4700, fault);
  expect(await look()).toMatchObject([{ runId: 4711, outcome: "cancelled" }]);
  expect(log.warnings).toEqual([expect.stringMatching(/^Run 4700 could not be looked at, and is left: /)]);
});

test("a run whose jobs can't be read right before its cancel is not cancelled", async () => {
  const listMachines = async () => {
    if (asked.length === 2) hidden.set(4711, DOUBT);
    return machines;
  };
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
