import { expect, test } from "vitest";
import { startUse } from "../support/use-of-action.ts";

test("rents, runs the GPU job on the machine, and gives it back", async () => {
  await using use = await startUse();

  const main = await use.step.startMain().done;
  expect(main.log).toContain("The GPU job is over.");
  expect(main.exitCode).toBe(0);
  expect(use.run.job("test").conclusion).toBe("success");
  expect(use.run.job("test").log).toContain("12 passed");
  expect(main.outputs).toMatchObject({
    "runner-label": "gpu-4711-1",
    "gpu-name": "RTX 4090",
    "num-gpus": "1",
    "offer-id": "11",
  });

  const post = await use.step.startPost().done;
  expect(post.exitCode).toBe(0);
  expect(post.log).toContain("Nothing is rented any more.");
  expect(post.summary).toContain("**Still rented: nothing** (the service was asked).");
  expect(use.sim.github.runners()).toEqual([]);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});
