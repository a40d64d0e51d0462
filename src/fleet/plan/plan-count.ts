import { asksForMore, finishedMs, type GpuJob } from "../../github/gpu-jobs.ts";
import { expectedJobMs } from "../../market/expectation.ts";
import type { Fleet } from "../state/fleet.ts";
import type { Machine } from "../state/machine.ts";
import type { FleetOptions } from "../state/policy.ts";
import {
  awaitsListing,
  byFarness,
  currentUse,
  hasNextUse,
  isBusy,
  isCounted,
  isFree,
  isLate,
  isReady,
  wasReady,
} from "../state/stage.ts";
import { idleSince } from "./plan-machines.ts";

/** Spares are started for so many of the waiting jobs: a fifth of the hosts is broken. */
const SPARES = 1.4;

/**
 * Machines beyond the waiting jobs that are kept on their way: a machine that boots bills no GPU,
 * its bytes are mostly spent, and the last of many jobs waits for the slowest. On the bench's
 * market that takes a third off the last of 16, and costs nothing.
 */
const SURPLUS = 6;

/** How many machines are to be had. */
export interface Count {
  /** Free machines that jobs need, or that are kept for some that are expected. */
  wanted: number;
  /** How many are to be started now. */
  lacking: number;
  /** Free ones that nobody wants, the least far first. */
  unneeded: readonly Machine[];
}

interface Sizes {
  fleet: Fleet;
  policy: FleetOptions;
  now: number;
  /** Jobs that wait for a machine. */
  n: number;
  free: readonly Machine[];
  /** How many more `machines` allows, over those that are not free. */
  room: number;
}

/** DESIGN, "How many": what to start and to give up. An unreadable list changes nothing. */
export function countMachines(fleet: Fleet, policy: FleetOptions, now: number): Count {
  const free = fleet.machines.filter((machine) => isFree(machine, policy, now)).sort(byFarness);
  // A surplus machine, such as a stray create, takes no place of one that is wanted.
  const room = free.length + Math.max(0, policy.machines - fleet.machines.filter(isCounted).length);
  const sizes = { fleet, policy, now, free, room, n: waitingJobs(fleet, now).length };
  if (!policy.hold) return one(sizes);
  if (fleet.jobs === undefined || fleet.jobsFault !== undefined)
    return { wanted: free.length, lacking: 0, unneeded: [] };
  if (sizes.n === 0) return expected(sizes);
  return policy.hedge ? hedged(sizes) : plain(sizes);
}

/** The jobs that wait: not held back by GitHub, not asking for more, no busy runner of theirs. */
export function waitingJobs({ jobs, machines, heldBack }: Fleet, now: number): GpuJob[] {
  const waiting = (jobs?.ours ?? []).filter((job) => job.state === "waiting" && !asksForMore(job));
  const unlisted = machines.filter((machine) => awaitsListing(machine, now));
  return waiting.slice(0, Math.max(0, waiting.length - heldBack - unlisted.length));
}

/** `hold: false`: one machine, whatever jobs there are; a job may have come to it already. */
function one({ fleet, free }: Sizes): Count {
  const isThere = free.length > 0 || fleet.machines.some(isBusy);
  return { wanted: 1, lacking: isThere ? 0 : 1, unneeded: [] };
}

/** Whether there is room for them now or not: one that ends may still be in their place. */
function wantedFor({ fleet, policy, n }: Sizes): number {
  return Math.max(0, Math.min(n, policy.machines - fleet.machines.filter(isBusy).length));
}

function hedged(sizes: Sizes): Count {
  const { fleet, policy, now, n, free, room } = sizes;
  const late = free.filter((machine) => isLate(machine, now));
  const inTime = free.length - late.length + soonFree(fleet, policy, now);
  const target = Math.min(n === 1 ? 1 : Math.ceil(SPARES * n), room - late.length);
  const ready = free.filter(isReady);
  const kept = ready.length >= n ? n : Math.max(2 * n, n + SURPLUS, target + late.length);
  // More would be given up at once.
  const lacking = Math.max(0, Math.min(target - inTime, kept - free.length));
  return { wanted: wantedFor(sizes), lacking, unneeded: free.slice(kept).reverse() };
}

function plain(sizes: Sizes): Count {
  const { fleet, policy, now, n, free, room } = sizes;
  const wanted = wantedFor(sizes);
  const lacking = Math.max(0, Math.min(n, room) - free.length - soonFree(fleet, policy, now));
  return { wanted, lacking, unneeded: free.slice(wanted).reverse() };
}

/** Busy machines that are likely to be free for another job before a new one would be ready. */
function soonFree({ jobs, machines }: Fleet, policy: FleetOptions, now: number): number {
  const usualMs = expectedJobMs(finishedMs(jobs));
  return machines.filter((machine) => {
    const leftMs = usualMs - (now - begunAt(machine, jobs));
    return hasNextUse(machine, policy, now) && leftMs >= 0 && leftMs < machine.timing.expectedMs;
  }).length;
}

/** When its job began, as GitHub tells it; else when it could have. */
function begunAt(machine: Machine, jobs: Fleet["jobs"]): number {
  const id = currentUse(machine)?.job?.id;
  return jobs?.ours.find((job) => job.id === id)?.startedAt ?? idleSince(machine);
}

/** Jobs of ours that came so far, those on a busy runner included that the list lacks. */
function cameSoFar({ fleet: { jobs, machines }, now }: Sizes): number {
  const count = (...states: GpuJob["state"][]) => jobs?.ours.filter(({ state }) => states.includes(state)).length ?? 0;
  const unlisted = machines.filter((machine) => awaitsListing(machine, now)).length;
  return count("running", "over") + Math.max(count("waiting"), unlisted);
}

/** Nobody waits: ready machines are kept for expected jobs; one is rented at once if wanted. */
function expected(sizes: Sizes): Count {
  const { policy, now, free, room } = sizes;
  const came = cameSoFar(sizes);
  const isAtOnce = came === 0 && policy.waitForJobMs === 0;
  const mayCome = isAtOnce || (policy.jobs !== "auto" && came < policy.jobs && policy.attempt === 1);
  if (!mayCome) return { wanted: 0, lacking: 0, unneeded: [...free].reverse() };
  // Between two jobs it is starting again: that it was ready counts.
  const kept = free.filter((machine) => wasReady(machine) && now - idleSince(machine) < policy.idleMs);
  const wanted = isAtOnce ? 1 : kept.length;
  const keeps = new Set(isAtOnce ? free.slice(0, 1) : kept);
  return {
    wanted,
    lacking: Math.max(0, Math.min(wanted, room) - free.length),
    unneeded: free.filter((machine) => !keeps.has(machine)).reverse(),
  };
}
