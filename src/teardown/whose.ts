import type { RunContext } from "../action/run-context.ts";
import type { JobMatcher } from "../github/jobs.ts";

/** Tells this use's jobs and this very job from the others. Without a prefix no runner is ours. */
export function whoseOf(run: RunContext, checkRunId: string, runnerNamePrefix = "\n"): JobMatcher {
  const own = { checkRunId: Number(checkRunId) || undefined, runnerName: run.runnerName, jobName: run.jobName };
  return { runnerLabel: run.runnerLabel, runnerNamePrefix, own };
}
