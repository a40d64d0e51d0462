import { expect, test } from "vitest";
import type { RunnerAnswer } from "../../simulator/github/runners/runners.ts";
import { shownError } from "../support/shown-error.ts";
import { startSession } from "../support/simulated-session.ts";

// What GitHub's runner service answers to the runner of a machine, and what becomes of machine and job.
// What it answers to every runner alike is in runner-refused.test.ts.

const MARKET = [11, 12, 13].map((id) => ({ id, machine_id: 500 + id, dph_base: 0.3 + id / 1000 }));

const ONCE: [string, RunnerAnswer, RegExp][] = [
  [
    "an update is forced",
    { request: "message", status: 426, times: 1 },
    /it gives itself back: GitHub updates the runner: no further job\./,
  ],
  [
    // One log is its host's word, and GitHub's API denies it.
    "its registration is gone, by its own word alone",
    { request: "session", status: 404, times: 1 },
    /its runner ended before a job came: Failed to create a session\. The runner registration has been deleted/,
  ],
  [
    "GitHub does not know the runner any more",
    { request: "message", status: 404, times: 1, drops: true },
    /its runner ended before a job came: The runner no longer exists on the server\./,
  ],
];

test.concurrent.each(ONCE)("%s: the machine goes, and the next one does the job", async (_, answer, told) => {
  await using session = await startSession({ scenario: { offers: MARKET } });
  session.sim.github.answerRunners([answer]);

  const main = await session.step.mainSucceeds();
  expect(main.log).toMatch(told);
  expect(session.instances()).toHaveLength(2);
  expect(session.run.job("test").conclusion).toBe("success");

  await session.endClean();
  expect(session.sim.github.runners()).toEqual([]);
});

const FOR_EVER: [string, RunnerAnswer, RegExp][] = [
  [
    "no session, 503, and asks for ever",
    { request: "session", status: 503 },
    /did not come online within online-timeout \(1m\)[^.]*\. Its runner said: “Runner connect error: status 503\. Retrying until reconnected\.”/,
  ],
  // Words that GitHub's API denies are their hosts' alone, however many say them.
  ["a registration that is said to be gone", { request: "session", status: 404 }, /registration has been deleted/],
];

test.concurrent.each(FOR_EVER)(
  "every runner has %s: machines end, and the error tells why",
  async (_, answer, told) => {
    await using session = await startSession({
      scenario: { offers: MARKET },
      with: { "idle-timeout": "1m", "online-timeout": "1m", attempts: "2" },
    });
    session.sim.github.answerRunners([answer]);

    const main = await session.step.mainFails();
    const error = shownError(main.log);
    expect(error.name).toBe("AttemptsExhaustedError");
    expect(error.message).toMatch(told);
    // One annotation tells of one end.
    expect(main.log).not.toContain("No more machines are rented for now");
    expect(session.instances()).toHaveLength(2);

    // GitHub would let the job wait for a day.
    await session.endClean();
    expect(session.run.job("test").conclusion).toBe("cancelled");
    expect(session.sim.github.runners()).toEqual([]);
  },
);

test.concurrent("one host alone can't acquire a job, and asks for ever: it is not rented again", async () => {
  await using session = await startSession({
    scenario: { offers: MARKET.slice(0, 1) },
    with: { "idle-timeout": "1m", "search-timeout": "1m" },
  });
  session.sim.github.answerRunners([{ request: "acquire", status: 404 }]);

  const main = await session.step.mainFails();
  const error = shownError(main.log);
  expect(error.name).toBe("AttemptsExhaustedError");
  expect(error.message, main.log).toContain(
    "its runner ended before a job came: Skipping message Job. Job message not found",
  );
  expect(session.instances()).toHaveLength(1);
  await session.endClean();
});

test.concurrent("a job whose worker hangs stays bound to the dead runner: the error says so", async () => {
  await using session = await startSession({ scenario: { offers: MARKET }, with: { "idle-timeout": "1m" } });
  session.sim.github.answerRunners([{ request: "acquire", status: 404, binds: true }]);

  const main = await session.step.mainFails();
  const error = shownError(main.log);
  expect(error.name, main.log).toBe("PassedOverError");
  expect(error.message).toContain("GitHub gave machine 1 a job that never began");
  await session.endClean();
});
