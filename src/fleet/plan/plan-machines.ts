import { formatDuration } from "../../shared/duration.ts";
import type { Fleet } from "../state/fleet.ts";
import type { Ending, Machine } from "../state/machine.ts";
import type { FleetOptions } from "../state/policy.ts";
import { priceAbove } from "../state/rental.ts";
import {
  currentUse,
  isAlive,
  isBusy,
  isFree,
  isKeptForLook,
  LOOKS_APART_MS,
  wasMissed,
  wasReady,
  wentWithMachine,
} from "../state/stage.ts";
import { hasOther, isMarketFresh } from "./pick-offer.ts";

/** One row's word on a machine. `isGrave`: it counts only when a second look says the same. */
export interface MachineVerdict {
  ending: Ending;
  isGrave: boolean;
}

/** An offline runner may come back within this time. SPEC-SILENT: GitHub names no figure. */
const OFFLINE_IS_DROPPED_MS = 120_000;
/** A machine whose uses are over has so long to give itself back. */
const GIVES_ITSELF_BACK_MS = 60_000;

interface Facts {
  machine: Machine;
  fleet: Fleet;
  policy: FleetOptions;
  now: number;
}

type Said = Omit<Ending, "since">;
type Row = (facts: Facts) => (Said & { isGrave?: boolean }) | undefined;

/** DESIGN, "Each machine": the first row that holds. */
const ROWS: readonly Row[] = [deadline, fatal, dear, vanishedEarly, droppedEarly, late, lost, dropped, over];

/** The fate of a machine, whatever is wanted; undefined: nothing yet. */
export function judgeMachine(facts: Facts): MachineVerdict | undefined {
  for (const row of ROWS) {
    const said = row(facts);
    if (said === undefined) continue;
    const { isGrave = false, ...ending } = said;
    return { ending: { ...ending, since: facts.now }, isGrave };
  }
  return undefined;
}

function deadline({ machine, now }: Facts): ReturnType<Row> {
  if (now < machine.deadline || machine.instanceId === undefined) return undefined;
  return { kind: "deadline", why: `${machine.cutBy} is over`, isUnasked: true };
}

/** The service's own clear word about one that was never ready; a missing heartbeat is none. */
function fatal({ machine }: Facts): ReturnType<Row> {
  const { verdict } = machine;
  if (wasReady(machine) || verdict?.kind !== "failed") return undefined;
  const { blame, outbid: isOutbid, stopped: isStopped, why } = verdict;
  return { kind: "failed", why, isUnasked: false, blame, isOutbid, isStopped, isGrave: machine.isSilent === true };
}

/** The service asks more for it than its offer said, and no job came to it yet. */
function dear({ machine, policy: { maxPrice } }: Facts): ReturnType<Row> {
  const price = wasReady(machine) ? undefined : priceAbove(machine, maxPrice);
  if (price === undefined) return undefined;
  const why = `the service asks ${price} per hour for it, more than max-price allows`;
  return { kind: "failed", why, isUnasked: false, blame: "price", isGrave: true };
}

function vanishedEarly({ machine }: Facts): ReturnType<Row> {
  if (wasReady(machine) || machine.absentSince === undefined) return undefined;
  // The script does so when it can't come as far as a runner; its log is gone with it.
  const isPreparing = machine.runningAt !== undefined;
  const why = isPreparing
    ? "it gave itself back before its runner was online: its key, its GPUs, its tools or the probe were no good"
    : "the service does not know it any more";
  return { kind: "failed", why, isUnasked: false, blame: isPreparing ? "preparing" : "machine", isGrave: true };
}

function droppedEarly({ machine, now }: Facts): ReturnType<Row> {
  if (wasReady(machine) || machine.uses[0]?.spentAt === undefined) return undefined;
  const minted = machine.report?.at.minted ?? machine.askedAt;
  const age = Math.round((now - minted) / 1000);
  const why = `GitHub dropped its runner before a job came; its runner configuration was ${age} s old`;
  return { kind: "failed", why, isUnasked: false };
}

/** Later than its limits. While nothing else is to be had, it stays as long as its job may wait. */
function late(facts: Facts): ReturnType<Row> {
  const { machine, fleet, policy, now } = facts;
  const why = wasReady(machine) ? undefined : tooLate(machine, fleet, now);
  if (why === undefined) return undefined;
  // With a new volume one machine is all that is ever rented: no other one is to be had.
  const isOther = !policy.makesVolume && isMarketFresh(fleet, now) && hasOther(fleet, now);
  if (mayWait(facts) && !isOther) return undefined;
  return { kind: "failed", why, isUnasked: false, blame: machine.runningAt === undefined ? "boot" : "online" };
}

/** Its job may wait on. */
function mayWait({ machine, fleet, policy, now }: Facts): boolean {
  return machine.timing.mayWait && now - (fleet.unservedSince ?? machine.askedAt) < policy.readyMs;
}

/** It is kept while no other offer is to be had, and nobody knows whether one is by now. */
export function asksMarket(facts: Facts): boolean {
  const { machine, fleet, policy, now } = facts;
  const isLate = !wasReady(machine) && tooLate(machine, fleet, now) !== undefined;
  return isLate && mayWait(facts) && !policy.makesVolume && !isMarketFresh(fleet, now);
}

