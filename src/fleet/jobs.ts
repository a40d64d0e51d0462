import { type GpuJob, waitsForUs } from "../github/jobs.ts";
import { awaitsListing } from "./stage.ts";
import type { DeepReadonly, Fleet } from "./state.ts";

/**
 * Returns the jobs that wait for a machine, without those that GitHub holds back, that ask for
 * other labels, or that a busy runner already has.
 */
export function waitingJobs({ jobs, machines, heldBack }: Fleet, now: number): DeepReadonly<GpuJob>[] {
  const waiting = (jobs?.ours ?? []).filter(waitsForUs);
  const unlisted = machines.filter((machine) => awaitsListing(machine, now));
  return waiting.slice(0, Math.max(0, waiting.length - heldBack - unlisted.length));
}
