import type { GithubClient } from "../github/github-client.ts";
import { GithubTokenError } from "../github/github-errors.ts";
import type { Run, Runs } from "../github/runs.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";

/** The tools of a search through the repository's runs. */
export interface RunSearch {
  client: GithubClient;
  runs: Pick<Runs, keyof Runs>;
  clock: Clock;
  log: Log;
  /** The run that sweeps: it is neither cancelled nor re-run. */
  ownRunId: number;
  isDryRun: boolean;
  signal: AbortSignal;
}

/** How many runs in a row may be unreadable: after that GitHub itself is away. */
const MOST_IN_A_ROW = 3;

/** Looks at run after run. One that can't be read is skipped with a line; a token that may not look throws. */
export async function runByRun<T>(
  runs: readonly Run[],
  look: (run: Run) => Promise<T | undefined>,
  log: Log,
): Promise<T[]> {
  const found: T[] = [];
  let unread = 0;
  for (const run of runs) {
    const seen = await lookOrFault(run, look);
    unread = seen instanceof UserError ? unread + 1 : 0;
    if (!(seen instanceof UserError)) found.push(...seen);
    else log.warning(`Run ${run.id} could not be looked at, and is left: ${seen.message} ${seen.hint ?? ""}`);
    if (unread === MOST_IN_A_ROW) {
      log.warning("Neither are the other runs looked at: GitHub can't be asked.");
      break;
    }
  }
  return found;
}

async function lookOrFault<T>(run: Run, look: (run: Run) => Promise<T | undefined>): Promise<T[] | UserError> {
  try {
    const seen = await look(run);
    return seen === undefined ? [] : [seen];
  } catch (error) {
    // A token that is refused is refused for every run; 404 can be a run that is gone.
    const isOfAll = error instanceof GithubTokenError && error.status !== 404;
    if (isOfAll || !(error instanceof UserError)) throw error;
    return error;
  }
}
