import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";

/** One thing that was asked, and what came of it. `unknown`: it can't be asked without renting. */
export interface CheckResult {
  what: string;
  state: "ok" | "failed" | "unknown";
  answer: string;
}

/** `check: true` found something that would keep a rental from working. */
export class CheckFailedError extends UserError {
  override readonly name = "CheckFailedError";

  constructor(failed: readonly CheckResult[], hints: readonly string[]) {
    const count = failed.length === 1 ? "One check failed" : `${failed.length} checks failed`;
    const lines = failed.map(({ what, answer }) => `- ${what}: ${answer}`);
    const hint = [...new Set(hints)].join(" ") || "Correct what the lines say, and check again.";
    super(`${count}. Nothing was rented.\n${lines.join("\n")}`, { hint });
  }
}

/** Thrown by a check when the answer itself is the fault. */
class Failure extends UserError {}

/** Asks one thing after the other, whatever the others said. */
export class Checklist {
  readonly results: CheckResult[] = [];
  readonly #log: Log;
  readonly #hints: string[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** Asks for a few words for the log. A UserError is the answer "no"; other errors are bugs. */
  async check(what: string, ask: () => Promise<string>): Promise<void> {
    try {
      this.#add({ what, state: "ok", answer: await ask() });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (error.hint !== undefined) this.#hints.push(error.hint);
      this.#add({ what, state: "failed", answer: error.message });
    }
  }

  /** To be called in a check: the answer that was had is the fault. */
  fail(answer: string, hint: string): never {
    throw new Failure(answer, { hint });
  }

  /** Something that can't be asked. */
  note(what: string, answer: string): void {
    this.#add({ what, state: "unknown", answer });
  }

  throwIfAnyFailed(): void {
    const failed = this.results.filter(({ state }) => state === "failed");
    if (failed.length > 0) throw new CheckFailedError(failed, this.#hints);
    this.#log.info("All that can be asked without renting is well. Nothing was rented.");
  }

  #add(result: CheckResult): void {
    this.results.push(result);
    this.#log.info(`${WORDS[result.state]} ${result.what}: ${result.answer}`);
  }
}

const WORDS = { ok: "ok ", failed: "NO ", unknown: "?  " };
