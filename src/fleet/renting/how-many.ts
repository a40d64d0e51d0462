import { finishedMs, type GpuJob } from "../../github/jobs.ts";
import { expectedJobMs } from "../../offers/expectation.ts";
import type { Facts } from "../facts.ts";
import { waitingJobs } from "../jobs.ts";
import { byFarness, type Machine, machineFacts, useOf } from "../stage.ts";
import { followsOf } from "./failures.ts";
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

type Sizes = ReturnType<typeof sizesOf>;

/** Counts the machines to start and to drain, by docs/internals/holding.md. An unreadable jobs list changes nothing. */
export function countMachines(facts: Facts): Count {
  const sizes = sizesOf(facts);
  const count = countOf(sizes);
  const isSpare = sizes.free.length + sizes.soon.length >= count.wanted;
  return { ...count, isUrgent: isSpare || sizes.hasFailed };
}

function sizesOf(facts: Facts) {
  const { fleet, now, rules } = facts;
  const free = fleet.machines.filter((machine) => useOf(machine, rules, now).isFree).sort(byFarness);
  const all = fleet.machines.map(machineFacts);
  // How many free ones there may be in all, by the input `machines`.
  // A surplus machine, such as one that turned up late, does not take the place of a wanted one.
  const room = free.length + Math.max(0, rules.machines - all.filter(({ isCounted }) => isCounted).length);
  const soon = soonFree(facts);
  const waiting = waitingJobs(fleet, now).length;
  // The waiting jobs are to have so many: one each, or fewer that run several.
  const n = packed(facts, [...free, ...soon], { most: room + soon.length, n: waiting });
  const busy = all.filter(({ isBusy }) => isBusy).length;
  const failed = fleet.machines.filter((machine) => followsOf(machine).pause);
  // Since a job last ended.
  const hasFailed = failed.some(({ ending }) => (ending?.decidedAt ?? 0) >= fleet.lastEndAt);
  return { ...facts, free, soon, room, n, busy, hasFailed };
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
function one({ busy, fleet, free }: Sizes): Bare {
  const isThere = free.length + busy > 0 || fleet.machines.some((machine) => machineFacts(machine).hadJob);
  return { wanted: 1, lacking: isThere ? 0 : 1, unneeded: [] };
}

/**
 * Returns how many machines the jobs want. Machines that are ending are not subtracted, though they
 * still take places.
 */
function wantedFor({ busy, n, rules }: Sizes): number {
  return Math.max(0, Math.min(n, rules.machines - busy));
}

function hedged(sizes: Sizes): Bare {
  const { busy, free, hasFailed, n, now, room, rules, soon } = sizes;
  const stranger = firstUnproven(sizes);
  const late = free.filter((machine) => useOf(machine, rules, now).isLate || machine === stranger);
  const inTime = free.length - late.length + soon.length;
  const isLast = busy > 0 && (late.length > 0 || hasFailed);
  const most = n === 1 && !isLast ? 1 : Math.ceil(SPARES * n);
  // Busy machines that are soon free count as in time, and take no room.
  const target = Math.min(most, room + soon.length - late.length);
  const ready = free.filter((machine) => machineFacts(machine).isReady);
  const kept = ready.length >= n ? n : Math.max(2 * n, n + SURPLUS, target + late.length);
  // More than these would be drained at once.
  const lacking = Math.max(0, Math.min(target - inTime, kept - free.length));
  return { wanted: wantedFor(sizes), lacking, unneeded: free.slice(kept).reverse() };
}

/**
 * Returns the first machine that is rented for a single job, if its host is unproven, where a history tells hosts
 * apart. It counts as late at once, so that one more machine is started and the quicker one gets the job.
 */
function firstUnproven({ fleet: { lastEndAt, machines }, n }: Sizes): Machine | undefined {
  const first = machines.find((machine) => machineFacts(machine).isMade && machine.askedAt >= lastEndAt);
  const { hasImage, standing } = first?.candidate.expected ?? {};
  return first && n === 1 && standing === "unproven" && !hasImage && !machineFacts(first).wasReady ? first : undefined;
}

function plain(sizes: Sizes): Bare {
  const { free, n, room, soon } = sizes;
  const wanted = wantedFor(sizes);
  const lacking = Math.max(0, Math.min(n, room + soon.length) - free.length - soon.length);
  return { wanted, lacking, unneeded: free.slice(wanted).reverse() };
}

/** Returns the busy machines that will probably be free for another job before a new machine would be ready. */
function soonFree({ fleet: { jobs, machines }, now, rules }: Facts): Machine[] {
  const usualMs = expectedJobMs(finishedMs(jobs), rules.rental.jobMs);
  return machines.filter((machine) => {
    if (!useOf(machine, rules, now).hasNext) return false;
    const its = machineFacts(machine);
    const leftMs = usualMs - (now - (its.slot?.job?.startedAt ?? its.idleSince));
    return leftMs >= 0 && leftMs < machine.timing.expectedMs;
  });
}

/** Counts our jobs that came so far, with those on busy runners that the list lacks. */
function cameSoFar({ fleet: { jobs, machines } }: Sizes): number {
  const count = (...states: GpuJob["state"][]) => jobs?.ours.filter(({ state }) => states.includes(state)).length ?? 0;
  const unlisted = machines.filter((machine) => machineFacts(machine).isUnlisted).length;
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
  const kept = free.filter((machine) => {
    const { idleSince, wasReady } = machineFacts(machine);
    return wasReady && now - idleSince < rules.idleTimeout;
  });
  const wanted = isAtOnce ? 1 : kept.length;
  const keeps = new Set(isAtOnce ? free.slice(0, 1) : kept);
  return {
    wanted,
    lacking: Math.max(0, Math.min(wanted, room) - free.length),
    unneeded: free.filter((machine) => !keeps.has(machine)).reverse(),
  };
}
