import { expect, test } from "vitest";
import { openGithub } from "../../../../src/github/github.ts";
import type { GpuJob, GpuJobs } from "../../../../src/github/jobs.ts";
import { Registrations } from "../../../../src/github/registrations.ts";
import { systemClock } from "../../../../src/shared/clock.ts";
import { type FailingJobs, failJobs, failWaiting } from "../../../../src/teardown/fail-jobs.ts";
import type { Ledger } from "../../../../src/teardown/ledger.ts";
import { gpuJob } from "../../support/a-fleet.ts";
import { aRun } from "../../support/a-run.ts";
import { aSession } from "../../support/a-session.ts";
import { FakeGithub } from "../../support/fake-github.ts";
import { RecordedLog } from "../../support/recorded-log.ts";

const FAILED = { kind: "failed", what: "no-machine", message: "No offer fits.", hint: "Raise max-price.", taken: 0 };

function job(id: number, change: Partial<GpuJob> = {}): GpuJob {
  return gpuJob(id, "waiting", { name: `test ${id}`, ...change });
}

const JOBS: GpuJobs = {
  ours: [job(1), job(2, { state: "running" }), job(3, { otherLabels: ["self-hosted"] }), job(4, { state: "held" })],
  others: 1,
  othersOpen: [],
  mistyped: [],
  skipped: 0,
};

/** A user of whom nothing is asked. */
const NOBODY = {
  folder: "/nonexistent",
  handOver: async () => {},
  start: async () => "",
  async [Symbol.asyncDispose]() {},
};

async function failed(end: object | undefined, ifNoMachine: "fail-jobs" | "auto" = "fail-jobs") {
  const asked: FailingJobs[] = [];
  const log = new RecordedLog();
  const isChanged = await failWaiting(
    {
      session: aSession({ github: new FakeGithub(), clock: systemClock, log, inputs: { ifNoMachine } }),
      ledger: { end: end as Ledger["end"] },
      until: 0,
    },
    JOBS,
    async (failing) => {
      asked.push(failing);
      return [1];
    },
  );
  return { isChanged, asked, log };
}

test("fails the jobs that wait and ask for our label alone, with main's reason", async () => {
  const { asked, isChanged, log } = await failed(FAILED);
  expect(isChanged).toBe(true);
  expect(asked.map(({ jobs }) => jobs.map(({ id }) => id))).toEqual([[1]]);
  expect(asked[0]).toMatchObject({
    session: { runnerNamePrefix: "gpu-4711-1-abcdef" },
    reason:
      "There is no machine for this job. The job 'rent' should have rented one. No offer fits.\nWhat to do: Raise max-price.",
  });
  expect(log.lines).toEqual(["Failed, because there is no machine for them: 'test 1'."]);
});

test.each([
  ["main was cut off", undefined, "fail-jobs"],
  ["main was stopped", { kind: "stopped" }, "fail-jobs"],
  ["all went well", { kind: "over", taken: 0 }, "fail-jobs"],
  ["nobody asked for it", FAILED, "auto"],
] as const)("fails nothing when %s", async (_when, end, ifNoMachine) => {
  expect(await failed(end, ifNoMachine)).toMatchObject({ isChanged: false, asked: [] });
});

// Main has said that the input is missing; here it must not look like a bug, and keep post from
// going on as with `auto`.
test("without any token nothing is failed, and that is said", async () => {
  const run = aRun();
  const tokens = { githubToken: "", jobToken: "", scope: { kind: "repo", groupId: 1 } } as const;
  const log = new RecordedLog();
  const github = openGithub(tokens, run, { clock: systemClock });
  const registering = { runners: github.runners, clock: systemClock, log, mask: () => {} };
  const session = aSession({
    github: new FakeGithub(),
    clock: systemClock,
    log,
    inputs: { ifNoMachine: "fail-jobs" },
  });
  const isChanged = await failWaiting(
    {
      session: { ...session, ...github, registrations: new Registrations(registering, run.runnerLabel, "gpu-") },
      ledger: { end: { kind: "failed", what: "other", message: "…", taken: 0 } },
      until: systemClock.now() + 60_000,
    },
    JOBS,
    (failing) => failJobs({ ...failing, openUser: async () => NOBODY }),
  );
  expect(isChanged).toBe(true);
  expect(log.warnings).toEqual([
    expect.stringMatching(/^1 of 1 jobs could not be failed .* github-token may not register runners .*: it is empty/),
  ]);
});
