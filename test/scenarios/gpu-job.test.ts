import { expect, test } from "vitest";
import { mostAlive } from "../support/gpu-matrix.ts";
import { shownError } from "../support/shown-error.ts";
import { ENDLESS_JOB, gpuJob, RENT_JOB, startSession, until } from "../support/simulated-session.ts";

test.concurrent("the GPU job fails: this job fails with it, so that both are run again, and the machine is given back", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, gpuJob(["echo 1 failed", "exit 3"])] });

  const main = await session.step.mainFails();
  expect(session.run.job("test").conclusion).toBe("failure");
  expect(shownError(main.log)).toMatchObject({
    name: "GpuJobFailedError",
    message: expect.stringMatching(
      /^'test' \(failure: https:\/\/github\.com\/.*\/job\/\d+\) did not succeed; the machine was fine\. /,
    ),
    hint: expect.stringContaining('"Re-run failed jobs" rents again'),
  });

  await session.endClean();
});

test.concurrent("the GPU job has a container: this job says that there is no Docker, and not that the machine was fine", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, { ...gpuJob(), container: "ubuntu:24.04" }] });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "GpuJobFailedError",
    message: expect.stringContaining(
      "these machines have no Docker: leave `container:` out, `image` is the container.",
    ),
  });
  expect(main.log).not.toContain("the machine was fine");

  await session.endClean();
});

test.concurrent("the GPU job alone is cancelled: this job fails with it", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = session.step.startMain();
  await until(() => stage.log().includes("busy with "), "the hold");
  session.run.job("test").complete("cancelled");

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(1);
  expect(shownError(main.log)).toMatchObject({
    name: "GpuJobFailedError",
    message: expect.stringContaining("(cancelled: https://"),
  });

  await session.endClean();
});

test.concurrent("two jobs and machines: 1: one after the other, each on a machine of its own", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, gpuJob(), { ...gpuJob(), name: "test 2" }] });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("The 2 GPU jobs are over.");
  expect(session.run.job("test").conclusion).toBe("success");
  expect(session.run.job("test 2").conclusion).toBe("success");
  expect(session.instances()).toHaveLength(2);
  // Never two at a time, but for one that is over and still gives itself back.
  expect(mostAlive(session, ["test", "test 2"])).toBe(1);

  await session.endClean();
});

test.concurrent.each([
  [
    "can't be interrupted, so that nobody tells GitHub of its end",
    ["trap '' INT TERM", "while true; do sleep 5; done"],
  ],
  ["is interrupted, so that GitHub is told of a job that failed", ["sleep 3600"]],
])(
  "a GPU job that outlives max-lifetime, and %s: the machine gives itself back and this job says which input to raise",
  async (_, lines) => {
    await using session = await startSession({
      with: { "max-lifetime": "1m", "boot-timeout": "30s", "online-timeout": "30s", "fail-with-job": "false" },
      jobs: [RENT_JOB, gpuJob(lines)],
    });

    const main = await session.step.mainFails();
    expect(shownError(main.log)).toMatchObject({
      name: "HoldError",
      message: expect.stringMatching(/^max-lifetime is over, and the machine was given back while 'test' ran on it /),
      hint: expect.stringContaining("Raise max-lifetime"),
    });

    await session.endClean();
  },
);
