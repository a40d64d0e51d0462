import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { startUse } from "../support/use-of-action.ts";

// A machine whose runner GitHub refuses stays for a minute, and main reads in its log why.

const MARKET = [11, 12, 13, 14, 15].map((id) => ({ id, machine_id: 500 + id, dph_base: 0.3 + id / 1000 }));

test.concurrent.each([
  ["its session is refused", "session", 403, "Failed to create session. Error: Forbidden"],
  ["its version is too old", "message", 403, "is deprecated and cannot receive messages."],
  ["its token is refused", "message", 401, "Get next message failed with non-retryable error."],
  ["its registration is gone, by GitHub's API too", "session", 404, "has been deleted from the server"],
] as const)(
  "GitHub refuses each runner, as %s: two hosts say so, and no third is asked",
  async (_what, request, status, words) => {
    await using use = await startUse({ scenario: { offers: MARKET } });
    use.sim.github.answerRunners([{ request, status, drops: status === 404 }]);

    const main = await use.step.startMain().done;
    expect(main.exitCode, main.log).toBe(1);
    const error = shownError(main.log);
    expect(error.name).toBe("RunnerRefusedError");
    expect(error.message).toContain(words);
    expect(use.instances()).toHaveLength(2);
    expect(use.run.job("test").status).toBe("queued");

    expect((await use.step.startPost().done).exitCode).toBe(0);
    expect(use.sim.github.runners()).toEqual([]);
    expect(use.stillBilling()).toBe("still billing: 0 instances");
  },
);

test.concurrent("the machine's clock is too far off and can't be set: its reason is told, and the next one is taken", async () => {
  const [bad, ...others] = MARKET;
  const simulate = { machine: { clockOffsetSeconds: 1000 } };
  await using use = await startUse({ scenario: { offers: [{ ...bad, id: 11, simulate }, ...others] } });

  const main = await use.step.startMain().done;
  expect(main.exitCode, main.log).toBe(0);
  expect(main.log).toMatch(
    /machine 1: failed: it gives itself back: This machine is no good: its clock is \d+ s off\./,
  );
  expect(main.outputs["offer-id"]).toBe("12");
  expect(use.run.job("test").conclusion).toBe("success");

  expect((await use.step.startPost().done).exitCode).toBe(0);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});
