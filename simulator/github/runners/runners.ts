import { randomUUID } from "node:crypto";
import type { Job } from "../runs/run-record.ts";
import type { Session } from "./session.ts";

/** A registered runner. Each one is single-use, as all runners of a JIT configuration are. */
export interface Runner {
  readonly id: number;
  /** Its place in small letters: `owner/name` of a repository, or an organisation's name. */
  readonly home: string;
  readonly name: string;
  /** As GitHub stores them: lower case, each once, none implicit. */
  readonly labels: readonly string[];
  readonly groupId: number;
  readonly workFolder: string;
  /** Proves that a listener has this runner's configuration; never shown. */
  readonly secret: string;
  /** Unknown until its listener connected once. */
  version: string | null;
  session: Session | null;
  /** The job it was given, whether or not it has begun. */
  job: Job | null;
}

/** A registration, as asked for. */
export type Registration = Pick<Runner, "home" | "name" | "labels" | "groupId" | "workFolder">;

/** The registered runners; one that is not here any more is gone for good. */
export class Runners {
  /** Ids of those that went because a request asked for it, whether or not its answer arrived. */
  readonly takenAway = new Set<number>();
  readonly #runners = new Map<number, Runner>();
  #lastId = 20;

  /** Registers a runner, offline and without a job. */
  register(asked: Registration): Runner {
    this.#lastId += 1;
    const labels = [...new Set(asked.labels.map((label) => label.toLowerCase()))];
    const fresh = { secret: randomUUID(), version: null, session: null, job: null };
    const runner: Runner = { ...asked, labels, id: this.#lastId, ...fresh };
    this.#runners.set(runner.id, runner);
    return runner;
  }

  /** Forgets a runner. */
  remove(runner: Runner): void {
    this.#runners.delete(runner.id);
  }

  /** All registered runners, oldest first; those of one repository or organisation if given. */
  all(home?: string): Runner[] {
    return [...this.#runners.values()].filter((runner) => home === undefined || runner.home === home);
  }

  /** Finds a runner of a repository or organisation. */
  find(home: string, id: number): Runner | undefined {
    return this.all(home).find((runner) => runner.id === id);
  }

  /** Finds the runner whose configuration holds this secret. */
  bySecret(secret: string): Runner | undefined {
    return this.all().find((runner) => runner.secret === secret);
  }
}
