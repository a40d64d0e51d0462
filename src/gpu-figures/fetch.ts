import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { withRetry } from "../shared/retry.ts";
import { isPassing, orElse } from "../shared/user-error.ts";
import { type JobFigures, type KnownOfJob, readFigures } from "./read.ts";

/** Pauses between attempts. GitHub stores a log some seconds after its job's end. SPEC-SILENT: no figure is named. */
const LOG_PAUSES_MS = [4000, 8000];

interface LogTools {
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** Reads the end of a job's log. Throws if it can't be had, or is not stored yet. */
  readJobLog: (jobId: number, signal: AbortSignal) => Promise<string>;
}

/** Reads from the logs of finished jobs what the GPUs did. Says once why figures are missing. */
export class FigureReader {
  readonly #deps: LogTools;
  #hasLogged = false;

  constructor(deps: LogTools) {
    this.#deps = deps;
  }

  /** Reads the end of a job's log, and the figures in it. Undefined: not to be had, not reported. */
  async read(jobId: number, known: KnownOfJob): Promise<{ log?: string; figures?: JobFigures | undefined }> {
    const { clock, readJobLog, signal } = this.#deps;
    // A token that may not read the log is not used again.
    const pauseAfter = (error: unknown, n: number) => (isPassing(error) ? LOG_PAUSES_MS[n - 1] : undefined);
    const ask = () => withRetry(() => readJobLog(jobId, signal), { clock, signal, pauseAfter });
    const log = await orElse(ask, ({ message }) => this.#logOnce(message), signal);
    if (log === undefined) return {};
    const figures = readFigures(log, known);
    if (figures === undefined) this.#logOnce("a job's log has no line with its machine's figures");
    return { log, figures };
  }

  #logOnce(why: string): undefined {
    if (this.#hasLogged) return;
    this.#hasLogged = true;
    this.#deps.log.info(`What the GPUs did is not reported for every job: ${why.replace(/\.$/, "")}.`);
  }
}
