import { isMachineKey } from "./facts.ts";
import { awaitsLastRunner, isHurried, type Quota } from "./hurry.ts";
import { waitingJobs } from "./jobs.ts";
import { isConfirmed, LATE } from "./lifecycle/late.ts";
import type { Rules } from "./options.ts";
import {
  aliveInstances,
  currentSlot,
  isAlive,
  isBusy,
  isFree,
  isInFlight,
  isStuck,
  isUncertain,
  isUnlisted,
  mayTurnUp,
  nextSlot,
  type Slot,
  stageOf,
} from "./stage.ts";
import type { Fleet } from "./state.ts";

/** How often each list is read, in milliseconds. Infinite: not at all. */
export interface Pace {
  runners: number;
  jobs: number;
  instances: number;
}

/** The service advises one look every 10 seconds, counted from arrival to arrival. */
const BOOT_MS = 10_500;
/** How long main takes at most to see a runner online. An unchanged list costs nothing: GitHub answers 304. */
const STARTING_MS = 2500;
/** The same for the end of the last job. */
const LAST_MS = 2 * STARTING_MS;
/** GitHub's secondary limit is about 900 requests a minute, for everything that uses the token. */
const PER_RUNNER_MS = 400;
/**
 * A running job changes its list at every step, so each answer is counted. A little over a minute
 * keeps each hour at 60, with the looks out of turn.
 */
const RUNNING_MS = 62_000;
/** A finding about a machine waits for a jobs list of some time after it, while it is fresh. */
const FINDING_MS = LATE.lookAgain / 2;
const FRESH_MS = 2 * LATE.lookAgain;
/** All workflows of the repository share the token's requests. Below this many, the lists are read less often. */
const FEW_REQUESTS = 100;
const SLOWER_BY = 4;

/** Says how often to read each list now. */
export function paceOf(fleet: Fleet, rules: Rules, now: number, quota: Quota): Pace {
  const { requestsLeft, runnersAskedAlone } = quota;
  const stages = fleet.machines.filter(isAlive).map(stageOf);
  const slower = isShort(requestsLeft) ? SLOWER_BY : 1;
  return {
    runners: Math.max(runnersEvery(fleet, rules, stages, now), PER_RUNNER_MS * runnersAskedAlone),
    jobs: (rules.hold ? jobsEvery(fleet, rules, now, quota) : jobsWithoutHold(fleet, now)) * slower,
    instances: instancesEvery(fleet, stages, now),
  };
}

/** True if few requests are left. */
export function isShort(requestsLeft: number | undefined): boolean {
  return requestsLeft !== undefined && requestsLeft < FEW_REQUESTS;
}

/** Returns the slots whose runners can be current. A machine starts its listeners one after another. */
export function slotsToLookAt({ machines }: Fleet): Slot[] {
  return machines.filter(isAlive).flatMap((machine) => {
    const current = currentSlot(machine);
    const next = nextSlot(machine);
    // A listener that is away may have ended without a job, so the next one may be online.
    const isAway =
      current?.offlineSince !== undefined || current?.runner === "offline" || current?.job?.isOver === true;
    return [...(current ? [current] : []), ...(next !== undefined && isAway ? [next] : [])];
  });
}

/** Says how often to list the runners. A busy machine's runner says no more than its job, if a list has that: but sooner. */
function runnersEvery(fleet: Fleet, rules: Rules, stages: readonly string[], now: number): number {
  if (stages.includes("starting")) return STARTING_MS;
  if (stages.includes("booting") || stages.includes("asked")) return BOOT_MS;
  const isSilent = fleet.machines.flatMap(aliveInstances).some((instance) => instance.isSilent === true);
  // Whether the runner came back first shows who ended the job.
  const isAway = fleet.machines.filter(isAlive).some((machine) => currentSlot(machine)?.offlineSince !== undefined);
  if (awaitsLastRunner(fleet, rules, now)) return LAST_MS;
  if (isSilent || isAway || isListAwaited(fleet)) return LATE.lookAgain;
  if (!stages.includes("ready") && !fleet.machines.some((each) => isUnlisted(each) || isStuck(each)))
    return Number.POSITIVE_INFINITY;
  return waitingJobs(fleet, now).length > 0 ? LATE.lookAgain : RUNNING_MS;
}

function jobsEvery(fleet: Fleet, rules: Rules, now: number, quota: Quota): number {
  if (isHurried(fleet, rules, now, quota)) return LATE.wellOver;
  const isFreeThere = fleet.machines.some((machine) => isFree(machine, rules, now));
  const isBusyThere = fleet.machines.some((machine) => isBusy(machine) || isStuck(machine));
  // An older finding waits for the service's list, not for GitHub's.
  const isFresh = Object.values(fleet.findings).some((since) => now - since < LATE.listed);
  const isFinding = ([key, since]: [string, number]) => isMachineKey(key) && now - since < FRESH_MS;
  if (Object.entries(fleet.findings).some(isFinding)) return FINDING_MS;
  const isUnconfirmed = isFresh || isListAwaited(fleet);
  const isAsked = waitingJobs(fleet, now).length > 0 && isFreeThere;
  return isUnconfirmed || isAsked || (!isBusyThere && !isFreeThere) ? LATE.lookAgain : RUNNING_MS;
}

/** With `hold: false` the jobs are read only where a machine went: a short job may have come to it unseen. */
function jobsWithoutHold({ findings, jobsAt = 0 }: Fleet, now: number): number {
  const isOpen = (since: number) => !isConfirmed(since, jobsAt) && now - since < LATE.listed;
  const isAsked = Object.entries(findings).some(([key, since]) => isMachineKey(key) && isOpen(since));
  return isAsked ? FINDING_MS : Number.POSITIVE_INFINITY;
}

function isListAwaited({ machines }: Fleet): boolean {
  return machines.some((machine) => isUnlisted(machine));
}

function instancesEvery(fleet: Fleet, stages: readonly string[], now: number): number {
  // One list decides what became of a refused create.
  if (fleet.machines.some((machine) => machine.answer?.kind === "refused" && isInFlight(machine))) return STARTING_MS;
  if (stages.some((stage) => stage === "asked" || stage === "booting" || stage === "starting")) return BOOT_MS;
  const isNeeded = stages.length > 0 || fleet.unservedSince !== undefined;
  const open = fleet.machines.filter(mayTurnUp);
  if (isNeeded || open.some(({ answer }) => now - (answer?.at ?? 0) < LATE.list)) return LATE.lookAgain;
  return open.some(isUncertain) ? RUNNING_MS : Number.POSITIVE_INFINITY;
}
