import type { SimClock } from "../clock/sim-clock.ts";
import { Faults } from "./faults.ts";
import { LastAnswers } from "./http/last-answers.ts";
import { Repositories } from "./repositories.ts";
import { Dispatcher } from "./runners/dispatcher.ts";
import { RunnerPackage } from "./runners/runner-package.ts";
import { RunnerAnswers, Runners } from "./runners/runners.ts";
import { Branches } from "./runs/run-record.ts";
import { Runs } from "./runs/runs.ts";
import { SetupWorld } from "./setup/setup-world.ts";
import { Tokens } from "./tokens.ts";

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

/** Every request in order of its end; a listener's poll that brought nothing is left out. */
class Journal {
  readonly entries: JournalEntry[] = [];

  /** The entries of one operation. */
  of(operation: string): JournalEntry[] {
    return this.entries.filter((entry) => entry.operation === operation);
  }
}

/** All that one stand-in knows, put together; nothing in it knows of HTTP. */
export class World {
  readonly clock: SimClock;
  readonly repositories = new Repositories();
  readonly branches = new Branches();
  readonly runners = new Runners();
  readonly runs: Runs;
  readonly dispatcher: Dispatcher;
  readonly tokens: Tokens;
  readonly faults = new Faults();
  readonly runnerAnswers = new RunnerAnswers();
  readonly lastAnswers: LastAnswers;
  readonly journal = new Journal();
  readonly runnerPackage = new RunnerPackage();
  /** What a person's login may ask while a repository is set up. */
  readonly setup = new SetupWorld();
  /** The stand-in's own URL, known once it listens. */
  url = "";
  readonly #log: (line: string) => void;

  constructor(clock: SimClock, log: (line: string) => void) {
    this.clock = clock;
    this.#log = log;
    this.lastAnswers = new LastAnswers(clock);
    this.tokens = new Tokens(clock);
    this.runs = new Runs(clock, this.repositories, (job) => {
      log(`job ${job.name}: ${job.conclusion ?? job.status}${job.runner ? ` on ${job.runner.name}` : ""}`);
      this.dispatcher.jobChanged(job);
    });
    this.dispatcher = new Dispatcher(clock, this.runners, this.runs);
  }

  /** Writes a request into the journal. */
  note(entry: Omit<JournalEntry, "at">): void {
    this.journal.entries.push({ at: new Date(this.clock.now()).toISOString(), ...entry });
    const fault = entry.fault === undefined ? "" : ` (${entry.fault})`;
    this.#log(`${entry.method} ${entry.path} ${entry.status}${fault}`);
  }
}
