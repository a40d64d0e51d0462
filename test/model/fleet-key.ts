import type { Fleet, Machine } from "../../src/fleet/fleet.ts";

/** The longest that the plan compares a moment with, in milliseconds: GitHub may be away for ten minutes. What is older is just old. */
const OLDEST_MS = 615_000;

/** What the loop goes on with. Times count relative to now; reports are for people, and an offer is its number. */
export function keyOfFleet(fleet: Readonly<Fleet>, now: number): string {
  const { machines, strays, market, jobs, besideReady, ...rest } = fleet;
  const ago = (moment: number | undefined) => (moment === undefined ? null : Math.max(-OLDEST_MS, moment - now));
  return JSON.stringify([
    machines.map((machine) => keyOfMachine(machine, ago)),
    strays.map(({ n, since }) => [n, ago(since)]),
    market && [market.candidates.length, ago(market.searchedAt), ago(market.searchAgainAt), market.times],
    jobs,
    [besideReady.sumMs, ago(besideReady.at)],
    [rest.creates, rest.taken, rest.excluded, rest.failedSinceJob, rest.mostWanted, rest.heldBack, rest.lost],
    [rest.refusal?.by, rest.pause && [ago(rest.pause.until), rest.pause.times]],
    [rest.looks.jobs, rest.looks.instances, rest.instancesAt, rest.runnersAt].map(ago),
    [rest.jobsFault?.since, rest.noOfferSince, rest.unservedSince, rest.lastEndAt, rest.aloneSince, rest.heldSince].map(
      ago,
    ),
    Object.entries(rest.doubts).map(([key, at]) => [key, ago(at)]),
  ]);
}

function keyOfMachine(machine: Machine, ago: (moment: number | undefined) => number | null): unknown[] {
  const { n, instanceId, candidate, uses, verdict, isSilent, ending, cutBy } = machine;
  const { deadline, createdAt, absentSince, brokenSince, runningAt, readyAt, askAgainAt, goneAt } = machine;
  // One that is gone is but a number in the story of what was tried.
  if (goneAt !== undefined) return [n, candidate.offer.id, ending?.kind, ending?.blame, ago(ending?.since)];
  return [
    [n, instanceId, candidate.offer.id, verdict?.kind, isSilent, cutBy],
    [ending?.kind, ending?.isUnasked, ending?.blame, ago(ending?.since)],
    uses.map(({ runnerId, runner, job, ...at }) => [
      [runnerId, runner, job?.id, job?.isOver],
      [at.onlineAt, at.offlineSince, at.spentAt].map(ago),
    ]),
    [deadline, createdAt, absentSince, brokenSince, runningAt, readyAt, askAgainAt].map(ago),
  ];
}
