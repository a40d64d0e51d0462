import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { adviceFacts, pastRunOf } from "../fleet/history.ts";
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
import { type StepPage, sessionFile, writeWhole } from "../report/step-page.ts";
import { MOST_ROWS, trendPicture } from "../report/trend.ts";
import type { Clock } from "../shared/clock.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";
import type { LedgerWriter } from "../teardown/ledger.ts";
import type { Session } from "../teardown/session.ts";

const NOTHING_KEPT: KeptFacts = { machines: NO_HISTORY, runs: [] };

/**
 * Keeps the history of machines and runs in the file that the input `history` names. A faulty file
 * counts as empty, with a warning. Without a file the history lasts as long as this step.
 */
export class KeptHistory implements HistoryPort, AsyncDisposable {
  /** Undefined: there is no file. */
  readonly #path: string | undefined;
  readonly #log: Log;
  readonly #clock: Pick<Clock, "now">;
  #facts = NOTHING_KEPT;
  #written: Promise<void> = Promise.resolve();
  #isBroken = false;
  /** True if the file knew a machine when it was opened. */
  isKept = false;

  private constructor(path: string, { log, clock }: { log: Log; clock: Pick<Clock, "now"> }) {
    this.#path = path === "" ? undefined : pathOf(path);
    this.#log = log;
    this.#clock = clock;
  }

  /** Reads the file. `path`: relative to the workspace, or to the home folder after `~/`; empty for none. */
  static async open(path: string, tools: { log: Log; clock: Pick<Clock, "now"> }): Promise<KeptHistory> {
    const history = new KeptHistory(path, tools);
    const read = history.#path === undefined ? NOTHING_KEPT : await history.#read(history.#path);
    if (typeof read === "string") history.#warn(`can't be used: ${read}. This run goes on as if there were none`);
    else history.#facts = { ...read, machines: prune(read.machines, tools.clock.now()) };
    history.isKept = history.known.size > 0;
    return history;
  }

  get known(): History {
    return this.#facts.machines;
  }

  /** The last runs, oldest first; none if no file keeps them. */
  get runs(): readonly PastRun[] {
    return this.#facts.runs;
  }

  note(fate: Fate): void {
    this.#change({ machines: withFate(this.known, fate) });
  }

  /** Adds this run to the file. Without a file it does nothing. */
  noteRun(run: PastRun): void {
    // A run that can't be read again, such as one with an invalid machine_id, would make the whole file unreadable.
    if (this.#path === undefined || readRuns([run], Number.MAX_SAFE_INTEGER) === undefined) return;
    this.#change({ runs: mergeRuns(this.runs, [run]) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#written;
  }

  /** Writes at once: a workflow's step that saves the file runs before our post. */
  #change(change: Partial<KeptFacts>): void {
    this.#facts = { ...this.#facts, ...change };
    const [facts, path] = [this.#facts, this.#path];
    if (path !== undefined) this.#written = this.#written.then(() => this.#write(path, facts));
  }

  /** Adds our facts to what another run may have written meanwhile. Readers see the old file or the new one. */
  async #write(path: string, { machines, runs }: KeptFacts): Promise<void> {
    const before = await this.#read(path);
    const known = typeof before === "string" ? NOTHING_KEPT : before;
    const merged = prune(merge(known.machines, machines), this.#clock.now());
    const text = historyText({ machines: merged, runs: mergeRuns(known.runs, runs) });
    const draft = `${path}.${process.pid}.tmp`;
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      this.#warn(`can't be written: ${codeOf(error)}`);
    }
  }

  /** Reads the file as it is now. Returns a text if it can't be read, which says why. */
  async #read(path: string): Promise<KeptFacts | string> {
    try {
      const found = await stat(path);
      if (!found.isFile()) return "it is not a file";
      if (found.size > MOST_HISTORY_BYTES) return `it has more than ${MOST_HISTORY_BYTES / 1e6} MB`;
      return readHistoryText(await readFile(path, "utf8"), this.#clock.now());
    } catch (error) {
      return codeOf(error) === "ENOENT" ? NOTHING_KEPT : codeOf(error);
    }
  }

  /** Warns once: the same file is read and written many times. */
  #warn(what: string): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#log.warning(`The history ${oneLine(this.#path ?? "", 200)} ${what}.`);
  }
}

function pathOf(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(path);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : oneLine(String(error), 200);
}

/** The tools of noting a run. */
interface Learning {
  session: Session;
  ledger: Pick<LedgerWriter, "lessons">;
  history: KeptHistory;
  /** The beginning of the label of every instance. */
  prefix: string;
  page: StepPage;
}

/** Notes this run in the history, and logs advice. Returns the path of the trend's picture, empty if there is none. */
export function learn(fleet: Fleet, { history, ledger, page, prefix, session }: Learning): string {
  const { clock, id, log, run } = session;
  const now = clock.now();
  const past = pastRunOf(fleet, { attempt: run.attempt, now, prefix, runId: run.runId });
  if (past === undefined) return "";
  history.noteRun(past);
  // Without a file this run is all that is known.
  const runs = history.runs.length === 0 ? [past] : history.runs;
  const advice = adviceOf(adviceFacts(fleet, { now, runs }));
  for (const line of advice) log.info(line);
  // Post gets only these rows, because saved state travels in an environment variable.
  const trend = runs.slice(-MOST_ROWS).map(({ at, bootSeconds, run: of, usd, waitSeconds }) => {
    return { at, bootSeconds, run: of, usd, waitSeconds };
  });
  ledger.lessons({ advice, trend });
  const picture = trendPicture(runs);
  const path = sessionFile(page, id, "-trend.svg");
  return picture === undefined ? "" : writeWhole(log, "The picture of the last runs", path, picture);
}
