import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";
import { GithubRefusedError, GithubTokenError, GithubUnavailableError } from "./github-errors.ts";
import type { ListedRunner, RunnerState, Runners } from "./runners.ts";

interface Registering {
  runners: Runners;
  clock: Clock;
  log: Log;
  /** Keeps a secret out of the log. */
  mask(secret: string): void;
}

/**
 * The runner registrations of one session: runners of one label, with names of one beginning. Once github-token has
 * registered a runner it is proven: a refusal after that (a GitHub App's token lives an hour) proves nothing about runners.
 */
export class Registrations {
  readonly #tools: Registering;
  readonly #label: string;
  readonly #ownNames: string;
  #isLabelOurs = false;
  #isProven = false;
  #isTold = false;
  #refusedSince: number | undefined;

  constructor(tools: Registering, label: string, ownNames: string) {
    this.#tools = tools;
    this.#label = label;
    this.#ownNames = ownNames;
  }

  /** Since when GitHub refuses the proven token, in ms since the epoch: `look` and `remove` may have no answer. */
  get refusedSince(): number | undefined {
    return this.#refusedSince;
  }

  /** How many of our runners the last look asked for one by one. */
  get askedAlone(): number {
    return this.#tools.runners.askedAlone;
  }

  /** Registers a single-use runner. Throws LabelInUseError if another session has the label. */
  async registerRunner(name: string, signal?: AbortSignal): Promise<{ id: number; jitConfig: string }> {
    const { mask, runners } = this.#tools;
    const registered = await this.#answered(runners.registerRunner(name, this.#label, signal));
    this.#isProven = true;
    mask(registered.jitConfig);
    // Of two sessions that began at the same time neither saw the other before. Now one of them does.
    if (!this.#isLabelOurs)
      await checkLabel(runners, this.#label, signal, { names: this.#ownNames, id: registered.id });
    this.#isLabelOurs = true;
    return registered;
  }

  /** Looks up the state of each of these runners; undefined if GitHub could not be asked, which is no evidence. */
  look(ids: ReadonlySet<number>, signal?: AbortSignal): Promise<ReadonlyMap<number, RunnerState> | undefined> {
    return this.#orUndefined(this.#tools.runners.look(ids, signal));
  }

  /** Removes a registration. `busy`: it runs a job. `unknown`: GitHub could not be asked. */
  async remove(id: number, signal?: AbortSignal): Promise<"removed" | "busy" | "unknown"> {
    return (await this.#orUndefined(this.#tools.runners.remove(id, signal))) ?? "unknown";
  }

  /** Returns undefined if GitHub could not be asked, or refuses a proven token. Throws all other faults. */
  async #orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await this.#answered(answer);
    } catch (error) {
      const isRefusal = error instanceof GithubRefusedError || error instanceof GithubTokenError;
      if (error instanceof GithubUnavailableError || (this.#isProven && isRefusal)) return undefined;
      throw error;
    }
  }

  /** Waits for an answer, and notes since when a proven token is refused. Throws every fault on. */
  async #answered<T>(answer: Promise<T>): Promise<T> {
    try {
      const value = await answer;
      this.#refusedSince = undefined;
      return value;
    } catch (error) {
      if (this.#isProven && error instanceof GithubTokenError) this.#noteRefusal(error);
      throw error;
    }
  }

  #noteRefusal(error: GithubTokenError): void {
    const { clock, log } = this.#tools;
    this.#refusedSince ??= clock.now();
    if (this.#isTold) return;
    this.#isTold = true;
    const since = new Date(this.#refusedSince).toISOString().slice(11, 16);
    log.warning(
      `github-token is refused since ${since} UTC, after it had registered a runner. ${error.message} From now on runners can be neither seen nor ` +
        "removed: machines go when their jobs are over, or at their deadlines. A GitHub App's token lives an hour; for longer runs use a " +
        "fine-grained token.",
    );
  }
}

/** What renting takes of the registrations; tests stand in for it. */
export type RunnersPort = { readonly [Name in keyof Registrations]: Registrations[Name] };

/** Says that a runner of another session has our label. A second machine would race it for the job. */
export class LabelInUseError extends UserError {
  constructor(label: string, runner: string) {
    super(`A runner with the label ${label} is registered already (${runner}).`, {
      kind: "label-in-use",
      hint: "Use the action once per run attempt, or give each job that rents its own name. If the runner is left over, remove it under Settings, Actions, Runners.",
    });
  }
}

/**
 * Throws LabelInUseError if another session has a runner with our label that was registered before `own`: of two that
 * see each other the first one goes on. `names`: how ours begin, without an answer, too. Without an answer it is free.
 */
export async function checkLabel(
  runners: Runners,
  label: string,
  signal: AbortSignal | undefined,
  own?: { names: string; id: number },
): Promise<void> {
  try {
    const isOwnOrLater = ({ id, name }: ListedRunner) =>
      own !== undefined && (name.startsWith(own.names) || id > own.id);
    const [rival] = await runners.find((runner) => runner.labels.includes(label) && !isOwnOrLater(runner), signal);
    if (rival) throw new LabelInUseError(label, rival.name);
  } catch (error) {
    if (!(error instanceof GithubUnavailableError)) throw error;
  }
}
