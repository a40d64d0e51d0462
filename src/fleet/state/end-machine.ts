import type { Fleet } from "./fleet.ts";
import type { Ending, Machine } from "./machine.ts";
import type { FleetOptions } from "./policy.ts";

/** Ends a machine of the fleet. One that failed counts for the stop, and its host is left alone. */
export function endMachine(
  fleet: Fleet,
  machine: Machine,
  ending: Ending,
  { bidFallback }: Pick<FleetOptions, "bidFallback">,
): void {
  machine.ending = ending;
  const hadJob = machine.uses.some(({ job }) => job !== undefined);
  const hasFailed =
    ["failed", "lost", "dropped"].includes(ending.kind) || (["over", "deadline"].includes(ending.kind) && !hadJob);
  if (!hasFailed) return;
  fleet.failedSinceJob.push(machine.n);
  exclude(fleet, machine);
  if (ending.isOutbid && bidFallback) rentOnDemand(fleet);
}

/** The same of several, in a copy: what is decided next must know of them. */
export function withEndings(
  fleet: Fleet,
  endings: readonly { n: number; ending: Ending }[],
  policy: FleetOptions,
): Fleet {
  const { excluded, failedSinceJob, machines } = fleet;
  const after: Fleet = {
    ...fleet,
    machines: machines.map((machine) => ({ ...machine })),
    failedSinceJob: [...failedSinceJob],
    excluded: { machines: [...excluded.machines], offers: [...excluded.offers] },
  };
  for (const { n, ending } of endings) {
    const machine = after.machines.find((each) => each.n === n);
    if (machine !== undefined) endMachine(after, machine, ending, policy);
  }
  return after;
}

/** Neither this offer nor another one of its machine is asked for again in this use. */
export function exclude({ excluded }: Fleet, { candidate: { offer } }: Machine): void {
  excluded.offers.push(offer.id);
  if (offer.machineId !== undefined) excluded.machines.push(offer.machineId);
}

/** From now on no bid is made; what was found for bids is forgotten. */
export function rentOnDemand(fleet: Fleet): void {
  if (!fleet.isOnDemand) fleet.market = undefined;
  fleet.isOnDemand = true;
}
