import { type GpuJob, waitsForUs } from "../github/jobs.ts";
import { isAskable } from "./renting/standing.ts";
import { machineFacts } from "./stage.ts";
import type { DeepReadonly, Fleet } from "./state.ts";

/**
 * Returns the jobs that wait for a machine, without those that GitHub holds back, that ask for
 * other labels, or that a busy runner already has.
 */
export function waitingJobs(fleet: Fleet, now: number): DeepReadonly<GpuJob>[] {
  const { jobs, machines } = fleet;
  const waiting = (jobs?.ours ?? []).filter(waitsForUs);
  const unlisted = machines.filter((machine) => machineFacts(machine).isUnlisted).length;
  return waiting.slice(0, Math.max(0, Math.min(waiting.length - unlisted, notHeldBack(fleet, now))));
}

/**
 * Returns how many waiting jobs GitHub may give to a machine at most, where it passed over one while others ran: as
 * many as fewer run since, and one more from time to time, to see. Machines that are ready keep their chance.
 */
function notHeldBack(fleet: Fleet, now: number): number {
  const { beside, machines } = fleet;
  if (beside === undefined) return Number.POSITIVE_INFINITY;
  const freed = Math.max(0, beside.limit - runningJobs(fleet)) + (isAskable(fleet, "beside", now) ? 1 : 0);
  return Math.max(freed, machines.filter((machine) => machineFacts(machine).isReady).length);
}

/** Counts our jobs that run, by GitHub's list. */
export function runningJobs({ jobs }: Pick<Fleet, "jobs">): number {
  return (jobs?.ours ?? []).filter(({ state }) => state === "running").length;
}
