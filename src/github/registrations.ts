import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";
import { GithubRefusedError, GithubTokenError, GithubUnavailableError } from "./github-errors.ts";
import type { ListedRunner, RunnerState, Runners } from "./runners.ts";

/** The tools of registering runners. */
interface Registering {
  runners: Runners;
  clock: Clock;
  log: Log;
  /** Keeps a secret out of the log. */
  mask(secret: string): void;
}

/**
 * The runner registrations of one session: runners of one label, with names of one beginning. Before
 * github-token has registered a runner, its refusal is an error; after that a refusal proves nothing
 * about runners.
 */
export class Registrations {
  readonly #tools: Registering;
  readonly #trust: TokenTrust;
  readonly #label: string;
  readonly #ownNames: string;
  #isLabelOurs = false;

  constructor(tools: Registering, label: string, ownNames: string) {
    this.#tools = tools;
    this.#trust = new TokenTrust(tools);
    this.#label = label;
    this.#ownNames = ownNames;
  }

  /**
   * Since when GitHub refuses a token that it had accepted, in milliseconds since the epoch: `look`
   * and `remove` may have no answer from then on.
   */
  get refusedSince(): number | undefined {
    return this.#trust.refusedSince;
  }

  /** How many of our runners the last look asked for one by one. */
  get askedAlone(): number {
    return this.#tools.runners.askedAlone;
  }

  /** Registers a single-use runner. Throws LabelInUseError if another session has the label. */
  async registerRunner(name: string, signal?: AbortSignal): Promise<{ id: number; jitConfig: string }> {
    const { mask, runners } = this.#tools;
    const registered = await this.#trust.prove(runners.registerRunner(name, this.#label, signal));
    mask(registered.jitConfig);
    // Of two sessions that began at the same time neither saw the other before. Now one of them does.
    if (!this.#isLabelOurs)
      await checkLabel(runners, this.#label, signal, { names: this.#ownNames, id: registered.id });
    this.#isLabelOurs = true;
    return registered;
  }

  /** Looks up the state of each of these runners; undefined if GitHub could not be asked, which is no evidence. */
  async look(ids: ReadonlySet<number>, signal?: AbortSignal): Promise<ReadonlyMap<number, RunnerState> | undefined> {
    return this.#trust.orUndefined(this.#tools.runners.look(ids, signal));
  }

  /** Removes a registration. `busy`: it runs a job. `unknown`: GitHub could not be asked. */
  async remove(id: number, signal?: AbortSignal): Promise<"removed" | "busy" | "unknown"> {
    return (await this.#trust.orUndefined(this.#tools.runners.remove(id, signal))) ?? "unknown";
  }
}

/** What renting takes of the registrations; tests stand in for it. */
export type RunnersPort = { readonly [Name in keyof Registrations]: Registrations[Name] };

/**
 * Decides what a refusal of `github-token` means. A token that has registered a runner and is
 * refused later has expired (a GitHub App's lives an hour): that says nothing about runners. The
 * log says so once.
 */
class TokenTrust {
  readonly #clock: Clock;
  readonly #log: Log;
  #isProven = false;
  #isLogged = false;
  #refusedSince: number | undefined;

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  get refusedSince(): number | undefined {
    return this.#refusedSince;
  }

  /**
   * Waits for a call that proves the token if it succeeds. Notes a proven token's refusal, and
   * throws it on.
   */
  async prove<T>(answer: Promise<T>): Promise<T> {
    try {
      const value = await answer;
      this.#isProven = true;
      this.#refusedSince = undefined;
      return value;
    } catch (error) {
      if (error instanceof GithubTokenError) this.#note(error);
      throw error;
    }
  }

  /** Returns undefined if GitHub could not be asked, or refuses a proven token. Throws all other faults. */
  async orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      const value = await answer;
      this.#refusedSince = undefined;
      return value;
    } catch (error) {
      if (error instanceof GithubUnavailableError || (this.#isProven && error instanceof GithubRefusedError))
        return undefined;
      if (!this.#isProven || !(error instanceof GithubTokenError)) throw error;
      this.#note(error);
      return undefined;
    }
  }

  #note(error: GithubTokenError): void {
    if (!this.#isProven) return;
    this.#refusedSince ??= this.#clock.now();
    if (this.#isLogged) return;
    this.#isLogged = true;
    const since = new Date(this.#refusedSince).toISOString().slice(11, 16);
    this.#log.warning(
      `github-token is refused since ${since} UTC, after it had registered a runner. ${error.message} From now on runners can be neither seen nor ` +
        "removed: machines go when their jobs are over, or at their deadlines. A GitHub App's token lives an hour; for longer runs use a " +
        "fine-grained token.",
    );
  }
}

/** Says that a runner of another session has our label. A second machine would race it for the job. */
export class LabelInUseError extends UserError {
  override readonly name = "LabelInUseError";

  constructor(label: string, runner: string) {
    super(`A runner with the label ${label} is registered already (${runner}).`, {
      kind: "label-in-use",
      hint: "Use the action once per run attempt, or give each job that rents its own name. If the runner is left over, remove it under Settings, Actions, Runners.",
    });
  }
}

/** The runner that a session has just registered. */
interface OwnRunner {
  /** The beginning of the session's runner names: it also fits a runner whose registration got no answer. */
  names: string;
  id: number;
}

/**
 * Throws LabelInUseError if another session has a runner with our label that was registered before
 * ours: of two sessions that see each other the first one goes on. Best effort: if GitHub can't be
 * asked, the label counts as free.
 */
export async function checkLabel(
  runners: Runners,
  label: string,
  signal: AbortSignal | undefined,
  own?: OwnRunner,
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
