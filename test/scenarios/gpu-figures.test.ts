import { expect, test } from "vitest";
import { gpuJob, RENT_JOB, startUse } from "../support/use-of-action.ts";

const LASTING = gpuJob(["sleep 30", "echo 12 passed"]);

test.concurrent("gpu-figures: false asks no machine and reads no log, and the summary says that nothing is reported", async () => {
  await using use = await startUse({ with: { "gpu-figures": "false" }, jobs: [RENT_JOB, LASTING] });
  const main = await use.step.startMain().done;
  expect(main.exitCode, main.log).toBe(0);
  expect(use.run.job("test").log).not.toContain("ghr-figures");
  expect(use.sim.github.journal.of("getJobLog")).toEqual([]);
  const post = await use.step.startPost().done;
  expect(post.summary).toContain("What the GPUs did: not reported.");
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("a log that GitHub does not hand out fails nothing and holds nothing: told once, not reported", async () => {
  await using use = await startUse({ jobs: [RENT_JOB, LASTING] });
  use.sim.github.setFaults([{ operation: "getJobLog", kind: "status", status: 403 }]);
  const main = await use.step.startMain().done;
  expect(main.exitCode, main.log).toBe(0);
  expect(main.log.match(/What the GPUs did is not reported for every job/g)).toHaveLength(1);
  const post = await use.step.startPost().done;
  expect(post.summary).toContain("What the GPUs did: not reported.");
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("a line that the job printed itself, of another machine and above 100%, is not believed", async () => {
  const forged = "echo 'ghr-figures: v=1 instance=1 samples=9 use-median=500 use-peak=900'";
  await using use = await startUse({ jobs: [RENT_JOB, gpuJob([forged, "sleep 30"])] });
  const main = await use.step.startMain().done;
  const post = await use.step.startPost().done;
  expect(main.exitCode, main.log).toBe(0);
  expect(main.outputs["gpu-figures"]).toContain('"source":"machine"');
  expect(main.outputs["gpu-figures"]).not.toMatch(/500|900/);
  expect(post.summary).not.toMatch(/900%/);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});
