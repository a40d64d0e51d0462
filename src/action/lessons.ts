import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adviceFacts, pastRunOf } from "../fleet/past-run.ts";
import type { Fleet } from "../fleet/state.ts";
import { adviceOf } from "../market/advice.ts";
import { trendPicture } from "../report/trend.ts";
import type { Log } from "../shared/log.ts";
import type { LedgerWriter, Lessons } from "../teardown/ledger.ts";
import type { Session } from "../teardown/session.ts";
import type { KeptHistory } from "./history-file.ts";

/** More runs are not told to post: a saved state travels in an environment variable. */
const MOST_TOLD = 10;

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
  const lessons: Lessons = { advice: adviceOf(adviceFacts(fleet, { now, runs })), trend: runs.slice(-MOST_TOLD) };
  for (const line of lessons.advice) log.info(line);
  ledger.lessons({
    ...lessons,
    trend: lessons.trend.map(({ at, bootSeconds, run: of, usd, waitSeconds }) => ({
      at,
      bootSeconds,
      run: of,
      usd,
      waitSeconds,
    })),
  });
  return writePicture(log, join(folder, `ephemeral-gpu-runner-${id}-trend.svg`), trendPicture(runs));
}

/** Whole or not at all. A disk that is full is told, and keeps nothing from going on. */
function writePicture(log: Log, path: string, picture: string | undefined): string {
  if (picture === undefined) return "";
  try {
    writeFileSync(`${path}.new`, picture, { mode: 0o644 });
    renameSync(`${path}.new`, path);
    return path;
  } catch (error) {
    log.warning(`The picture of the last runs could not be written: ${error instanceof Error ? error.message : error}`);
    return "";
  }
}
