import { describe, expect, test } from "vitest";
import { GithubTokenError, GithubUnavailableError } from "../../../src/github/github-errors.ts";
import type { Job } from "../../../src/github/jobs.ts";
import type { Ledger } from "../../../src/release/ledger.ts";
import type { IfNoMachine } from "../../../src/release/session.ts";
import {
  DestroyedUnderJobError,
  leaveRun,
  RunNotCancelledError,
  seenJobs,
  waitForOthers,
} from "../../../src/runs/own-run.ts";
import { aJob, completedJob, OUR_RUNNER, OWN_JOB, runningJob, waitingJob } from "../support/a-job.ts";
import { aSession } from "../support/a-session.ts";
import { aRecord } from "../support/a-session-report.ts";
import { clock, freshWorld, github, log } from "../support/fresh-world.ts";

freshWorld();

interface Situation {
  destroyed?: number[];
  jobStatus?: string;
  ifNoMachine?: "auto" | "cancel" | "leave";
  /** Main has seen, twice, that the run is to be cancelled. */
  mainSaid?: boolean;
  end?: Ledger["end"];
  reports?: Ledger["reports"];
}

/** Of two machines; the jobs run on the second one. */
const REPORTS = new Map([5, 7].map((instanceId, index) => [index + 1, aRecord({ instanceId })]));

async function leaving(jobs: object[] | Error, situation: Situation = {}): Promise<void> {
  const { destroyed = [], mainSaid = false, end, reports = REPORTS, ...given } = situation;
  github.jobs = (jobs instanceof Error ? jobs : [OWN_JOB, ...jobs]) as typeof github.jobs;
  const session = aSession({ github, clock, log, inputs: { ifNoMachine: "leave", ...given } });
  const runners = new Map([
    [1, [20]],
    [2, [OUR_RUNNER]],
    [3, [23]],
  ]);
  const ledger = { cancelRun: mainSaid, end, reports, runners };
  const open = { session, ledger, destroyed, start: clock.start, until: clock.start + 250_000 };
  const left = await clock.run(leaveRun(open, await clock.run(seenJobs(open))));
  if (left !== undefined) log.warning(left);
}

describe("this job had succeeded, and post took the machine away", () => {
  test.each([
    ["running", runningJob(), "'test' was running"],
    ["waiting", waitingJob(), "'test' was waiting for it"],
  ])("under a %s job: fails", async (_state, job, words) => {
    const error = await leaving([job], { destroyed: [7], jobStatus: "success" }).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(DestroyedUnderJobError);
    expect(error).toMatchObject({ message: expect.stringContaining(words), hint: expect.stringContaining("hold") });
  });

  test("and GitHub shows that job as failed within seconds: fails", async () => {
    const job = completedJob("failure", { completedAt: clock.start + 4000 });
    const error = await leaving([job], { destroyed: [7], jobStatus: "success" }).catch((fault: unknown) => fault);
    expect(error).toMatchObject({ message: expect.stringContaining("'test' was running or had just ended badly") });
    const unwritten = leaving([job], { destroyed: [7], jobStatus: "success", reports: new Map() });
    await expect(unwritten).rejects.toThrow(DestroyedUnderJobError);
    await leaving([job], { destroyed: [5], jobStatus: "success" });
  });

  test("main had seen that job's end (fail-with-job: false): nothing to say", async () => {
    const job = completedJob("failure", { completedAt: clock.start - 4000 });
    await leaving([job], { destroyed: [7], jobStatus: "success", end: { kind: "over", taken: 0 } });
    expect(log.warnings).toEqual([]);
  });
});

test.each<NonNullable<Ledger["end"]>>([
  { kind: "failed", what: "other", message: "max-lifetime is over.", taken: 0 },
  { kind: "stopped" },
])("main had not ended well ($kind), and its step may (continue-on-error): only says so", async (end) => {
  await leaving([runningJob()], { destroyed: [7], jobStatus: "success", end });
  expect(log.warnings).toHaveLength(1);
});

