import { expect } from "vitest";
import { test } from "../support/scenario.ts";
import { shownError } from "../support/shown-error.ts";
import { BUILD_JOB, ENDLESS_JOB, gpuJob, RENT_JOB, until } from "../support/simulated-session.ts";

test("returns as soon as the machine is ready, for later steps of this job, and post destroys it", async ({
  start,
}) => {
  const session = await start({
    with: { hold: "false" },
    jobs: [RENT_JOB, BUILD_JOB, { ...gpuJob(), needs: ["build"] }],
  });

  const main = await session.step.mainSucceeds();
  expect(Object.entries(main.outputs).filter(([, value]) => value === "")).toEqual([]);
  expect(Object.keys(main.outputs)).toHaveLength(16);
  expect(main.outputs).toMatchObject({ "offer-id": "11", "ssh-host": expect.stringContaining("service.invalid") });
  expect(session.sim.github.journal.of("listJobs")).toEqual([]);
  expect(session.stillBilling()).toBe("still billing: 1 instances");
});

test("the job ends before the GPU job does: post destroys the machine, fails, and says why", async ({ start }) => {
  const session = await start({ with: { hold: "false" }, jobs: [RENT_JOB, ENDLESS_JOB] });
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

test("nobody looks any more: the machine ends itself at its deadline under a job, though its clock is 100 s behind", async ({
  start,
}) => {
  const machine = { clockOffsetSeconds: -100 };
  const session = await start({
    with: { hold: "false", "max-lifetime": "1m", "boot-timeout": "1m", "online-timeout": "2m" },
    scenario: { offers: [{ id: 11, simulate: { machine } }] },
    // It can't be interrupted, so that only the deadline ends it.
    jobs: [RENT_JOB, gpuJob(["trap '' INT TERM", "sleep infinity"])],
  });
  await session.step.mainSucceeds();

  await until(() => session.run.job("test").status === "in_progress", "the job");
  await until(() => session.sim.service.books.billingNow().length === 0, "the machine's own deadline");
  expect(session.destroyers()).toEqual(["instance"]);
});