/** Judged by what lists showed: one that can't be read proves no delay. */
function tooLate(machine: Machine, { instancesAt = 0, runnersAt = 0 }: Fleet, now: number): string | undefined {
  const { createdAt, runningAt, timing, verdict, report } = machine;
  if (createdAt === undefined) return undefined;
  if (runningAt === undefined) {
    if (instancesAt - createdAt < timing.bootMs) return undefined;
    const seen = verdict?.status ?? "nothing";
    return `it did not reach running within boot-timeout (${formatDuration(timing.bootMs)}, last seen: ${seen})`;
  }
  if (runnersAt - runningAt < timing.onlineMs) return undefined;
  const age =
    report?.at.minted === undefined ? "" : `; its runner configuration was ${seconds(now - report.at.minted)} old`;
  return `its runner did not come online within online-timeout (${formatDuration(timing.onlineMs)})${age}`;
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}

/** Gone after it was ready. A missing heartbeat is no loss: its network may come back. */
function lost({ machine, policy, now }: Facts): ReturnType<Row> {
  if (!wasReady(machine)) return undefined;
  if (machine.absentSince === undefined && machine.isSilent) return missed(machine);
  if (machine.absentSince === undefined && machine.verdict?.kind !== "failed") return undefined;
  const { absentSince = now, brokenSince = now, verdict } = machine;
  if (gaveItselfBack(machine, policy, Math.min(absentSince, brokenSince)))
    return { kind: "over", why: "it gave itself back", isUnasked: true, isGrave: true };
  const { outbid: isOutbid = false, stopped: isStopped = false } = verdict?.kind === "failed" ? verdict : {};
  const lostBy = isStopped ? "the machine was lost: the service stopped it" : "the machine was lost";
  const why = isOutbid ? "it was outbid, and the service stopped it" : lostBy;
  return { kind: "lost", why, isUnasked: true, isOutbid, isStopped, isGrave: true };
}

/** GitHub's own word on the job of a silent machine: it ended the job whose runner it missed. */
function missed(machine: Machine): ReturnType<Row> {
  if (isBusy(machine) || !machine.uses.some(wasMissed)) return undefined;
  return { kind: "lost", why: "its host fell silent, and GitHub missed its runner", isUnasked: false };
}

/** It went when it had nothing more to do: not one whose job GitHub missed since. */
function gaveItselfBack(machine: Machine, { idleMs }: FleetOptions, since: number): boolean {
  if (machine.uses.some((use) => wentWithMachine(use, since))) return false;
  return currentUse(machine) === undefined || (!isBusy(machine) && since - idleSince(machine) >= idleMs);
}

/** Since when it waits for a job. */
export function idleSince({ uses, readyAt, askedAt }: Machine): number {
  const ends = uses.flatMap(({ spentAt }) => (spentAt === undefined ? [] : [spentAt]));
  const online = uses.findLast(({ onlineAt }) => onlineAt !== undefined)?.onlineAt;
  return Math.max(readyAt ?? askedAt, online ?? 0, ...ends);
}

/** Judged by the runners' list: unreadable, it says nothing of one that was offline. */
function dropped({ machine, fleet: { runnersAt = 0 } }: Facts): ReturnType<Row> {
  const use = currentUse(machine);
  if (use === undefined || isBusy(machine) || !wasReady(machine)) return undefined;
  if (use.offlineSince !== undefined && runnersAt - use.offlineSince >= OFFLINE_IS_DROPPED_MS)
    return { kind: "dropped", why: "GitHub dropped its runner", isUnasked: false };
  const isNext = use !== machine.uses[0] && use.onlineAt === undefined;
  if (!isNext || runnersAt - idleSince(machine) < machine.timing.onlineMs) return undefined;
  return { kind: "dropped", why: "its next runner did not come online within online-timeout", isUnasked: false };
}

/** No use is left in it: it gives itself back. */
function over({ machine, policy, now }: Facts): ReturnType<Row> {
  if (!wasReady(machine) || isBusy(machine) || isFree(machine, policy, now)) return undefined;
  const jobs = machine.uses.flatMap(({ job }) => (job === undefined ? [] : [`'${job.name}'`]));
  const why = jobs.length > 0 ? `${jobs.join(", ")} ran on it` : "no job came to it";
  // Near its end no listener is begun; one that began a moment before may have a job.
  return { kind: "over", why, isUnasked: currentUse(machine) === undefined };
}

/** When a machine that ends is to be destroyed, in milliseconds since the epoch. */
export function destroyAt(machine: Machine, policy: FleetOptions): number {
  const { absentSince, brokenSince, ending, isSilent, uses } = machine;
  if (ending?.kind !== "over" || absentSince !== undefined) return Number.NEGATIVE_INFINITY;
  const isKept = isKeptForLook(machine, policy);
  // A use that shall not begin is taken away at once, before a job comes to it.
  if (currentUse(machine) !== undefined && !isKept) return Number.NEGATIVE_INFINITY;
  // It counts its look from the end of its job; the uses that shall not begin end later.
  const counted = isKept ? uses.filter(({ job }) => job !== undefined) : uses;
  const ended = Math.max(...counted.map(({ spentAt }) => spentAt ?? ending.since));
  const destroyedAt = Math.min(ended + GIVES_ITSELF_BACK_MS + (isKept ? policy.keepFailedMs : 0), machine.deadline);
  // One that was stopped or exited gives nothing back, and nobody can look at it.
  return brokenSince === undefined || isSilent ? destroyedAt : Math.min(destroyedAt, brokenSince + LOOKS_APART_MS);
}

/** True while it is there and nobody ended it. */
export function isJudged(machine: Machine): boolean {
  return isAlive(machine) && machine.ending === undefined && machine.instanceId !== undefined;
}
