import type { KnownError } from "../../known-error.ts";
import type { Fleet, MarketSeen, Refusal } from "../state/fleet.ts";
import type { Machine } from "../state/machine.ts";
import type { Policy } from "../state/policy.ts";
import { isAlive } from "../state/stage.ts";

/** Why no machine is rented any more. Judged anew at each look: what has passed stops nothing. */
export type Stop =
  | {
      kind: "no-offer";
      market: NonNullable<MarketSeen["nothing"]> | undefined;
      taken: number;
      failures: readonly Failure[];
    }
  | { kind: "max-cost"; failures: readonly Failure[] }
  | { kind: "refused"; refusal: Refusal }
  | { kind: "undestroyed"; fault: KnownError }
  | { kind: "attempts"; failures: readonly Failure[] }
  | { kind: "image"; failures: readonly Failure[] }
  | { kind: "preparing"; failures: readonly Failure[] }
  | { kind: "ready-timeout"; failures: readonly Failure[] };

/** A machine that failed, in words for people. */
export interface Failure {
  n: number;
  machine: Machine;
  why: string;
}

/** Machines that fail on one image, or end while they prepare, until that is taken as the cause. */
const SAME_FAULT = 2;

/** DESIGN, "Renting stops": the first reason that holds. */
export function stopOf(fleet: Fleet, policy: Policy, now: number): Stop | undefined {
  const failures = failuresOf(fleet);
  return (
    refused(fleet) ??
    failed(fleet, policy, failures) ??
    nothingFits(fleet, policy, failures, now) ??
    tooLate(fleet, policy, failures, now)
  );
}

function refused({ machines, refusal }: Fleet): Stop | undefined {
  // Nothing more is rented while it is not sure that what was rented can be ended.
  const fault = machines.find((machine) => isAlive(machine) && machine.fault !== undefined)?.fault;
  if (fault !== undefined) return { kind: "undestroyed", fault };
  return refusal === undefined ? undefined : { kind: "refused", refusal };
}

function failed({ mostWanted }: Fleet, policy: Policy, failures: readonly Failure[]): Stop | undefined {
  if (blamed(failures, "image") >= SAME_FAULT) return { kind: "image", failures };
  if (policy.hasProbe && blamed(failures, "preparing") >= SAME_FAULT) return { kind: "preparing", failures };
  if (failures.length >= policy.attempts * Math.max(1, mostWanted)) return { kind: "attempts", failures };
  return undefined;
}

function nothingFits(
  { machines, market, noOfferSince, taken }: Fleet,
  { searchMs }: Policy,
  failures: readonly Failure[],
  now: number,
): Stop | undefined {
  if (noOfferSince === undefined) return undefined;
  if (market?.nothing?.input === "max-cost") {
    // A machine that went since has given back what was set aside for it.
    const isOutdated = machines.some(({ goneAt = 0 }) => goneAt > market.searchedAt);
    return isOutdated ? undefined : { kind: "max-cost", failures };
  }
  if (now - noOfferSince < searchMs) return undefined;
  return { kind: "no-offer", market: market?.nothing, taken: taken.length, failures };
}

function tooLate(
  { unservedSince }: Fleet,
  { readyMs }: Policy,
  failures: readonly Failure[],
  now: number,
): Stop | undefined {
  const isLate = unservedSince !== undefined && now - unservedSince >= readyMs;
  return isLate ? { kind: "ready-timeout", failures } : undefined;
}

/** Machines that failed, were lost or ended without a job, since a job last began. */
function failuresOf({ machines, failedSinceJob }: Fleet): Failure[] {
  return machines
    .filter(({ n }) => failedSinceJob.includes(n))
    .map((machine) => ({ n: machine.n, machine, why: machine.ending?.why ?? "" }));
}

function blamed(failures: readonly Failure[], blame: "image" | "preparing"): number {
  return new Set(
    failures
      .filter(({ machine }) => machine.ending?.blame === blame)
      .map(({ machine }) => machine.candidate.offer.machine_id ?? -machine.candidate.offer.id),
  ).size;
}
