import { expect } from "vitest";
import type { RunnerAnswer } from "../../simulator/github/runners/runners.ts";
import { type Start, test } from "../support/scenario.ts";
import type { SessionOptions, SimulatedSession } from "../support/simulated-session.ts";

const OFFERS = [11, 12, 13].map((id) => ({ id, machine_id: 500 + id, dph_base: 0.3 + id / 1000 }));

/** Runners start here, and GitHub's runner service answers each of them so. */
async function answering(start: Start, answer: RunnerAnswer, more: SessionOptions = {}): Promise<SimulatedSession> {
  const session = await start({ scenario: { offers: OFFERS }, with: { "idle-timeout": "1m" }, ...more });
  session.sim.github.answerRunners([answer]);
  return session;
}

test.for([
  ["its session is refused", { request: "session", status: 403 }, "Failed to create session. Error: Forbidden"],
  ["it can have no job", { request: "acquire", status: 404 }, "Skipping message Job. Job message not found"],
] satisfies [string, RunnerAnswer, string][])(
  "every runner is refused, as %s: two hosts say so, and no third is asked",
  async ([, answer, words], { start }) => {
    // A machine stays for a minute after it said why it ends. On a busy computer three seconds are too few to read that.
    const session = await answering(start, answer, { factor: 10 });

    const error = await session.errorOfMain();
    expect(error.name, error.log).toBe("RunnerRefusedError");
    expect(error.message).toContain(words);
    expect(session.instances(), error.log).toHaveLength(2);
    expect(session.run.job("test").status).toBe("queued");
  },
);

test("a job whose worker hangs stays bound to the dead runner: the error says so", async ({ start }) => {
  const session = await answering(start, { request: "acquire", status: 404, binds: true });

  const error = await session.errorOfMain();
  expect(error.name, error.log).toBe("PassedOverError");
  expect(error.message).toContain("GitHub gave machine 1 a job that never began");
});
