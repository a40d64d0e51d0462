import { finishedMs } from "../../github/jobs.ts";
import { expectedJobMs } from "../../offers/expectation.ts";
import type { Candidate } from "../../offers/ranking.ts";
import { TUNING } from "../../timing/tuning.ts";
import type { Facts } from "../facts.ts";
import type { Rules } from "../options.ts";
import { type Machine, machineFacts, ownEnd, useOf } from "../stage.ts";
import { timingOf } from "./terms.ts";

/** A machine that can take jobs: from when, in milliseconds from now, and how many. */
interface Place {
  fromMs: number;
  jobs: number;
}

/**
 * Returns how many machines n jobs want: the fewest by which the last job is expected to end no
 * later than with one machine each. `there`: machines that can take a job now or soon. `most`: all
 * that there may be.
 */
export function packed(facts: Facts, there: readonly Machine[], { most, n }: { most: number; n: number }): number {
  if (facts.rules.jobsPerMachine === 1) return n;
  const jobMs = expectedJobMs(finishedMs(facts.fleet.jobs), facts.rules.rental.jobMs);
  const places = there.map((machine) => placeOf(machine, facts, jobMs));
  const all = [...places, ...newPlaces(facts, most - there.length, jobMs)].toSorted((a, b) => a.fromMs - b.fromMs);
  const endWith = (count: number) => lastEnd(all.slice(0, count), jobMs, n);
  const soonest = endWith(Math.min(n, most));
  // Jobs without a place want a machine of their own.
  if (soonest === Number.POSITIVE_INFINITY) return n;
  return all.findIndex((_place, index) => endWith(index + 1) <= soonest) + 1;
}

/** Returns when the last of n jobs ends, if each begins as soon as a place is free. */
function lastEnd(places: readonly Place[], jobMs: number, n: number): number {
  const ends = places.flatMap(({ fromMs, jobs }) =>
    Array.from({ length: jobs }, (_one, index) => fromMs + (index + 1) * jobMs),
  );
  return ends.toSorted((a, b) => a - b)[n - 1] ?? Number.POSITIVE_INFINITY;
}

function placeOf(machine: Machine, { now, rules }: Facts, jobMs: number): Place {
  const open = machine.slots.filter(({ spentAt }) => spentAt === undefined).length;
  const isTaken = useOf(machine, rules, now).hasNext;
  const slots = machine.slots.length === 0 ? rules.jobsPerMachine : open - (isTaken ? 1 : 0);
  const fromMs = fromNow(machine, now, jobMs, isTaken);
  return { fromMs, jobs: jobsWithin(ownEnd(machine).from - now - fromMs, slots, jobMs, rules) };
}

/** Returns when the machine can take a job. One that is late is as far as a new one. */
function fromNow(machine: Machine, now: number, jobMs: number, isTaken: boolean): number {
  const { idleSince, isReady, slot } = machineFacts(machine);
  if (isReady) return 0;
  const begunAt = slot?.job?.startedAt ?? idleSince;
  if (isTaken) return Math.max(0, begunAt + jobMs - now);
  const { expectedMs } = machine.timing;
  const leftMs = machine.askedAt + expectedMs - now;
  return leftMs > 0 ? leftMs : expectedMs;
}

/** Returns how many jobs a machine can end in the time that it has left. None begins with less than half of max-lifetime left. */
function jobsWithin(leftMs: number, slots: number, jobMs: number, { maxLifetime }: Pick<Rules, "maxLifetime">): number {
  const begun = 1 + Math.floor((leftMs - maxLifetime / 2) / jobMs);
  return Math.max(1, Math.min(slots, begun, Math.floor(leftMs / jobMs)));
}

/**
 * Returns the places that new machines would be, by the offers in their order. Beyond these, each
 * is like the last.
 */
function newPlaces({ fleet, rules }: Facts, count: number, jobMs: number): Place[] {
  const alive = fleet.machines
    .filter((machine) => machineFacts(machine).isAlive)
    .map(({ candidate: { offer } }) => offer.id);
  const left = (fleet.market?.candidates ?? []).filter(({ offer }) => !alive.includes(offer.id)) as Candidate[];
  const boots = left.map((candidate) => timingOf(rules.rental, candidate).expectedMs);
  const jobs = jobsWithin(rules.maxLifetime, rules.jobsPerMachine, jobMs, rules);
  return Array.from({ length: Math.max(0, count) }, (_one, index) => ({
    fromMs: boots[index] ?? boots.at(-1) ?? TUNING.boot.unknownMs,
    jobs,
  }));
}
