import { expect, test } from "vitest";
import type { RunnerAnswer } from "../../simulator/github/runners/runners.ts";
import { shownError } from "../support/shown-error.ts";
import { startSession } from "../support/simulated-session.ts";

// A machine whose runner GitHub refuses stays for a minute, and main reads in its log why. There is a
// row for each way that a runner says so; what else GitHub may answer takes one of these ways.

const MARKET = [11, 12, 13, 14, 15].map((id) => ({ id, machine_id: 500 + id, dph_base: 0.3 + id / 1000 }));

test.concurrent.each([
  ["its session is refused", { request: "session", status: 403 }, "Failed to create session. Error: Forbidden"],
  [
    "its registration is gone, by GitHub's API too",
    { request: "session", status: 404, drops: true },
    "has been deleted from the server",
  ],
  [
    // Its code is 0 then.
    "GitHub does not know it any more, by its API too",
    { request: "message", status: 404, drops: true },
    "The runner no longer exists on the server.",
  ],
  ["it can have no job, 404", { request: "acquire", status: 404 }, "Skipping message Job. Job message not found"],
  ["it can have no job, 500", { request: "acquire", status: 500 }, "Failed to get job message: 500"],
] satisfies [string, RunnerAnswer, string][])(
  "GitHub refuses each runner, as %s: two hosts say so, and no third is asked",
  async (_what, answer, words) => {
    await using session = await startSession({ scenario: { offers: MARKET }, with: { "idle-timeout": "1m" } });
    session.sim.github.answerRunners([answer]);

    const main = await session.step.mainFails();
    const error = shownError(main.log);
    expect(error.name, main.log).toBe("RunnerRefusedError");
    expect(error.message).toContain(words);
    expect(session.instances(), main.log).toHaveLength(2);
    expect(session.run.job("test").status).toBe("queued");

    await session.endClean();
    expect(session.sim.github.runners()).toEqual([]);
  },
);

test.concurrent("the machine's clock is too far off and can't be set: its reason is told, and the next one is taken", async () => {
  const [bad, ...others] = MARKET;
  const simulate = { machine: { clockOffsetSeconds: 1000 } };
  await using session = await startSession({ scenario: { offers: [{ ...bad, id: 11, simulate }, ...others] } });

  const main = await session.step.mainSucceeds();
  expect(main.log).toMatch(
    /machine 1: failed: it gives itself back: This machine is no good: its clock is \d+ s off\./,
  );
  expect(main.outputs["offer-id"]).toBe("12");
  expect(session.run.job("test").conclusion).toBe("success");

  await session.endClean();
});
