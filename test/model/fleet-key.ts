import type { Machine } from "../../src/fleet/state/machine.ts";
import type { Fleet } from "../../src/fleet/state.ts";

/** How old something is, in seconds; from `oldest` on it is just old. */
type Age = (moment: number | undefined, oldest: number) => number | null;

/**
 * The loop's knowledge. Times are relative to now, up to the longest that the plan compares;
 * reports are for people, and an offer is its number.
 */
export function keyOfFleet(fleet: Readonly<Fleet>, now: number): string {
  const { machines, strays, market, jobs, besideReady, ...rest } = fleet;
  const age: Age = (moment, oldest) =>
    moment === undefined ? null : Math.min(oldest, Math.max(-oldest, Math.round((now - moment) / 1000)));
  return JSON.stringify([
    machines.map((machine) => keyOfMachine(machine, age)),
    strays.map(({ n, since, isUncertain }) => [n, isUncertain, age(since, 90)]),
    market && [market.candidates.length, age(market.searchedAt, 60), age(market.searchAgainAt, 120), market.times],
    jobs,
    [Math.min(60_000, besideReady.sumMs), age(besideReady.at, 60)],
    [
      rest.creates,
      rest.taken.map(({ id, at, times }) => [id, times, age(at, 300)]),
      rest.excluded,
      rest.failedSinceJob,
      rest.mostWanted,
      rest.heldBack,
    ],
    [rest.lost.map(({ id }) => id), rest.refusal?.by, age(rest.pause?.until, 120), rest.pause?.times],
    [age(rest.looks.jobs, 15), age(rest.looks.instances, 15), age(rest.instancesAt, 30), age(rest.runnersAt, 135)],
    [age(rest.jobsFault?.since, 600), rest.noOfferSince !== undefined, rest.unservedSince !== undefined],
    [age(rest.lastEndAt, 60), age(rest.aloneSince, 30), age(rest.heldSince, 60)],
    Object.entries(rest.doubts).map(([key, at]) => [key, age(at, 30)]),
  ]);
}

function keyOfMachine(machine: Machine, age: Age): unknown[] {
  const { n, instanceId, candidate, uses, verdict, isSilent, ending, cutBy, act } = machine;
  const { deadline, createdAt, absentSince, brokenSince, runningAt, readyAt, askAgainAt, goneAt } = machine;
  // A gone one is but a number in the story of what was tried; its job may have gone with it.
  const story = [n, candidate.offer.id, ending?.kind, ending?.blame, age(ending?.since, 60)];
  const jobs = uses.map(({ job }) => [job?.id, job?.isOver]);
  if (goneAt !== undefined) return [...story, jobs];
  return [
    ...story,
    [instanceId, verdict?.kind, isSilent, cutBy, act, ending?.isUnasked],
    jobs,
    uses.map((use) => [
      use.runnerId,
      use.runner,
      age(use.onlineAt, 60),
      age(use.offlineSince, 120),
      age(use.missingSince, 15),
      age(use.spentAt, 60),
    ]),
    [age(deadline, 90), age(createdAt, 75), age(absentSince, 60), age(brokenSince, 60), age(runningAt, 135)],
    [age(readyAt, 60), age(askAgainAt, 15)],
  ];
}
