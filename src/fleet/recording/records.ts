import { JOBS_OVER, type MachineRecord, MOST_CREATES, type RanJob } from "../../machine/record.ts";
import { MAY_TURN_UP, NOTHING_LEFT, NOTHING_RENTED } from "../../money/errors.ts";
import { oneLine } from "../../shared/foreign-text.ts";
import { priceOfOne } from "../price.ts";
import { type InstanceFacts, type Machine, machineFacts, middle, ownEnd, type Slot } from "../stage.ts";
import type { Fleet } from "../state.ts";

/** Returns the number of an instance's row in the ledger. A create that made several has several rows. */
export function rowOf({ machineNo }: Machine, index: number): number {
  return index * MOST_CREATES + machineNo;
}

/** Makes the records of a create's instances, as the receipt and post read them. */
export function recordsOfMachine(machine: Machine): MachineRecord[] {
  const { instances } = machine;
  // Jobs and runners are told of one instance alone: the first one that ran.
  const served = instances.find(({ runningAt }) => runningAt !== undefined) ?? instances[0];
  return instances.map((instance) => recordOf(machine, instance, instance === served));
}

/** Makes the records of all instances that came to be. */
export function recordsOf({ machines }: Fleet): MachineRecord[] {
  return machines.flatMap(recordsOfMachine);
}

function recordOf(machine: Machine, instance: InstanceFacts, hasServed: boolean): MachineRecord {
  const { askedAt, ending, registeredAt, searchedAt, slots, terms } = machine;
  const jobs = hasServed ? slots.flatMap(ranJobs) : [];
  const at = {
    searched: searchedAt,
    registered: registeredAt,
    asked: askedAt,
    created: instance.createdAt,
    // A host that was silent may have run the container unseen, all along.
    running: instance.billedFrom ?? (instance.isSilent ? instance.createdAt : undefined),
    online: hasServed ? machine.readyAt : undefined,
    gone: wentAt(instance),
  };
  return {
    instanceId: instance.id,
    ...terms,
    // A second one's script counts from its own first listener, which may be yet to come.
    deadline: hasServed || instance.runningAt !== undefined ? ownEnd(machine).to : machine.deadline,
    price: { ...terms.price, total: priceOfOne(machine, instance) },
    at,
    // What the service showed of it.
    isGone: instance.goneAt === undefined ? undefined : true,
    isListed: instance.verdict === undefined ? undefined : true,
    traffic: instance.traffic,
    jobs: jobs.length === 0 ? undefined : jobs,
    isUnneeded: ending?.kind === "unneeded" ? true : undefined,
    last: lastWords(machine, instance),
  };
}

/** Returns when the bill ended. If we did not end it: midway from the last sign of life to the first look without it. */
function wentAt(instance: InstanceFacts): number | undefined {
  const { absentSince, aliveAt = instance.foundAt, goneAt, goneHow } = instance;
  const went = absentSince === undefined ? undefined : middle(instance, aliveAt, absentSince);
  return goneHow === "was-gone" ? (went ?? goneAt) : (goneAt ?? went);
}

/** Says in words in which state an instance was last seen or, once it is gone, why it went. */
function lastWords(machine: Machine, { absentSince, goneAt, goneHow }: InstanceFacts): string {
  const { ending } = machine;
  const { hadJob, isBusy, wasReady } = machineFacts(machine);
  const isOwnDoing = ending === undefined || ending.kind === "over";
  if (goneAt !== undefined && !isOwnDoing) return oneLine(ending.why);
  const hasGone = goneAt === undefined ? absentSince !== undefined : goneHow === "was-gone";
  if (hasGone && wasReady) return "gave itself back";
  if (!wasReady) return "created";
  if (isBusy) return "busy";
  return hadJob ? JOBS_OVER : "ready";
}

/** Makes the record of a slot's job as GitHub shows it, with the figures from its log; nothing if it had no job. */
function ranJobs({ job, log }: Slot): RanJob[] {
  if (job === undefined) return [];
  const { completedAt, conclusion, id, isOver, name, startedAt } = job;
  const begun = { id, name: oneLine(name, 100), started: startedAt, figures: log?.figures };
  if (!isOver) return [begun];
  const isTimed = startedAt !== undefined && completedAt !== undefined;
  const seconds = isTimed ? Math.max(0, Math.round((completedAt - startedAt) / 1000)) : undefined;
  return [{ ...begun, conclusion, seconds }];
}

/** Says what may still bill. `fleet` undefined: nothing could be rented yet. */
export function billingOf(fleet: Fleet | undefined): string {
  if (fleet === undefined) return NOTHING_RENTED;
  const machines = fleet.machines.map(machineFacts);
  const ids = machines.flatMap(({ alive }) => alive).map(({ id }) => id);
  const several = `Instances ${ids.join(", ")} are given back now.`;
  const known = ids.length > 0 ? [ids.length === 1 ? `Instance ${ids[0]} is given back now.` : several] : [];
  // Until a list shows what came of each create, nobody knows.
  if (machines.some(({ mayTurnUp }) => mayTurnUp)) return [...known, MAY_TURN_UP].join(" ");
  return known[0] ?? (machines.some(({ isMade }) => isMade) ? NOTHING_LEFT : NOTHING_RENTED);
}

/** Says until when each machine ends by itself, should nobody give it back; empty if none may be rented. */
export function selfEndsOf(fleet: Fleet | undefined): string {
  const ends = (fleet?.machines ?? [])
    .filter((machine) => machineFacts(machine).isAlive)
    .map((machine) => `machine ${machine.machineNo} by ${new Date(ownEnd(machine).to).toISOString()}`);
  return ends.length === 0 ? "" : `Without a post step they end by themselves: ${ends.join(", ")}.`;
}