test.each([
  ["that runs does not wait: GitHub ends it", [runningJob()], "or GitHub ends its job after about ten minutes"],
  ["that waits for another one does", [runningJob(), waitingJob({ id: 52 })], "or its job waits for up to a day"],
])("a job %s", async (_which, jobs, words) => {
  await leaving(jobs, { destroyed: [7] });
  expect(log.warnings).toEqual([expect.stringContaining(`while 'test' was running. Cancel the run, ${words}: https`)]);
});

describe("cancels the run", () => {
  test("in which nothing else is open", async () => {
    await leaving([waitingJob()], { ifNoMachine: "auto" });
    expect(github.cancelled).toEqual([4711]);
    expect(log.warnings).toEqual([]);
    expect(log.lines).toContain("GitHub cancels the run: its GPU job can have no machine.");
  });

  test("not when a second look shows that another job came", async () => {
    clock.at(5000, () => {
      github.jobs = [OWN_JOB, waitingJob(), aJob()] as typeof github.jobs;
    });
    await leaving([waitingJob()], { ifNoMachine: "auto" });
    expect(github.cancelled).toEqual([]);
    expect(log.warnings).toHaveLength(1);
  });

  test("and ends with GitHub's 202: a cancel that comes while post still runs makes this job's result *cancelled*", async () => {
    let late = 0;
    const list = github.runJobs;
    github.onCancel = () => {
      Object.assign(list, { list: async () => (late += 1) });
    };
    Object.defineProperty(github, "runJobs", { value: list });
    await leaving([waitingJob()], { ifNoMachine: "auto", mainSaid: true });
    expect([github.cancelled, late, clock.elapsed]).toEqual([[4711], 0, 0]);
  });

  test("without the permission: names it, and the job that waits", async () => {
    const need = { input: "job-token" as const, task: "cancel a run", remedy: "Grant it." };
    github.cancelAnswer = new GithubTokenError(need, 403, "Resource not accessible by integration");
    const error = await leaving([waitingJob()], { ifNoMachine: "cancel" }).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(RunNotCancelledError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/job-token may not cancel a run .* Nothing is rented\. .* https:\/\/job\/2$/),
      hint: expect.stringContaining("actions: write"),
    });
  });
});

test("a list that can't be read is no reason to fail, and none to cancel", async () => {
  const away = new GithubUnavailableError("ask", "502");
  await leaving(away, { destroyed: [7], jobStatus: "success", ifNoMachine: "cancel" });
  expect(log.warnings).toEqual([]);
  expect(log.lines).toHaveLength(1);
  expect(github.cancelled).toEqual([]);
});

const MINUTE = 60_000;

/** The end, and what was logged, where these jobs are listed for so long in addition to ours that waits. */
async function waiting(others: Job[], forMs = Number.POSITIVE_INFINITY, ifNoMachine: IfNoMachine = "auto") {
  const session = aSession({ github, clock, log, inputs: { ifNoMachine } });
  const look = async () => {
    github.jobs = [OWN_JOB, waitingJob(), ...(clock.elapsed < forMs ? others : [])];
    return "all" as const;
  };
  await look();
  const end = await clock.run(waitForOthers(session, new AbortController().signal, look));
  return { end, lines: log.lines, warnings: log.warnings };
}

const NONE = "No machine can be had for 'test' (https://job/2). Nothing is rented. The run will be cancelled";
const LEFT = "No machine can be had for 'test', and other jobs of this run are open: the sweep ends the run when they";

test.each([
  [[aJob(), aJob({ id: 51 })], "its 2 other open jobs are over"],
  [[waitingJob({ id: 52, status: "waiting" })], "its other open job is over"],
])("others are open: waits for them, and says when the run is cancelled", async (others, when) => {
  const { end, lines } = await waiting(others, 5 * MINUTE);
  expect(end).toBe("cancel");
  expect(lines).toEqual([`${NONE} when ${when}; after 30m that is left to the sweep.`, `${NONE}.`]);
});

test("one of ours waits for an approval for half an hour: the run is left to the sweep", async () => {
  const { end, lines, warnings } = await waiting([waitingJob({ id: 52, status: "waiting" })]);
  expect(end).toBe("leave");
  expect(lines.at(-1)).toContain(LEFT);
  // Post names the jobs that are left.
  expect(warnings).toEqual([]);
});
