import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { gpuJob, RENT_JOB, startUse } from "../support/use-of-action.ts";

test.concurrent("setup runs on the machine before the GPU job, which finds what it left, but not what it exported", async () => {
  const setup = 'echo "weights for $MODEL" >weights\nexport LOST=1\ntest -z "$GHR_ROOT$CONTAINER_API_KEY"';
  await using use = await startUse({
    with: { setup, env: "MODEL=llama" },
    jobs: [RENT_JOB, gpuJob(['cat "$HOME/weights"', 'echo "exported: $LOST."'])],
  });

  await use.step.mainSucceeds();
  expect(use.run.job("test").log).toContain("weights for llama\nexported: .\n");

  await use.endClean();
});

test.concurrent("setup fails: the GPU job fails at once and shows why; no second machine is rented", async () => {
  await using use = await startUse({
    with: { setup: "echo Collecting torch==99\necho 'No matching distribution found' >&2\nexit 7\n" },
    jobs: [RENT_JOB, gpuJob(["echo never"])],
  });

  const main = await use.step.mainFails();
  expect(shownError(main.log)).toMatchObject({ name: "GpuJobFailedError" });
  expect(use.run.job("test")).toMatchObject({ conclusion: "failure" });
  expect(use.run.job("test").log).toContain(
    "Collecting torch==99\nNo matching distribution found\nsetup ended with code 7.\n",
  );
  expect(use.run.job("test").log).not.toContain("never");
  expect(use.instances()).toHaveLength(1);

  await use.endClean();
});

test.concurrent("setup takes longer than online-timeout allows a machine, but not than setup-timeout: it has its time", async () => {
  await using use = await startUse({
    with: { setup: "sleep 90", "setup-timeout": "3m", "online-timeout": "1m" },
  });

  await use.step.mainSucceeds();
  expect(use.instances()).toHaveLength(1);
  expect(use.run.job("test").conclusion).toBe("success");

  await use.endClean();
});

test.concurrent("the probe fails on a machine: it gives itself back, and the next one is taken", async () => {
  const offers = [
    { id: 11, machine_id: 501, dph_base: 0.3, simulate: { machine: { gpuName: "NVIDIA GeForce GTX 1080" } } },
    { id: 12, machine_id: 502, dph_base: 0.31 },
  ];
  await using use = await startUse({
    with: { probe: "nvidia-smi -L | grep -q 'RTX 4090' || { echo 'not what I asked for'; exit 1; }" },
    scenario: { offers },
  });

  await use.step.mainSucceeds();
  expect(use.instances().map(({ offer }) => offer.id)).toEqual([11, 12]);
  expect(use.run.job("test").conclusion).toBe("success");

  await use.endClean();
});
