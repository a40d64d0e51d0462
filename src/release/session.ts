import type { Github, RunContext } from "../github/github.ts";
import type { JobMatcher } from "../github/jobs.ts";
import type { RunnersPort } from "../github/registrations.ts";
import type { Marketplace } from "../marketplace/marketplace.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";

/** The inputs that the end of a session needs. */
export interface SessionInputs {
  check: boolean;
  ifNoMachine: IfNoMachine;
  jobCheckRunId: string;
  jobStatus: string;
  /** False: `name` can't be used, so that nobody knows which jobs are ours. */
  knowsLabel: boolean;
}

/** All that one run of this action shares: its id, its inputs and its clients. Main and post build it once each. */
export interface Session extends Github {
  /** Six random characters, which are in the name of everything that it rents and registers. */
  id: string;
  /** Its runners are named `<runnerNamePrefix>-<number>`. */
  runnerNamePrefix: string;
  run: RunContext;
  inputs: SessionInputs;
  clock: Clock;
  log: Log;
  service: Marketplace;
  registrations: RunnersPort;
}

/** Makes the marks by which a session knows its GPU jobs and its own job. */
export function matcherOf(session: Pick<Session, "inputs" | "run" | "runnerNamePrefix">): JobMatcher {
  const { inputs, run, runnerNamePrefix } = session;
  const { jobName, runnerLabel, runnerName } = run;
  return {
    runnerLabel,
    runnerNamePrefix,
    own: { checkRunId: Number(inputs.jobCheckRunId) || undefined, runnerName, jobName },
  };
}

/** Asks for something. Returns undefined if a UserError or no answer comes in time: neither says anything. */
export async function answeredInTime<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  withinMs: number,
): Promise<T | undefined> {
  const signal = AbortSignal.timeout(Math.max(1, withinMs));
  try {
    return await ask(signal);
  } catch (error) {
    if (error instanceof UserError || signal.aborted) return undefined;
    throw error;
  }
}

/** What may become of a job that can have no machine. */
export const IF_NO_MACHINE = ["auto", "cancel", "leave"] as const;

export type IfNoMachine = (typeof IF_NO_MACHINE)[number];
