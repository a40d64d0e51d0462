import * as core from "@actions/core";
import type { Log } from "../shared/log.ts";

/** Adds to the job's summary. A failure is only told; other platforms may have none. */
export async function writeSummary(log: Log, markdown: string): Promise<void> {
  if (!process.env.GITHUB_STEP_SUMMARY) return;
  try {
    await core.summary.addRaw(markdown).write();
  } catch (error) {
    log.warning(`The job summary could not be written: ${error instanceof Error ? error.message : error}`);
  }
}
