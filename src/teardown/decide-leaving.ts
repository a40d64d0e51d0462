import type { IfNoMachine } from "../action/fleet-inputs.ts";
import type { GpuJobs, JobState } from "../github/gpu-jobs.ts";

/** The facts after this job has failed. */
export interface Leaving {
  ifNoMachine: IfNoMachine;
  /** Undefined: the list could not be read. */
  jobs: GpuJobs | undefined;
  /** Since the failure, in milliseconds. */
  waitedMs: number;
}

/** `leave`: no job is left waiting, or nothing may be done about it here. */
export type LeavingDecision = "wait" | "cancel" | "leave";

/** Time for the run's other jobs: they are worth more than an hour of a waiting one. */
export const OTHERS_MAY_TAKE_MS = 1_800_000;
/** So long GitHub may be away; after that the sweep has to see to the job. */
const OUTAGE_MAY_TAKE_MS = 600_000;

/** DESIGN, `if-no-machine`: the fate of jobs without a machine. Two looks must say "cancel". */
export function decideLeaving({ ifNoMachine, jobs, waitedMs }: Leaving): LeavingDecision {
  if (ifNoMachine === "leave" || ifNoMachine === "fail-jobs") return "leave";
  // A doubt is no evidence; but it must not keep this job for ever either.
  if (jobs === undefined) return waitedMs < OUTAGE_MAY_TAKE_MS ? "wait" : "leave";
  if (has(jobs, "running") || !has(jobs, "waiting")) return "leave";
  if (ifNoMachine === "cancel" || isNothingElseOpen(jobs)) return "cancel";
  return waitedMs < OTHERS_MAY_TAKE_MS ? "wait" : "leave";
}

function has({ ours }: GpuJobs, state: JobState): boolean {
  return ours.some((job) => job.state === state);
}

function isNothingElseOpen(jobs: GpuJobs): boolean {
  return jobs.othersOpen.length === 0 && !has(jobs, "held");
}
