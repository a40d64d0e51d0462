import { test as plainTest } from "vitest";
import { type SessionOptions, type SimulatedSession, startSession } from "./simulated-session.ts";
import { type SweepOfAccount, type SweepOptions, startSweep } from "./sweep-of-account.ts";

/** Starts a session, which ends with its test. */
export type Start = (options?: SessionOptions) => Promise<SimulatedSession>;

interface Starts {
  start: Start;
  startSweep: (options?: SweepOptions) => Promise<SweepOfAccount>;
}

/**
 * A test of sessions, each of which `start` makes, or of sweeps. At its end each session whose post the story did not
 * run itself runs it: post must be green, nothing may bill, and no runner without a job be left. No session may have done what
 * none may ever do.
 */
export const test = plainTest.extend<Starts>({
  start: async ({ task }, use) => {
    await using sessions = new AsyncDisposableStack();
    const started: SimulatedSession[] = [];
    await use(async (options) => {
      const session = sessions.use(await startSession(options));
      started.push(session);
      return session;
    });
    if (task.result?.state === "fail") return;
    for (const session of started) {
      if (session.step.hasRunPost) session.stillBilling();
      else await session.endClean();
    }
  },
  startSweep: async ({ task }, use) => {
    await using sweeps = new AsyncDisposableStack();
    const started: SweepOfAccount[] = [];
    await use(async (options) => {
      const sweep = sweeps.use(await startSweep(options));
      started.push(sweep);
      return sweep;
    });
    if (task.result?.state !== "fail") for (const sweep of started) sweep.stillBilling();
  },
}).concurrent;
