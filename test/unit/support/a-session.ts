import { Registrations } from "../../../src/github/registrations.ts";
import type { Session, SessionInputs } from "../../../src/release/session.ts";
import type { Clock } from "../../../src/shared/clock.ts";
import type { Log } from "../../../src/shared/log.ts";
import { aRun } from "./a-run.ts";
import type { FakeGithub } from "./fake-github.ts";

/** What a test says of its session. */
interface Given {
  github: FakeGithub;
  clock: Clock;
  log: Log;
  inputs?: Partial<SessionInputs>;
}

/** The inputs of a session whose job failed; its run is cancelled if no other job is open. */
export const someSessionInputs: SessionInputs = {
  check: false,
  ifNoMachine: "auto",
  jobCheckRunId: "1",
  jobStatus: "failure",
  knowsLabel: true,
};

/** A session in the tests' run, with GitHub as its test puts it; its service is never asked. */
export function aSession({ github, clock, log, inputs = {} }: Given): Session {
  const run = aRun();
  const runnerNamePrefix = `${run.runnerLabel}-abcdef`;
  const { runJobs: jobs, runners, runs } = github;
  const registering = { runners, clock, log, mask: () => {} };
  const session: Partial<Session> = {
    id: "abcdef",
    runnerNamePrefix,
    run,
    inputs: { ...someSessionInputs, ...inputs },
    clock,
    log,
    runs,
    jobs,
    runners,
    registrations: new Registrations(registering, run.runnerLabel, `${runnerNamePrefix}-`),
  };
  return session as Session;
}
