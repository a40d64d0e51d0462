import { expect } from "vitest";
import { test } from "../support/scenario.ts";
import { gpuJob, RENT_JOB } from "../support/simulated-session.ts";

test("setup has more time than online-timeout, runs before the GPU job, and leaves it files but no variables", async ({
  start,
}) => {
  const setup = 'sleep 90\necho "weights for $MODEL" >weights\nexport LOST=1\ntest -z "$GHR_ROOT$CONTAINER_API_KEY"';
  const session = await start({
    with: { setup, env: "MODEL=llama", "setup-timeout": "3m", "online-timeout": "1m" },
    jobs: [RENT_JOB, gpuJob(['cat "$HOME/weights"', 'echo "exported: $LOST."'])],
  });

  await session.step.mainSucceeds();
  expect(session.run.job("test").log).toContain("weights for llama\nexported: .\n");
  expect(session.instances()).toHaveLength(1);
});

test("setup fails: the GPU job fails at once and shows why; no second machine is rented", async ({ start }) => {
  const session = await start({
    with: { setup: "echo Collecting torch==99\necho 'No matching distribution found' >&2\nexit 7\n" },
    jobs: [RENT_JOB, gpuJob(["echo never"])],
  });

  expect(await session.errorOfMain()).toMatchObject({
    name: "GpuJobFailedError",
    message: expect.stringContaining(" did not succeed; setup ended with code 7. No matching distribution found. "),
  });
  expect(session.run.job("test").conclusion).toBe("failure");
  expect(session.run.job("test").log).toContain(
    "Collecting torch==99\nNo matching distribution found\n##[error]setup ended with code 7. No matching distribution found\n",
  );
  expect(session.run.job("test").log).not.toContain("never");
  expect(session.instances()).toHaveLength(1);
});
