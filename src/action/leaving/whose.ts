import type { Whose } from "../../jobs/gpu-jobs.ts";
import type { RunContext } from "../platform/run-context.ts";

/** Tells this use's jobs and this very job from the others. Without a prefix no runner is ours. */
export function whoseOf(run: RunContext, checkRunId: string, runnerNamePrefix = "\n"): Whose {
  const own = { checkRunId: Number(checkRunId) || undefined, runnerName: run.runnerName, jobName: run.jobName };
  return { runnerLabel: run.runnerLabel, runnerNamePrefix, own };
}
