import { type JobFigures, readFigures } from "../create/gpu-figures.ts";
import { withRetry } from "../shared/retry.ts";
import { isPassing, UserError } from "../shared/user-error.ts";
import type { FleetDeps } from "./deps.ts";
import type { Machine } from "./stage.ts";

/** Pauses between attempts. GitHub stores a log some seconds after its job's end. SPEC-SILENT: no figure is named. */
const PAUSES_MS = [4000, 8000];

/** Returns the pause before the next attempt. A token that may not read the log is not used again. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  return isPassing(error) ? PAUSES_MS[attempt - 1] : undefined;
}

/** Reads from the logs of finished jobs what the GPUs did. Says once why figures are missing. */
export class FigureReader {
  readonly #deps: FleetDeps;
  #hasLogged = false;

  constructor(deps: FleetDeps) {
    this.#deps = deps;
  }

  /** Reads the figures of a machine's job. Undefined: not reported. */
  async read(machine: Machine, jobId: number): Promise<JobFigures | undefined> {
    const log = await this.#logOf(jobId);
    if (log === undefined) return undefined;
    const job = machine.slots.find((slot) => slot.job?.id === jobId)?.job;
    const { completedAt, startedAt } = job ?? {};
    const isTimed = startedAt !== undefined && completedAt !== undefined;
    const figures = readFigures(log, {
      instanceIds: machine.instances.map(({ id }) => id),
      seconds: isTimed ? (completedAt - startedAt) / 1000 : undefined,
      setupSeconds: machine.slots.map((slot) => slot.log?.figures?.setupSeconds).find((known) => known !== undefined),
    });
    if (figures === undefined) this.#logOnce("a job's log has no line with its machine's figures");
    return figures;
  }

  async #logOf(jobId: number): Promise<string | undefined> {
    const { clock, readJobLog, signal } = this.#deps;
    try {
      return await withRetry(() => readJobLog(jobId, signal), { clock, signal, pauseAfter });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof UserError)) throw error;
      this.#logOnce(error.message);
      return undefined;
    }
  }

  #logOnce(why: string): void {
    if (this.#hasLogged) return;
    this.#hasLogged = true;
    this.#deps.log.info(`What the GPUs did is not reported for every job: ${why.replace(/\.$/, "")}.`);
  }
}
