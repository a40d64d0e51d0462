import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { gpuJob, RENT_JOB, startSession } from "../support/simulated-session.ts";

test.concurrent("setup runs on the machine before the GPU job, which finds what it left, but not what it exported", async () => {
  const setup = 'echo "weights for $MODEL" >weights\nexport LOST=1\ntest -z "$GHR_ROOT$CONTAINER_API_KEY"';
  await using session = await startSession({
    with: { setup, env: "MODEL=llama" },
    jobs: [RENT_JOB, gpuJob(['cat "$HOME/weights"', 'echo "exported: $LOST."'])],
  });

  await session.step.mainSucceeds();
  expect(session.run.job("test").log).toContain("weights for llama\nexported: .\n");

  await session.endClean();
});

test.concurrent("setup fails: the GPU job fails at once and shows why; no second machine is rented", async () => {
  await using session = await startSession({
    with: { setup: "echo Collecting torch==99\necho 'No matching distribution found' >&2\nexit 7\n" },
    jobs: [RENT_JOB, gpuJob(["echo never"])],
  });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "GpuJobFailedError",
    message: expect.stringContaining(" did not succeed; setup ended with code 7. No matching distribution found. "),
  });
  expect(session.run.job("test")).toMatchObject({ conclusion: "failure" });
  expect(session.run.job("test").log).toContain(
    "Collecting torch==99\nNo matching distribution found\n##[error]setup ended with code 7. No matching distribution found\n",
  );
  expect(session.run.job("test").log).not.toContain("never");
  expect(session.instances()).toHaveLength(1);

  await session.endClean();
});

test.concurrent("setup takes longer than online-timeout allows a machine, but not than setup-timeout: it has its time", async () => {
  await using session = await startSession({
    with: { setup: "sleep 90", "setup-timeout": "3m", "online-timeout": "1m" },
  });

  await session.step.mainSucceeds();
  expect(session.instances()).toHaveLength(1);
  expect(session.run.job("test").conclusion).toBe("success");

  await session.endClean();
});

test.concurrent("the probe fails on a machine: it gives itself back, and the next one is taken", async () => {
  const offers = [
    { id: 11, machine_id: 501, dph_base: 0.3, simulate: { machine: { gpuName: "NVIDIA GeForce GTX 1080" } } },
    { id: 12, machine_id: 502, dph_base: 0.31 },
  ];
  await using session = await startSession({
    with: { probe: "nvidia-smi -L | grep -q 'RTX 4090' || { echo 'not what I asked for'; exit 1; }" },
    scenario: { offers },
  });

  await session.step.mainSucceeds();
  expect(session.instances().map(({ offer }) => offer.id)).toEqual([11, 12]);
  expect(session.run.job("test").conclusion).toBe("success");

  await session.endClean();
});
