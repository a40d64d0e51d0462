import type { Instance } from "../marketplace/marketplace.ts";
import { attemptAsker, sweeperOf } from "../sweep/attempt-asker.ts";
import { sweepOnce } from "../sweep/sweep.ts";
import { ownedInstances, type Sweeper } from "../sweep/sweep-decision.ts";
import type { Clients } from "./clients.ts";
import type { RunContext } from "./run-context.ts";

/** The sweep's time before a rent, in milliseconds; the next one does what is left. */
const SWEEP_WITHIN_MS = 5000;
/** The service wants three seconds between destructions: no more can be done in that time. */
const MOST_DESTROYED = 2;

/** Kept by a rent of its sweep, to count this repository's machines with `aliveOf`. */
export interface SweptFirst {
  sweeper: Sweeper;
  /** Ids of what is gone, or on its way out: five seconds need not be enough to see it go. */
  leaving: ReadonlySet<number>;
}

/**
 * Destroys leftovers of other runs for five seconds; none of it fails the rent. `instances`: the
 * account's, as they were listed a moment ago.
 */
export async function sweepFirst(
  rooms: Clients,
  run: RunContext,
  { instances, signal }: { instances: readonly Instance[]; signal: AbortSignal },
): Promise<SweptFirst> {
  const sweeper = sweeperOf(run, await rooms.repositoryId(signal));
  if (ownedInstances(instances, sweeper).length === 0) return { sweeper, leaving: new Set() };
  const { attempts, clock, log } = rooms;
  const sweeping = {
    ...rooms,
    sweeper,
    askAttempt: attemptAsker(attempts, clock, (line) => log.info(line)),
    maxDestroy: MOST_DESTROYED,
    isDryRun: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout(SWEEP_WITHIN_MS)]),
  };
  const { ours } = await log.stage("Sweep leftovers", () => sweepOnce(sweeping, instances, clock.now()));
  signal.throwIfAborted();
  return { sweeper, leaving: new Set(ours.filter(({ fate }) => fate.kind !== "left").map(({ owned }) => owned.id)) };
}
