import type { Rules } from "../options.ts";
import type { Fleet } from "../state.ts";

/** Reads the log of a finished job, in which the machine's last line tells what its GPUs did. */
export interface JobLogCommand {
  kind: "read-job-log";
  machineNo: number;
  jobId: number;
}

/**
 * Returns the logs to read, one for each job that ran on a machine of ours. The end of the loop
 * waits for none of them. What is not read by then is not reported.
 */
export function jobLogsToRead({ machines }: Fleet, { gpuFigures }: Rules): JobLogCommand[] {
  if (!gpuFigures) return [];
  return machines.flatMap(({ machineNo, slots }) =>
    slots.flatMap(({ job, log }): JobLogCommand[] =>
      job?.isOver && log === undefined ? [{ kind: "read-job-log", machineNo, jobId: job.id }] : [],
    ),
  );
}
