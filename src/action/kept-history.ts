import { type Fate, type History, type HistoryPort, NO_HISTORY, withFate } from "../market/history.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { HistoryFile } from "./history-file.ts";

/** The history of machines in this use, in the file of the input `history` where there is one. */
export class KeptHistory implements HistoryPort, AsyncDisposable {
  readonly isKept: boolean;
  #known: History;
  #written: Promise<void> = Promise.resolve();
  readonly #file: HistoryFile | undefined;

  private constructor(file: HistoryFile | undefined, known: History) {
    this.#file = file;
    this.#known = known;
    this.isKept = known.size > 0;
  }

  /** `path`: empty for none. */
  static async open(path: string, room: { log: Log; clock: Clock }): Promise<KeptHistory> {
    const file = path === "" ? undefined : new HistoryFile(path, room);
    return new KeptHistory(file, (await file?.read()) ?? NO_HISTORY);
  }

  get known(): History {
    return this.#known;
  }

  /** Written at once: a workflow's step that saves the file runs before our post. */
  note(fate: Fate): void {
    this.#known = withFate(this.#known, fate);
    const known = this.#known;
    this.#written = this.#written.then(() => this.#file?.write(known));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#written;
  }
}
