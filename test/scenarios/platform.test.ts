import { expect, test } from "vitest";
import { BUILD_JOB, gpuJob, RENT_JOB, startSession } from "../support/simulated-session.ts";

test.concurrent("a second attempt of the run has a label and a runner of its own", async () => {
  await using session = await startSession({ attempt: 2 });

  const main = await session.step.mainSucceeds();
  expect(main.outputs["runner-label"]).toBe("gpu-4711-2");
  expect(main.outputs["runner-name"]).toMatch(/^gpu-4711-2-[a-z0-9]{6}-1$/);
  expect(session.instances()[0]?.label).toMatch(
    new RegExp(`^ghr1\\.${session.run.repositoryId}\\.4711-2\\.[a-z0-9]{6}\\.1\\.\\d+$`),
  );
  expect(session.run.job("test").conclusion).toBe("success");

  await session.endClean();
});

test.concurrent("works on a GitHub Enterprise Server, whose repositories may have the ids of github.com's", async () => {
  await using session = await startSession({
    env: (sim) => ({ GITHUB_API_URL: `${sim.github.url}/api/v3`, GITHUB_SERVER_URL: "https://ghe.example.com" }),
  });

  await session.step.mainSucceeds();
  expect(session.run.job("test").conclusion).toBe("success");
  expect(session.instances()[0]?.label).toMatch(
    new RegExp(`^ghr1\\.[a-z]{4}${session.run.repositoryId}\\.4711-1\\.[a-z0-9]{6}\\.1\\.\\d+$`),
  );

  await session.endClean();
  expect(session.sim.github.runners()).toEqual([]);
});

test.concurrent("finds its own job by its check run where the platform tells it, whatever the jobs are called", async () => {
  // A reusable workflow names the job otherwise, and the runner's name is not known.
  const own = { ...RENT_JOB, name: "gpu / rent (4090)" };
  const jobs = [own, { ...BUILD_JOB, status: "completed" as const }, { ...gpuJob(), if: false }];
  await using session = await startSession({ jobs, env: { RUNNER_NAME: undefined }, checkRunId: "own" });

  const main = await session.step.mainSucceeds();
  // No other job is open: taken for one, it would wait for itself.
  expect(main.log).toContain("No job in this run asks for the GPU runner");
  expect(session.instances()).toEqual([]);

  await session.endClean();
});

test.concurrent("outside of a workflow it says what is missing, and rents nothing", async () => {
  await using session = await startSession({ env: { GITHUB_RUN_ID: undefined, GITHUB_REPOSITORY: undefined } });

  const main = await session.step.mainFails();
  expect(main.log).toMatch(
    /::error title=The platform did not set \S+ GITHUB_RUN_ID \(PlatformError\)::The platform did not set /,
  );
  expect(session.sim.service.journal.entries).toEqual([]);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});
