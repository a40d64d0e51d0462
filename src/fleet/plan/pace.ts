import type { Fleet } from "../state/fleet.ts";
import type { FleetOptions } from "../state/policy.ts";
import { awaitsListing, isAlive, isBusy, isFree, isUnlisted, stageOf } from "../state/stage.ts";
import { waitingJobs } from "./plan-count.ts";

/** How often each list is asked for, in milliseconds; infinite: not at all. */
export interface Pace {
  runners: number;
  jobs: number;
  instances: number;
}

/** Seed, Limits: one look every 10 seconds is advised, counted from arrival to arrival. */
const BOOT_MS = 10_500;
const HELD_MS = 15_000;
/** The delay until main sees a runner online. An unchanged list costs nothing: a 304. */
const STARTING_MS = 2500;
const WAITING_MS = 15_000;
/**
 * A running job changes its list at every step, so that each answer is counted. A little over a
 * minute: with the look that is asked for out of turn, no hour has more than 60.
 */
const RUNNING_MS = 62_000;
/** A doubt that lasts longer waits for the service's list, not for GitHub's. */
const DOUBT_MS = 300_000;
/** All workflows of the repository share the token's requests: below this, we ask less often. */
const FEW_REQUESTS = 100;
const SLOWER_BY = 4;
/** A create may come true so much later; one that gave no answer is looked for on, more seldom. */
const STRAY_MS = 90_000;

/** How often to look at what, now. `requestsLeft`: of job-token in this hour. */
export function paceOf(fleet: Fleet, policy: FleetOptions, now: number, requestsLeft: number | undefined): Pace {
  const stages = fleet.machines.filter(isAlive).map(stageOf);
  const slower = isShort(requestsLeft) ? SLOWER_BY : 1;
  return {
    runners: runnersEvery(fleet, stages, now),
    jobs: policy.hold ? jobsEvery(fleet, policy, now) * slower : Number.POSITIVE_INFINITY,
    instances: instancesEvery(fleet, stages, now),
  };
}

/** True while few requests are left. */
export function isShort(requestsLeft: number | undefined): boolean {
  return requestsLeft !== undefined && requestsLeft < FEW_REQUESTS;
}

/** The job that runs on a machine tells all that its runner could; one that is not listed, none. */
function runnersEvery(fleet: Fleet, stages: readonly string[], now: number): number {
  if (stages.includes("starting")) return STARTING_MS;
  if (stages.includes("booting")) return BOOT_MS;
  const isSilent = fleet.machines.some((machine) => isAlive(machine) && machine.isSilent === true);
  if (isSilent) return HELD_MS;
  if (isListAwaited(fleet, now)) return WAITING_MS;
  if (!stages.includes("ready") && !fleet.machines.some(isUnlisted)) return Number.POSITIVE_INFINITY;
  return waitingJobs(fleet, now).length > 0 ? WAITING_MS : RUNNING_MS;
}

function jobsEvery(fleet: Fleet, policy: FleetOptions, now: number): number {
  const isFreeThere = fleet.machines.some((machine) => isFree(machine, policy, now));
  const isBusyThere = fleet.machines.some(isBusy);
  const isFresh = Object.values(fleet.doubts).some((since) => now - since < DOUBT_MS);
  const isInDoubt = isFresh || isListAwaited(fleet, now);
  const isAsked = waitingJobs(fleet, now).length > 0 && isFreeThere;
  return isInDoubt || isAsked || (!isBusyThere && !isFreeThere) ? WAITING_MS : RUNNING_MS;
}

function isListAwaited({ machines }: Fleet, now: number): boolean {
  return machines.some((machine) => awaitsListing(machine, now));
}

function instancesEvery(fleet: Fleet, stages: readonly string[], now: number): number {
  if (stages.some((stage) => stage === "booting" || stage === "starting")) return BOOT_MS;
  const isNeeded = stages.length > 0 || fleet.unservedSince !== undefined;
  if (isNeeded || fleet.strays.some(({ since }) => now - since < STRAY_MS)) return HELD_MS;
  return fleet.strays.some(({ isUncertain }) => isUncertain) ? RUNNING_MS : Number.POSITIVE_INFINITY;
}
