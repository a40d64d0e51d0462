import { join } from "node:path";
import { adviceFacts, pastRunOf } from "../fleet/past-run.ts";
import type { Fleet } from "../fleet/state.ts";
import { adviceOf } from "../market/advice.ts";
import { MOST_ROWS, trendPicture } from "../report/trend.ts";
import { writeWhole } from "../report/whole-file.ts";
import type { LedgerWriter } from "../teardown/ledger.ts";
import type { Session } from "../teardown/session.ts";
import type { KeptHistory } from "./history-file.ts";

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
