import type { Fleet, Machine, MarketSeen, Refusal } from "./fleet.ts";
import type { Policy } from "./policy.ts";
import { isAlive } from "./stage.ts";

/** Why no machine is rented any more. Judged anew at each look: what has passed stops nothing. */
export type Stop =
  | { kind: "no-offer"; market: NonNullable<MarketSeen["nothing"]> | undefined; taken: number }
  | { kind: "max-cost"; failures: readonly Failure[] }
  | { kind: "refused"; refusal: Refusal }
  | { kind: "undestroyed"; machine: Machine }
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

/** So many machines that say the same of an image, or end themselves while they prepare, have that in common. */
const SAME_FAULT = 2;

/** DESIGN, "Renting stops": the first reason that holds. */
export function stopOf(fleet: Fleet, policy: Policy, now: number): Stop | undefined {
  const failures = failuresOf(fleet);
  const { refusal, market, noOfferSince, unservedSince } = fleet;
  // Nothing more is rented while it is not sure that what was rented can be ended.
  const stubborn = fleet.machines.find((machine) => isAlive(machine) && machine.fault !== undefined);
  if (stubborn !== undefined) return { kind: "undestroyed", machine: stubborn };
  if (refusal !== undefined) return { kind: "refused", refusal };
  if (blamed(failures, "image") >= SAME_FAULT) return { kind: "image", failures };
  if (policy.hasProbe && blamed(failures, "preparing") >= SAME_FAULT) return { kind: "preparing", failures };
  if (failures.length >= policy.attempts * Math.max(1, fleet.mostWanted)) return { kind: "attempts", failures };
  if (noOfferSince !== undefined && market?.nothing?.input === "max-cost") return { kind: "max-cost", failures };
  if (noOfferSince !== undefined && now - noOfferSince >= policy.searchMs)
    return { kind: "no-offer", market: market?.nothing, taken: fleet.taken.length };
  if (unservedSince !== undefined && now - unservedSince >= policy.readyMs) return { kind: "ready-timeout", failures };
  return undefined;
}

/** What failed, was lost, or was over before a job came, since a job last began. */
export function failuresOf({ machines, failedSinceJob }: Fleet): Failure[] {
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
