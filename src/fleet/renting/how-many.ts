import { finishedMs, type GpuJob } from "../../github/jobs.ts";
import { expectedJobMs } from "../../offers/expectation.ts";
import type { Facts } from "../facts.ts";
import { waitingJobs } from "../jobs.ts";
import {
  byFarness,
  currentSlot,
  hadJob,
  hasNextSlot,
  idleSince,
  isBusy,
  isCounted,
  isFree,
  isLate,
  isReady,
  isUnlisted,
  type Machine,
  wasMade,
  wasReady,
} from "../stage.ts";
import type { Fleet } from "../state.ts";
import { isLeftAlone } from "./failures.ts";
import { packed } from "./packing.ts";

/**
 * How many machines are started for each waiting job, where several wait. A fifth of the hosts is
 * broken and a fifth of the others is late, so six of ten are there in time. The last job waits for
 * the slowest machine that it needs.
 */
const SPARES = 1.7;

/**
 * How many more machines than waiting jobs are kept while they boot. A machine that boots bills no
 * GPU, its traffic is mostly spent, and the last of many jobs waits for the slowest. On the bench's
 * market the last of 16 jobs waits a third less by this, at no cost.
 */
const SURPLUS = 6;

/** How many machines there should be. */
export interface Count {
  /** Free machines that jobs need, or that are kept for expected jobs. */
  wanted: number;
  /** How many machines to start now. */
  lacking: number;
  /** True if a job has waited in vain for a machine that failed or is late. Then quick hosts come before cheap ones. */
  isUrgent: boolean;
  /** Free machines that no job needs, the least far first. */
  unneeded: readonly Machine[];
}

type Bare = Omit<Count, "isUrgent">;

interface Sizes extends Facts {
  /** Machines that the waiting jobs are to have: one each, or fewer that run several. */
  n: number;
  free: readonly Machine[];
  /** Busy machines that will probably be free for another job before a new machine would be ready. */
  soon: readonly Machine[];
  /** How many free machines there may be in all, by the input `machines`. */
  room: number;
}

/** Counts the machines to start and to drain, by docs/internals/holding.md. An unreadable jobs list changes nothing. */
export function countMachines(facts: Facts): Count {
  const sizes = sizesOf(facts);
  const count = countOf(sizes);
  const isSpare = sizes.free.length + sizes.soon.length >= count.wanted;
  return { ...count, isUrgent: isSpare || hasFailedSince(facts.fleet) };
}

function sizesOf(facts: Facts): Sizes {
  const { fleet, now, rules } = facts;
  const free = fleet.machines.filter((machine) => isFree(machine, rules, now)).sort(byFarness);
  // A surplus machine, such as one that turned up late, does not take the place of a wanted one.
  const room = free.length + Math.max(0, rules.machines - fleet.machines.filter(isCounted).length);
  const soon = soonFree(facts);
  const waiting = waitingJobs(fleet, now).length;
  const n = packed(facts, [...free, ...soon], { most: room + soon.length, n: waiting });
  return { ...facts, free, soon, room, n };
}

function countOf(sizes: Sizes): Bare {
  const { fleet, free, rules } = sizes;
  if (!rules.hold) return one(sizes);
  if (fleet.jobs === undefined || fleet.jobsFault !== undefined)
    return { wanted: free.length, lacking: 0, unneeded: [] };
  if (sizes.n === 0) return expected(sizes);
  // What is rented beside jobs that run, to see, has no spare.
  return rules.hedge && fleet.beside === undefined ? hedged(sizes) : plain(sizes);
}

/** Counts for `hold: false`: one machine, whatever jobs there are. A job may have come to it already, and be over. */
function one({ fleet, free }: Sizes): Bare {
  const isThere = free.length > 0 || fleet.machines.some((machine) => isBusy(machine) || hadJob(machine));
  return { wanted: 1, lacking: isThere ? 0 : 1, unneeded: [] };
}

/**
 * Returns how many machines the jobs want. Machines that are ending are not subtracted, though they
 * still take places.
 */
function wantedFor({ fleet, n, rules }: Sizes): number {
  return Math.max(0, Math.min(n, rules.machines - fleet.machines.filter(isBusy).length));
}

