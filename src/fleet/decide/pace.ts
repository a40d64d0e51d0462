import type { Rules } from "../options.ts";
import {
  aliveInstances,
  awaitsListing,
  currentSlot,
  isAlive,
  isBusy,
  isFree,
  isUncertain,
  isUnlisted,
  mayTurnUp,
  type Slot,
  stageOf,
} from "../stage.ts";
import type { Fleet } from "../state.ts";
import { waitingJobs } from "./count.ts";
import { isOfMachine } from "./facts.ts";

/** How often each list is asked for, in milliseconds; infinite: not at all. */
export interface Pace {
  runners: number;
  jobs: number;
  instances: number;
}

/** What GitHub tells of its own limits. */
export interface Quota {
  /** Requests of job-token that are left in this hour; undefined: not known. */
  requestsLeft: number | undefined;
  /** The runners of the place don't fit into one list: each look asks for each of ours by its id. */
  areRunnersMany: boolean;
}

/** Seed, Limits: one look every 10 seconds is advised, counted from arrival to arrival. */
const BOOT_MS = 10_500;
const HELD_MS = 15_000;
/** The delay until main sees a runner online. An unchanged list costs nothing: a 304. */
const STARTING_MS = 2500;
/** GitHub's secondary limit is about 900 requests a minute, for all that uses the token. */
const PER_RUNNER_MS = 400;
const WAITING_MS = 15_000;
/**
 * A running job changes its list at every step, so that each answer is counted. A little over a
 * minute: with the look that is asked for out of turn, no hour has more than 60.
 */
const RUNNING_MS = 62_000;
/** A doubt that lasts longer waits for the service's list, not for GitHub's. */
const DOUBT_MS = 300_000;
/** What a fresh finding about a machine waits for: the jobs, of some time after it. */
const FINDING_MS = 7500;
const FRESH_MS = 30_000;
/** All workflows of the repository share the token's requests: below this, we ask less often. */
const FEW_REQUESTS = 100;
const SLOWER_BY = 4;
/** A create may come true so much later; one that gave no answer is looked for on, more seldom. */
const TURNS_UP_MS = 90_000;

/** Says how often to look at what, now. */
export function paceOf(fleet: Fleet, rules: Rules, now: number, { areRunnersMany, requestsLeft }: Quota): Pace {
  const stages = fleet.machines.filter(isAlive).map(stageOf);
  const slower = isShort(requestsLeft) ? SLOWER_BY : 1;
  const least = areRunnersMany ? PER_RUNNER_MS * slotsToLookAt(fleet).length : 0;
  return {
    runners: Math.max(runnersEvery(fleet, stages, now), least),
    jobs: rules.hold ? jobsEvery(fleet, rules, now) * slower : Number.POSITIVE_INFINITY,
    instances: instancesEvery(fleet, stages, now),
  };
}

/** True while few requests are left. */
export function isShort(requestsLeft: number | undefined): boolean {
  return requestsLeft !== undefined && requestsLeft < FEW_REQUESTS;
}

/** The runners that can be current: listeners run one after another on a machine. */
export function slotsToLookAt({ machines }: Fleet): Slot[] {
  return machines.filter(isAlive).flatMap((machine) => {
    const current = currentSlot(machine);
    const next = machine.slots.filter(({ spentAt }) => spentAt === undefined)[1];
    // One that is away may have ended without a job, and the next one is online.
    const isAway =
      current?.offlineSince !== undefined || current?.runner === "offline" || current?.job?.isOver === true;
    return [...(current ? [current] : []), ...(next !== undefined && isAway ? [next] : [])];
  });
}

/** The job that runs on a machine tells all that its runner could; one that is not listed, none. */
function runnersEvery(fleet: Fleet, stages: readonly string[], now: number): number {
  if (stages.includes("starting")) return STARTING_MS;
  if (stages.includes("booting")) return BOOT_MS;
  const isSilent = fleet.machines.flatMap(aliveInstances).some((instance) => instance.isSilent === true);
  // Whether one came back before its job ended tells who ended that job.
  const isAway = fleet.machines.filter(isAlive).some((machine) => currentSlot(machine)?.offlineSince !== undefined);
  if (isSilent || isAway) return HELD_MS;
  if (isListAwaited(fleet, now)) return WAITING_MS;
  if (!stages.includes("ready") && !fleet.machines.some(isUnlisted)) return Number.POSITIVE_INFINITY;
  return waitingJobs(fleet, now).length > 0 ? WAITING_MS : RUNNING_MS;
}

function jobsEvery(fleet: Fleet, rules: Rules, now: number): number {
  const isFreeThere = fleet.machines.some((machine) => isFree(machine, rules, now));
  const isBusyThere = fleet.machines.some(isBusy);
  const isFresh = Object.values(fleet.confirmations).some((since) => now - since < DOUBT_MS);
  const isFinding = ([key, since]: [string, number]) => isOfMachine(key) && now - since < FRESH_MS;
  if (Object.entries(fleet.confirmations).some(isFinding)) return FINDING_MS;
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
  const open = fleet.machines.filter(mayTurnUp);
  if (isNeeded || open.some(({ answer }) => now - (answer?.at ?? 0) < TURNS_UP_MS)) return HELD_MS;
  return open.some(isUncertain) ? RUNNING_MS : Number.POSITIVE_INFINITY;
}
