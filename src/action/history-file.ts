import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  type Fate,
  type History,
  type HistoryPort,
  historyText,
  MOST_HISTORY_BYTES,
  merge,
  NO_HISTORY,
  prune,
  readHistoryText,
  withFate,
} from "../market/history.ts";
import type { Clock } from "../shared/clock.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";

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

/** The file that the input `history` names. A faulty one is a warning, and counts as none. */
export class HistoryFile {
  readonly #path: string;
  readonly #log: Log;
  readonly #clock: Pick<Clock, "now">;
  #isBroken = false;

  /** `path` is relative to the workspace, or to the home folder where it begins with `~/`. */
  constructor(path: string, { log, clock }: { log: Log; clock: Pick<Clock, "now"> }) {
    this.#path = path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(path);
    this.#log = log;
    this.#clock = clock;
  }

  /** Its content; nothing where it is not there yet. */
  async read(): Promise<History> {
    const read = await this.#tryRead();
    if (typeof read !== "string") return prune(read, this.#clock.now());
    this.#warn(`can't be used: ${read}. This run goes on as if there were none`);
    return NO_HISTORY;
  }

  /** Adds to what another run may have written meanwhile. Readers see old or new, never a part. */
  async write(history: History): Promise<void> {
    const before = await this.#tryRead();
    const known = typeof before === "string" ? NO_HISTORY : before;
    const text = historyText(prune(merge(known, history), this.#clock.now()));
    const draft = `${this.#path}.${process.pid}.tmp`;
    try {
      await mkdir(dirname(this.#path), { recursive: true });
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, this.#path);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      this.#warn(`can't be written: ${codeOf(error)}`);
    }
  }

  /** A text: why it can't be read. */
  async #tryRead(): Promise<History | string> {
    try {
      const found = await stat(this.#path);
      if (!found.isFile()) return "it is not a file";
      if (found.size > MOST_HISTORY_BYTES) return `it has more than ${MOST_HISTORY_BYTES / 1e6} MB`;
      return readHistoryText(await readFile(this.#path, "utf8"), this.#clock.now());
    } catch (error) {
      return codeOf(error) === "ENOENT" ? NO_HISTORY : codeOf(error);
    }
  }

  /** Once: the same file is read and written many times. */
  #warn(what: string): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#log.warning(`The history ${oneLine(this.#path, 200)} ${what}.`);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : oneLine(String(error), 200);
}
