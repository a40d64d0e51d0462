import { isMachineKey } from "./facts.ts";
import { awaitsLastRunner, isHurried, type Quota } from "./hurry.ts";
import { waitingJobs } from "./jobs.ts";
import { lookOf } from "./lifecycle/evidence.ts";
import { isConfirmed, LATE } from "./lifecycle/late.ts";
import type { Rules } from "./options.ts";
import { type MachineFacts, machineFacts, type Slot, useOf } from "./stage.ts";
import type { Fleet } from "./state.ts";

/** How often each list is read, in milliseconds. Infinite: not at all. */
export type Pace = Record<"instances" | "jobs" | "runners", number>;

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
  const alive = fleet.machines.map(machineFacts).filter(({ isAlive }) => isAlive);
  const slower = isShort(requestsLeft) ? SLOWER_BY : 1;
  return {
    runners: Math.max(runnersEvery(fleet, rules, alive, now), PER_RUNNER_MS * runnersAskedAlone),
    jobs: (rules.hold ? jobsEvery(fleet, rules, alive, { now, quota }) : jobsWithoutHold(fleet, now)) * slower,
    instances: instancesEvery(fleet, alive, now),
  };
}

/** True if few requests are left. */
export function isShort(requestsLeft: number | undefined): boolean {
  return requestsLeft !== undefined && requestsLeft < FEW_REQUESTS;
}

/** Returns the slots whose runners can be current. A machine starts its listeners one after another. */
export function slotsToLookAt({ machines }: Fleet): Slot[] {
  return machines.map(machineFacts).flatMap(({ isAlive, next, slot }) => {
    if (!isAlive || slot === undefined) return [];
    // A listener that is away may have ended without a job, so the next one may be online.
    const isAway = slot.offlineSince !== undefined || slot.runner === "offline" || slot.job?.isOver === true;
    return next !== undefined && isAway ? [slot, next] : [slot];
  });
}

/** Says how often to list the runners. A busy machine's runner says no more than its job, if a list has that: but sooner. */
function runnersEvery(fleet: Fleet, rules: Rules, alive: readonly MachineFacts[], now: number): number {
  const stages = alive.map(({ stage }) => stage);
  if (stages.includes("starting")) return STARTING_MS;
  if (stages.includes("booting") || stages.includes("asked")) return BOOT_MS;
  if (awaitsLastRunner(fleet, rules, now)) return LAST_MS;
  const isSilent = alive.flatMap((machine) => machine.alive).some((instance) => instance.isSilent === true);
  // Whether the runner came back first shows who ended the job.
  const isAway = alive.some(({ slot }) => slot?.offlineSince !== undefined);
  if (isSilent || isAway || alive.some(({ isUnlisted }) => isUnlisted)) return LATE.lookAgain;
  if (!stages.includes("ready") && !alive.some(({ isStuck }) => isStuck)) return Number.POSITIVE_INFINITY;
  return waitingJobs(fleet, now).length > 0 ? LATE.lookAgain : RUNNING_MS;
}

function jobsEvery(
  fleet: Fleet,
  rules: Rules,
  alive: readonly MachineFacts[],
  { now, quota }: { now: number; quota: Quota },
): number {
  if (isHurried(fleet, rules, now, quota)) return LATE.wellOver;
  const isFreeThere = fleet.machines.some((machine) => useOf(machine, rules, now).isFree);
  const isBusyThere = alive.some(({ isBusy, isStuck }) => isBusy || isStuck);
  // An older finding waits for the service's list, not for GitHub's.
  const isFresh = Object.values(fleet.findings).some((since) => now - since < LATE.listed);
  const isFinding = ([key, since]: [string, number]) => isMachineKey(key) && now - since < FRESH_MS;
  if (Object.entries(fleet.findings).some(isFinding)) return FINDING_MS;
  const isUnconfirmed = isFresh || alive.some(({ isUnlisted }) => isUnlisted);
  const isAsked = waitingJobs(fleet, now).length > 0 && isFreeThere;
  return isUnconfirmed || isAsked || (!isBusyThere && !isFreeThere) ? LATE.lookAgain : RUNNING_MS;
}

/** With `hold: false` the jobs are read only where a machine went: a short job may have come to it unseen. */
function jobsWithoutHold(fleet: Fleet, now: number): number {
  const { jobs } = lookOf(fleet, now, true);
  const isOpen = (since: number) => !isConfirmed(since, jobs) && now - since < LATE.listed;
  const isAsked = Object.entries(fleet.findings).some(([key, since]) => isMachineKey(key) && isOpen(since));
  return isAsked ? FINDING_MS : Number.POSITIVE_INFINITY;
}

function instancesEvery(fleet: Fleet, alive: readonly MachineFacts[], now: number): number {
  const all = fleet.machines.map(machineFacts);
  // One list decides what became of a refused create.
  if (all.some(({ isInFlight, machine }) => machine.answer?.kind === "refused" && isInFlight)) return STARTING_MS;
  if (alive.some(({ stage }) => stage === "asked" || stage === "booting" || stage === "starting")) return BOOT_MS;
  const isNeeded = alive.length > 0 || fleet.unservedSince !== undefined;
  const open = all.filter(({ mayTurnUp }) => mayTurnUp);
  if (isNeeded || open.some(({ machine }) => now - (machine.answer?.at ?? 0) < LATE.list)) return LATE.lookAgain;
  return open.some(({ isUncertain }) => isUncertain) ? RUNNING_MS : Number.POSITIVE_INFINITY;
}
