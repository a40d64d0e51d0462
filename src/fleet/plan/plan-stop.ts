import { NoOfferError } from "../../market/errors.ts";
import type { UserError } from "../../shared/user-error.ts";
import type { Fleet, Refusal } from "../state/fleet.ts";
import type { Ending, Machine } from "../state/machine.ts";
import type { FleetOptions } from "../state/policy.ts";
import { isAlive } from "../state/stage.ts";

/** Why no machine is rented any more. Judged anew at each look: what has passed stops nothing. */
export type Stop =
  | { kind: "refused"; refusal: Refusal }
  | { kind: "undestroyed"; fault: UserError }
  /** `failures`: the machines that failed since a job last began. */
  | { kind: StopKind; failures: readonly Machine[] };

type StopKind = "no-offer" | "max-cost" | "attempts" | "image" | "preparing" | "ready-timeout" | "volume";

/** Machines that fail on one image, or end while they prepare, until that is taken as the cause. */
const SAME_FAULT = 2;

/** DESIGN, "Renting stops": the first reason that holds. */
export function stopOf(fleet: Fleet, policy: FleetOptions, now: number): Stop | undefined {
  const failures = failuresOf(fleet);
  const kind =
    failed(fleet, policy, failures) ??
    madeVolume(fleet, policy) ??
    nothingFits(fleet, policy, now) ??
    tooLate(fleet, policy, now);
  return refused(fleet) ?? (kind && { kind, failures });
}

function refused({ machines, refusal }: Fleet): Stop | undefined {
  // Nothing more is rented while it is not sure that what was rented can be ended.
  const fault = machines.find((machine) => isAlive(machine) && machine.fault !== undefined)?.fault;
  if (fault !== undefined) return { kind: "undestroyed", fault };
  return refusal === undefined ? undefined : { kind: "refused", refusal };
}

function failed({ mostWanted }: Fleet, policy: FleetOptions, failures: readonly Machine[]): StopKind | undefined {
  if (hostsOf(blamed(failures, "image")) >= SAME_FAULT) return "image";
  if (policy.hasProbe && hostsOf(blamed(failures, "preparing")) >= SAME_FAULT) return "preparing";
  return failures.length >= policy.attempts * Math.max(1, mostWanted) ? "attempts" : undefined;
}

/** One is there, or may come to be, with the first machine. */
function madeVolume({ machines, strays }: Fleet, { makesVolume }: FleetOptions): StopKind | undefined {
  const mayBeMade = machines.length > 0 || strays.some(({ isUncertain }) => isUncertain);
  return makesVolume && mayBeMade ? "volume" : undefined;
}

function nothingFits(
  { machines, market, noOfferSince }: Fleet,
  { searchMs }: FleetOptions,
  now: number,
): StopKind | undefined {
  if (noOfferSince === undefined) return undefined;
  if (market?.nothing instanceof NoOfferError && market.nothing.explanation.input === "max-cost") {
    // A machine that went since has given back what was set aside for it.
    const isOutdated = machines.some(({ goneAt = 0 }) => goneAt > market.searchedAt);
    return isOutdated ? undefined : "max-cost";
  }
  return now - noOfferSince < searchMs ? undefined : "no-offer";
}

function tooLate({ unservedSince }: Fleet, { readyMs }: FleetOptions, now: number): StopKind | undefined {
  return unservedSince !== undefined && now - unservedSince >= readyMs ? "ready-timeout" : undefined;
}

/** Machines that failed, were lost or ended without a job, since a job last began. */
function failuresOf({ machines, failedSinceJob }: Fleet): Machine[] {
  return machines.filter(({ n }) => failedSinceJob.includes(n));
}

/** Those of them that failed by this. */
export function blamed(failures: readonly Machine[], blame: Ending["blame"]): Machine[] {
  return failures.filter(({ ending }) => ending?.blame === blame);
}

/** How many hosts they are; one that is not told is another for each of its offers. */
function hostsOf(machines: readonly Machine[]): number {
  return new Set(machines.map(({ candidate: { offer } }) => offer.machineId ?? -offer.id)).size;
}
