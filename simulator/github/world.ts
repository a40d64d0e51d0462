import type { SimClock } from "../clock/sim-clock.ts";
import { openFaults } from "../http/faults.ts";
import { Fault } from "./faults.ts";
import { lastAnswers } from "./http/last-answers.ts";
import { openRepositories } from "./repositories.ts";
import { Dispatcher } from "./runners/dispatcher.ts";
import { openRunnerPackage } from "./runners/runner-package.ts";
import { openRunners, type RunnerAnswer } from "./runners/runners.ts";
import type { Job } from "./runs/run-record.ts";
import { Runs } from "./runs/runs.ts";
import { SetupWorld } from "./setup/setup-world.ts";
import type { Account } from "./tokens.ts";

/** One request and how it ended. Tokens, answers and runner configurations never stand here. */
interface JournalEntry {
  /** Simulated time, ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** With the query, without the prefix of the API. */
  readonly path: string;
  /** The operation's name; undefined when the path is none that the stand-in knows. */
  readonly operation: string | undefined;
  /** The name of the token (`runner`, `job`, …), `unknown` or `none`. */
  readonly token: string;
  /** The JSON that it carried, if any. */
  readonly request?: unknown;
  readonly status: number | "no answer";
  /** The kind of the fault that shaped the answer, if any. */
  readonly fault?: string;
}

/** All that one stand-in knows, put together; nothing in it knows of HTTP. */
export type World = ReturnType<typeof buildWorld>;

/** Puts a world together; `log` gets a line for each request and each change of a job. */
export function buildWorld(clock: SimClock, log: (line: string) => void) {
  const repositories = openRepositories();
  const runners = openRunners();
  const changed = (job: Job) => {
    log(`job ${job.name}: ${job.conclusion ?? job.status}${job.runner ? ` on ${job.runner.name}` : ""}`);
    dispatcher.jobChanged(job);
  };
  const runs: Runs = new Runs(clock, repositories, changed);
  const dispatcher: Dispatcher = new Dispatcher(clock, runners, runs);
  const entries: JournalEntry[] = [];
  return {
    ...{ clock, repositories, runners, runs, dispatcher },
    /** By their values. */
    tokens: new Map<string, Account>(),
    faults: openFaults<Fault>(Fault),
    /** What GitHub has against its runners: which of their requests are answered by a bare status. */
    runnerAnswers: [] as readonly RunnerAnswer[],
    lastAnswer: lastAnswers(clock),
    /** Every request in order of its end; a listener's poll that brought nothing is left out. */
    journal: {
      entries: entries as readonly JournalEntry[],
      /** The entries of one operation. */
      of: (operation: string) => entries.filter((entry) => entry.operation === operation),
    },
    runnerPackage: openRunnerPackage(),
    /** What a person's login may ask while a repository is set up. */
    setup: new SetupWorld(),
    /** The stand-in's own URL, known once it listens. */
    url: "",
    /** Writes a request into the journal. */
    note(entry: Omit<JournalEntry, "at">): void {
      entries.push({ at: new Date(clock.now()).toISOString(), ...entry });
      const fault = entry.fault === undefined ? "" : ` (${entry.fault})`;
      log(`${entry.method} ${entry.path} ${entry.status}${fault}`);
    },
  };
}
