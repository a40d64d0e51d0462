import { expect, test } from "vitest";
import { shownError, shownWarnings } from "../support/shown-error.ts";
import { BUILD_JOB, ENDLESS_JOB, gpuJob, RENT_JOB, startUse, until } from "../support/use-of-action.ts";

test.concurrent("the GPU job fails: this job fails with it, so that both are run again, and the machine is given back", async () => {
  await using use = await startUse({ jobs: [RENT_JOB, gpuJob(["echo 1 failed", "exit 3"])] });

  const main = await use.step.startMain().done;
  expect(main.exitCode, main.log).toBe(1);
  expect(use.run.job("test").conclusion).toBe("failure");
  expect(shownError(main.log)).toMatchObject({
    name: "GpuJobFailedError",
    message: expect.stringMatching(
      /^The GPU job did not succeed \(failure: https:\/\/github\.com\/.*\/job\/\d+\); this job fails with it\. The machine is given back\.$/,
    ),
    hint: expect.stringContaining('"Re-run failed jobs" runs both again'),
  });

  const post = await use.step.startPost().done;
  expect(post.exitCode, post.log).toBe(0);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("the GPU job alone is cancelled: this job fails with it", async () => {
  await using use = await startUse({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = use.step.startMain();
  await until(() => stage.log().includes("1 running"), "the hold");
  use.run.job("test").complete("cancelled");

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(1);
  expect(shownError(main.log)).toMatchObject({
    name: "GpuJobFailedError",
    message: expect.stringContaining("(cancelled: https://"),
  });

  expect((await use.step.startPost().done).exitCode).toBe(0);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("two jobs that ask for one machine: fails before anything is rented", async () => {
  await using use = await startUse({ jobs: [RENT_JOB, gpuJob(), { ...gpuJob(), name: "test 2" }] });

  const main = await use.step.startMain().done;
  expect(main.exitCode, main.log).toBe(1);
  expect(shownError(main.log)).toMatchObject({
    name: "HoldError",
    message: "2 jobs ask for 1 runner.",
    hint: expect.stringContaining("give each GPU job its own label"),
  });
  expect(use.instances()).toEqual([]);

  const post = await use.step.startPost().done;
  expect(post.exitCode, post.log).toBe(0);
  expect(post.log).toContain("The run is cancelled: its GPU job could have no machine.");
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("a second job comes while the first one runs: the working machine is not taken away, the sentence comes after it", async () => {
  await using use = await startUse({
    jobs: [RENT_JOB, BUILD_JOB, ENDLESS_JOB, { ...gpuJob(), name: "test 2", needs: ["build"] }],
  });
  const stage = use.step.startMain();
  await until(() => stage.log().includes("1 running"), "the first job");
  use.run.job("build").complete();
  await until(() => shownWarnings(stage.log()).length > 0, "a word on the second job");
  expect(shownWarnings(stage.log())).toEqual(["2 jobs ask for 1 runner. This job fails when the running one is over."]);
  use.run.job("test").complete();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(1);
  expect(shownError(main.log)).toMatchObject({ name: "HoldError", message: "2 jobs ask for 1 runner." });
  expect(use.instances()).toHaveLength(1);

  expect((await use.step.startPost().done).exitCode).toBe(0);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("a GPU job that outlives max-lifetime: the machine gives itself back and this job says which input to raise", async () => {
  await using use = await startUse({
    with: { "max-lifetime": "1m", "boot-timeout": "30s", "online-timeout": "30s" },
    // It can't be interrupted: its end is not told to GitHub any more.
    jobs: [RENT_JOB, gpuJob(["trap '' INT TERM", "while true; do sleep 5; done"])],
  });

  const main = await use.step.startMain().done;
  expect(main.exitCode, main.log).toBe(1);
  expect(shownError(main.log)).toMatchObject({
    name: "HoldError",
    message: "max-lifetime is over, and the machine is given back.",
    hint: expect.stringContaining("Raise max-lifetime"),
  });

  const post = await use.step.startPost().done;
  expect(post.exitCode, post.log).toBe(0);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});
