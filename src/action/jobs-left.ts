import { countJobs, type JobCounts } from "../holding/job-counts.ts";
import { KnownError } from "../known-error.ts";
import type { Ledger } from "./ledger.ts";
import type { Rooms } from "./rooms.ts";
import type { RunContext } from "./run-context.ts";

/** The GPU job had not ended when this job did, so that its machine was destroyed under it. */
export class DestroyedUnderJobError extends KnownError {
  override readonly name = "DestroyedUnderJobError";

  constructor(what: string) {
    super(
      `The machine was given back while ${what}: this job ended before the GPU job did. Nothing is rented any more.`,
      {
        hint: "Leave hold at auto, so that the step waits for the GPU job; with hold: false, keep this job running until the GPU job is over.",
      },
    );
  }
}

/** What post knows when it looks at the jobs that are left. */
export interface LeftBehind {
  /** Undefined: they could not be seen. */
  jobs: JobCounts | undefined;
  /** True when a machine was still there to be destroyed. */
  destroyedOne: boolean;
  /** `success`, `failure` or `cancelled`, as the platform evaluates it for post. */
  jobStatus: string;
}

/**
 * Tells which GPU jobs are left without a machine. Throws only when this job had succeeded and yet took the machine away: a cancelled or
 * failed job has said enough.
 */
export function judgeJobsLeft({ log }: Pick<Rooms, "log">, run: RunContext, left: LeftBehind): void {
  const what = left.jobs && inWords(left.jobs);
  if (what === undefined) return;
  if (left.destroyedOne && left.jobStatus === "success") throw new DestroyedUnderJobError(what);
  const link = `${run.serverUrl}/${run.owner}/${run.repo}/actions/runs/${run.runId}`;
  log.warning(`No machine is left, while ${what}. Cancel the run, or its job waits for up to a day: ${link}`);
}

/** The jobs that ask for this use's machine; undefined, with a word in the log, when they can't be seen. */
export async function jobsLeft(rooms: Rooms, run: RunContext, ledger: Ledger): Promise<JobCounts | undefined> {
  try {
    const own = { checkRunId: undefined, runnerName: run.runnerName, jobName: run.jobName };
    const runnerIds = new Set(ledger.runners.values());
    return countJobs(await rooms.jobs.list(), { runnerLabel: run.runnerLabel, runnerIds, own });
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    rooms.log.info(`Whether a GPU job is left could not be seen: ${error.message}`);
    return undefined;
  }
}

function inWords({ waiting, running }: JobCounts): string | undefined {
  if (running > 0) return "the GPU job was running";
  return waiting > 0 ? "the GPU job was waiting for it" : undefined;
}
