import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { BUILD_JOB, ENDLESS_JOB, gpuJob, RENT_JOB, startSession, until } from "../support/simulated-session.ts";

test.concurrent("hold: false returns as soon as the machine is ready, and post destroys it", async () => {
  await using session = await startSession({
    with: { hold: "false" },
    jobs: [RENT_JOB, BUILD_JOB, { ...gpuJob(), needs: ["build"] }],
  });

  const main = await session.step.mainSucceeds();
  const empty = Object.entries(main.outputs).filter(([, value]) => value === "");
  expect(empty).toEqual([]);
  expect(Object.keys(main.outputs)).toHaveLength(16);
  expect(session.sim.github.journal.of("listJobs")).toEqual([]);
  expect(session.stillBilling()).toBe("still billing: 1 instances");

  await session.endClean();
  expect(session.sim.github.runners()).toEqual([]);
});

test.concurrent("hold: false and the job ends before the GPU job does: post destroys the machine, fails, and says why", async () => {
  await using session = await startSession({ with: { hold: "false" }, jobs: [RENT_JOB, ENDLESS_JOB] });

  await session.step.mainSucceeds();
  await until(() => session.run.job("test").status === "in_progress", "the GPU job");

  const post = await session.step.startPost().done;
  expect(post.exitCode, post.log).toBe(1);
  expect(shownError(post.log)).toMatchObject({
    name: "DestroyedUnderJobError",
    message:
      "The machine was given back while 'test' was running: this job ended before the GPU job did. Nothing is rented any more.",
    hint: expect.stringContaining("Leave hold at true"),
  });
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("hold: false in a workflow of a single job: later steps of that job use the machine", async () => {
  await using session = await startSession({ with: { hold: "false" }, jobs: [RENT_JOB] });

  const main = await session.step.mainSucceeds();
  expect(main.outputs).toMatchObject({ "offer-id": "11", "ssh-host": expect.stringContaining("service.invalid") });
  expect(session.stillBilling()).toBe("still billing: 1 instances");

  await session.endClean();
});

test.concurrent("a workflow of a single job that holds would wait for itself: nothing is rented, and it says what to change", async () => {
  await using session = await startSession({ jobs: [RENT_JOB] });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "HoldError",
    message: "No other job is visible in this run. Nothing was rented.",
    hint: expect.stringMatching(/`needs:` on this one, remove it.*`hold: false`/),
  });
  expect(session.instances()).toEqual([]);

  await session.endClean();
});