function hedged(sizes: Sizes): Bare {
  const { fleet, free, n, now, room, soon } = sizes;
  const late = free.filter((machine) => isLate(machine, now) || isFirstUnproven(machine, sizes));
  const inTime = free.length - late.length + soon.length;
  const isLast = fleet.machines.some(isBusy) && (late.length > 0 || hasFailedSince(fleet));
  const most = n === 1 && !isLast ? 1 : Math.ceil(SPARES * n);
  // Busy machines that are soon free count as in time, and take no room.
  const target = Math.min(most, room + soon.length - late.length);
  const ready = free.filter(isReady);
  const kept = ready.length >= n ? n : Math.max(2 * n, n + SURPLUS, target + late.length);
  // More than these would be drained at once.
  const lacking = Math.max(0, Math.min(target - inTime, kept - free.length));
  return { wanted: wantedFor(sizes), lacking, unneeded: free.slice(kept).reverse() };
}

/**
 * True for the first unproven host that is rented for a single job, where a history tells hosts
 * apart. It counts as late at once, so that one more machine is started and the quicker one gets the
 * job.
 */
function isFirstUnproven(machine: Machine, { fleet: { lastEndAt, machines }, n }: Sizes): boolean {
  const { expected } = machine.candidate;
  const isStranger = expected?.standing === "unproven" && !expected.hasImage;
  if (!isStranger || n > 1 || wasReady(machine)) return false;
  return machines.find((each) => wasMade(each) && each.askedAt >= lastEndAt) === machine;
}

function hasFailedSince({ lastEndAt, machines }: Fleet): boolean {
  return machines.some((machine) => isLeftAlone(machine) && (machine.ending?.decidedAt ?? 0) >= lastEndAt);
}

function plain(sizes: Sizes): Bare {
  const { free, n, room, soon } = sizes;
  const wanted = wantedFor(sizes);
  const lacking = Math.max(0, Math.min(n, room + soon.length) - free.length - soon.length);
  return { wanted, lacking, unneeded: free.slice(wanted).reverse() };
}

function soonFree({ fleet: { jobs, machines }, now, rules }: Facts): Machine[] {
  const usualMs = expectedJobMs(finishedMs(jobs), rules.rental.jobMs);
  return machines.filter((machine) => {
    if (!hasNextSlot(machine, rules, now)) return false;
    const begunAt = currentSlot(machine)?.job?.startedAt ?? idleSince(machine);
    const leftMs = usualMs - (now - begunAt);
    return leftMs >= 0 && leftMs < machine.timing.expectedMs;
  });
}

/** Counts our jobs that came so far, with those on busy runners that the list lacks. */
function cameSoFar({ fleet: { jobs, machines } }: Sizes): number {
  const count = (...states: GpuJob["state"][]) => jobs?.ours.filter(({ state }) => states.includes(state)).length ?? 0;
  const unlisted = machines.filter((machine) => isUnlisted(machine)).length;
  return count("running", "over") + Math.max(count("waiting"), unlisted);
}

/** Counts where no job waits: ready machines are kept for expected jobs, and `wait-for-job: 0s` rents one at once. */
function expected(sizes: Sizes): Bare {
  const { free, now, room, rules } = sizes;
  const came = cameSoFar(sizes);
  const isAtOnce = came === 0 && rules.waitForJob === 0;
  const mayCome = isAtOnce || (rules.jobs !== "auto" && came < rules.jobs && rules.attempt === 1);
  if (!mayCome) return { wanted: 0, lacking: 0, unneeded: [...free].reverse() };
  // A machine that starts its next runner was ready before.
  const kept = free.filter((machine) => wasReady(machine) && now - idleSince(machine) < rules.idleTimeout);
  const wanted = isAtOnce ? 1 : kept.length;
  const keeps = new Set(isAtOnce ? free.slice(0, 1) : kept);
  return {
    wanted,
    lacking: Math.max(0, Math.min(wanted, room) - free.length),
    unneeded: free.filter((machine) => !keeps.has(machine)).reverse(),
  };
}
