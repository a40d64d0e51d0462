import { expect, test } from "vitest";
import type { Job } from "../../../src/github/jobs.ts";
import type { IfNoMachine } from "../../../src/release/session.ts";
import { waitForOthers } from "../../../src/runs/own-run.ts";
import { aJob, OWN_JOB, runningJob, waitingJob } from "../support/a-job.ts";
import { aSession } from "../support/a-session.ts";
import { FakeGithub } from "../support/fake-github.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { RecordedLog } from "../support/recorded-log.ts";

const MINUTE = 60_000;

/** The end, and what was logged, where these jobs are listed for so long in addition to ours that waits. */
async function waiting(others: Job[], forMs = Number.POSITIVE_INFINITY, ifNoMachine: IfNoMachine = "auto") {
  const clock = new HandWoundClock();
  const log = new RecordedLog();
  const github = new FakeGithub();
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

test("nothing else is open: cancelled after a second look, without an annotation in addition to the step's error", async () => {
  expect(await waiting([])).toEqual({ end: "cancel", lines: [`${NONE}.`], warnings: [] });
});

test.each([
  [[aJob()], "its other open job is over"],
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

test.each(["auto", "cancel"] as const)(
  "%s: one of ours still counts as running, though nothing is rented: GitHub has not missed its machine yet",
  async (ifNoMachine) => {
    const { end, lines } = await waiting([runningJob({ id: 52 })], 10 * MINUTE, ifNoMachine);
    expect(end).toBe("cancel");
    expect(lines).toEqual([
      `${NONE} when its other open job is over; after 30m that is left to the sweep.`,
      `${NONE}.`,
    ]);
  },
);

test("if-no-machine: cancel waits for no other job, and does not say that it does", async () => {
  expect(await waiting([aJob()], MINUTE, "cancel")).toMatchObject({ end: "cancel", lines: [`${NONE}.`] });
});
