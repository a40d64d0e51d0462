import { expect, test } from "vitest";
import { mostAlive } from "../support/gpu-matrix.ts";
import { shownError } from "../support/shown-error.ts";
import { startSession } from "../support/simulated-session.ts";

const STUCK = { statuses: [{ after: 1, actual_status: "loading", status_msg: "5a7813e071bf: Pulling fs layer" }] };

test.concurrent("destroys a machine that is still loading after boot-timeout, and takes the next one", async () => {
  const offers = [{ id: 11, dph_base: 0.3, simulate: STUCK }, { id: 12 }];
  await using session = await startSession({ with: { "boot-timeout": "30s", hedge: "true" }, scenario: { offers } });

  const main = await session.step.startMain().done;
  expect(main.log).toContain("it did not reach running within boot-timeout (30s, last seen: loading)");
  expect(main.log).toContain("machine 1: failed: it did not reach running within boot-timeout");
  expect(main.exitCode, main.log).toBe(0);
  expect(main.outputs["offer-id"]).toBe("12");
  // With `machines: 1` there is no spare, and that is told once.
  expect(main.log.split("hedge has no effect with machines: 1")).toHaveLength(2);
  expect(mostAlive(session)).toBe(1);
  expect(session.instances().map(({ offer }) => offer.id)).toEqual([11, 12]);
  expect(session.run.job("test").conclusion).toBe("success");

  const post = await session.endClean();
  // Both machines cost something, and the summary tells of both.
  expect(post.summary.split("\n").filter((line) => /^\| \d+ \|/.test(line))).toHaveLength(2);
});

test.concurrent("stops when attempts is used up, with the machine already destroyed", async () => {
  const offers = [{ id: 11, dph_base: 0.3, simulate: STUCK }, { id: 12 }];
  await using session = await startSession({ with: { "boot-timeout": "30s", attempts: "1" }, scenario: { offers } });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "AttemptsExhaustedError",
    message: expect.stringMatching(
      /^1 of 1 machines failed: 1 too slow to boot\. Attempt 1, offer 11 .* Nothing is rented any more\.$/,
    ),
    hint: expect.stringContaining("boot-timeout"),
  });
  expect(session.instances()).toHaveLength(1);
  // First its runner, so that no job could come to it any more.
  expect(session.sim.github.runners()).toEqual([]);
  expect(session.stillBilling()).toBe("still billing: 0 instances");

  const post = await session.endClean();
  // Nobody runs the GPU job now, and it would wait for a day.
  expect(post.log).toContain("GitHub cancels the run: its GPU job can have no machine.");
  expect(session.sim.github.runners()).toEqual([]);
});
