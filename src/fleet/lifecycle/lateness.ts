import { formatDuration } from "../../shared/duration.ts";
import { autoBootLimitMs } from "../../timing/limits.ts";
import { TUNING } from "../../timing/tuning.ts";
import type { Facts } from "../facts.ts";
import { waitingJobs } from "../jobs.ts";
import { hasOtherThan, isMarketFresh } from "../renting/offer.ts";
import { type Machine, machineFacts } from "../stage.ts";

type OfMachine = Facts & { machine: Machine };

/** True for a machine that is not ready within its limits. While nothing else is to be had, it may take longer. */
export function isTooLate(facts: OfMachine): boolean {
  const { fleet, machine, now, rules } = facts;
  if (!isOverLimit(machine, facts)) return false;
  return !mayWait(machine, facts) || (isMarketFresh(fleet, rules, now) && hasOtherThan(machine, facts));
}

/** Says which limit the machine did not keep, and what was last seen of it. */
export function lateToRun(facts: OfMachine): string {
  const { machine } = facts;
  const limits = ownLimits(machine, facts);
  const { verdict } = machineFacts(machine).instance ?? {};
  const says = verdict?.kind === "pending" && verdict.says !== undefined ? `: ${verdict.says}` : "";
  const seen = `${verdict?.status ?? "nothing"}${says}`;
  return `it did not reach running within boot-timeout (${formatDuration(limits.bootMs)}, last seen: ${seen})${inTheWay(limits)}`;
}

/** Says the same of a machine whose runner did not come online. */
export function lateToComeOnline(facts: OfMachine): string {
  const { machine } = facts;
  const limits = ownLimits(machine, facts);
  const age = `; its runner configuration was ${ageOfConfiguration(machine, facts.now)} old`;
  return `its runner did not come online within online-timeout (${formatDuration(limits.onlineMs)})${inTheWay(limits)}${machine.registeredAt ? age : ""}`;
}

function inTheWay({ isShorter }: ReturnType<typeof ownLimits>): string {
  return isShorter ? ", cut short because the input machines leaves no room for another" : "";
}

/** Says how old the machine's runner configuration is. GitHub drops one that is not used. */
export function ageOfConfiguration({ askedAt, registeredAt }: Machine, now: number): string {
  return `${Math.round((now - (registeredAt ?? askedAt)) / 1000)} s`;
}

/** True while the machine's job may wait on. */
function mayWait({ askedAt, timing }: Machine, { fleet, now, rules }: Facts): boolean {
  return timing.mayWait && now - (fleet.unservedSince ?? askedAt) < rules.readyMs;
}

/** True if the machine is kept only while there is no other offer, and the last search is too old to tell. */
export function asksMarket(machine: Machine, facts: Facts): boolean {
  const { fleet, now, rules } = facts;
  const { isAlive, isMade } = machineFacts(machine);
  const isOpen = isAlive && isMade && machine.ending === undefined;
  return isOpen && !isMarketFresh(fleet, rules, now) && mayWait(machine, facts) && isOverLimit(machine, facts);
}

/** True if the machine exceeds its limits, by what lists showed. An unreadable list proves no delay. */
function isOverLimit(machine: Machine, facts: Facts): boolean {
  const { instancesAt = 0 } = facts.fleet;
  const { instance, isBusy, wasReady } = machineFacts(machine);
  if (instance === undefined || wasReady || isBusy) return false;
  const { bootMs, onlineMs } = ownLimits(machine, facts);
  if (instance.runningAt === undefined) return instancesAt - instance.foundAt >= bootMs;
  return seenFor(instance.runningAt, facts.fleet) >= onlineMs;
}

/**
 * Returns how long a machine may take to run, and from there to its runner, in milliseconds. With `boot-timeout: auto`
 * both are shorter than the inputs' (`isShorter`) while it keeps a waiting job from another machine, once a machine of
 * this session was ready: then the expectations are not all wrong.
 */
function ownLimits({ timing }: Machine, { fleet, now, rules }: Facts) {
  const { bootMs, expectedMs, mayWait: isAuto, onlineMs, setupMs = 0 } = timing;
  const inputs = { bootMs, onlineMs, isShorter: false };
  if (!isAuto || !rules.hedge) return inputs;
  const machines = fleet.machines.map(machineFacts);
  const isFull = machines.filter(({ isCounted }) => isCounted).length >= rules.machines;
  const keepsWaiting = waitingJobs(fleet, now).length > machines.filter(({ isReady }) => isReady).length;
  if (!isFull || !keepsWaiting || !machines.some(({ wasReady }) => wasReady)) return inputs;
  return {
    bootMs: Math.min(bootMs, autoBootLimitMs(expectedMs, false)),
    onlineMs: Math.min(onlineMs, TUNING.limits.patienceWithoutRoom * TUNING.late.onlineMs + setupMs),
    isShorter: true,
  };
}

/** Returns how long the list of runners has shown something, without the time in which it was unreadable. */
export function seenFor(since: number, { runnersAt = 0, runnersReadSince = 0 }: Facts["fleet"]): number {
  return runnersAt - Math.max(since, runnersReadSince);
}
