import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { adviceFacts, pastRunOf } from "../fleet/past-run.ts";
import type { Fleet } from "../fleet/state.ts";
import { adviceOf } from "../market/advice.ts";
import {
  type Fate,
  type History,
  type HistoryPort,
  historyText,
  type KeptFacts,
  MOST_HISTORY_BYTES,
  merge,
  NO_HISTORY,
  prune,
  readHistoryText,
  withFate,
} from "../market/history.ts";
import { mergeRuns, type PastRun, readRuns } from "../market/past-runs.ts";
import { MOST_ROWS, trendPicture } from "../report/trend.ts";
import { writeWhole } from "../report/whole-file.ts";
import type { Clock } from "../shared/clock.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";
import type { LedgerWriter } from "../teardown/ledger.ts";
import type { Session } from "../teardown/session.ts";

const NOTHING_KEPT: KeptFacts = { machines: NO_HISTORY, runs: [] };

/** The history of machines, in the file of the input `history` if there is one. */
export class KeptHistory implements HistoryPort, AsyncDisposable {
  readonly isKept: boolean;
  #known: History;
  #runs: readonly PastRun[];
  #written: Promise<void> = Promise.resolve();
  readonly #file: HistoryFile | undefined;

  private constructor(file: HistoryFile | undefined, { machines, runs }: KeptFacts) {
    this.#file = file;
    this.#known = machines;
    this.#runs = runs;
    this.isKept = machines.size > 0;
  }

  /** `path`: empty for none. */
  static async open(path: string, tools: { log: Log; clock: Clock }): Promise<KeptHistory> {
    const file = path === "" ? undefined : new HistoryFile(path, tools);
    return new KeptHistory(file, (await file?.read()) ?? NOTHING_KEPT);
  }

  get known(): History {
    return this.#known;
  }

  /** The last runs, oldest first; none where no file keeps them. */
  get runs(): readonly PastRun[] {
    return this.#runs;
  }

  note(fate: Fate): void {
    this.#known = withFate(this.#known, fate);
    this.#write();
  }

  /** Adds this run at its end. Where no file keeps runs there is nothing to compare it with. */
  noteRun(run: PastRun): void {
    // One that could not be read again, as of a machine_id that is none, would spoil the file.
    if (this.#file === undefined || readRuns([run], Number.MAX_SAFE_INTEGER) === undefined) return;
    this.#runs = mergeRuns(this.#runs, [run]);
    this.#write();
  }

  /** Written at once: a workflow's step that saves the file runs before our post. */
  #write(): void {
    const kept = { machines: this.#known, runs: this.#runs };
    this.#written = this.#written.then(() => this.#file?.write(kept));
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
  async read(): Promise<KeptFacts> {
    const read = await this.#tryRead();
    if (typeof read !== "string") return { ...read, machines: prune(read.machines, this.#clock.now()) };
    this.#warn(`can't be used: ${read}. This run goes on as if there were none`);
    return NOTHING_KEPT;
  }

  /** Adds to what another run may have written meanwhile. Readers see old or new, never a part. */
  async write({ machines, runs }: KeptFacts): Promise<void> {
    const before = await this.#tryRead();
    const known = typeof before === "string" ? NOTHING_KEPT : before;
    const merged = prune(merge(known.machines, machines), this.#clock.now());
    const text = historyText({ machines: merged, runs: mergeRuns(known.runs, runs) });
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
  async #tryRead(): Promise<KeptFacts | string> {
    try {
      const found = await stat(this.#path);
      if (!found.isFile()) return "it is not a file";
      if (found.size > MOST_HISTORY_BYTES) return `it has more than ${MOST_HISTORY_BYTES / 1e6} MB`;
      return readHistoryText(await readFile(this.#path, "utf8"), this.#clock.now());
    } catch (error) {
      return codeOf(error) === "ENOENT" ? NOTHING_KEPT : codeOf(error);
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

/** At the end of the loop: where this run is noted and told. */
interface Learning {
  session: Session;
  ledger: Pick<LedgerWriter, "lessons">;
  history: KeptHistory;
  labelPrefix: string;
  /** The folder that the platform empties at the job's end. */
  folder: string;
}

/** Notes this run in the history, and tells what it teaches. Returns the path of the trend's picture. */
export function learn(fleet: Fleet, { folder, history, labelPrefix: prefix, ledger, session }: Learning): string {
  const { clock, id, log, run } = session;
  const now = clock.now();
  const past = pastRunOf(fleet, { attempt: run.attempt, now, prefix, runId: run.runId });
  if (past === undefined) return "";
  history.noteRun(past);
  // Without a file this run is all that is known.
  const runs = history.runs.length === 0 ? [past] : history.runs;
  const advice = adviceOf(adviceFacts(fleet, { now, runs }));
  for (const line of advice) log.info(line);
  // More are not told to post: a saved state travels in an environment variable.
  const trend = runs.slice(-MOST_ROWS).map(({ at, bootSeconds, run: of, usd, waitSeconds }) => {
    return { at, bootSeconds, run: of, usd, waitSeconds };
  });
  ledger.lessons({ advice, trend });
  const picture = trendPicture(runs);
  const path = join(folder, `ephemeral-gpu-runner-${id}-trend.svg`);
  return picture === undefined ? "" : writeWhole(log, "The picture of the last runs", path, picture);
}
