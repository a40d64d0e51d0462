import { hasUntried } from "./plan/pick-offer.ts";
import type { Plan } from "./plan/plan.ts";
import { endMachine } from "./state/end-machine.ts";
import type { Fleet, LostJob } from "./state/fleet.ts";
import type { Ending, Machine, Use } from "./state/machine.ts";
import type { FleetOptions } from "./state/policy.ts";
import { isAlive, isBusy, isReady, wasCutOff, wasMissed, wentWithMachine } from "./state/stage.ts";

/** GitHub needs a while to tell a job that ended from one whose machine was lost. */
const LOST_AFTER_MS = 60_000;
/** A list of instances may get lost now and then; for longer than this there is none. */
const UNLISTED_MS = 60_000;

/** Puts a plan's decisions into the fleet's state; the acts themselves are not done here. */
export function applyPlan(fleet: Fleet, decided: Plan, policy: FleetOptions, now: number): void {
  fleet.doubts = decided.doubts;
  // A job that is queued later may wait for as long, beside a machine of its own.
  if (decided.heldBack > fleet.heldBack) fleet.besideReady = { sumMs: 0, at: undefined };
  fleet.heldBack = decided.heldBack;
  // Unreadable jobs: all that is free counts as wanted.
  if (fleet.jobsFault === undefined) fleet.mostWanted = Math.max(fleet.mostWanted, decided.wanted);
  for (const { n, ending } of decided.endings) {
    const machine = fleet.machines.find((each) => each.n === n);
    if (machine === undefined) continue;
    endMachine(fleet, machine, ending, policy);
    if (machine.report !== undefined && ending.kind === "unneeded") machine.report.isUnneeded = true;
  }
  noteLostJobs(fleet);
  noteClocks(fleet, decided, now);
}

/** Jobs that went with their machines, as the last list of jobs shows. */
function noteLostJobs(fleet: Fleet): void {
  if (fleet.jobsFault !== undefined) return;
  for (const machine of fleet.machines) {
    const { ending, uses } = machine;
    if (ending === undefined) continue;
    const gone = uses.filter((use) => wasCutOff(use, machine) || wentWith(use, ending, fleet.looks.jobs));
    for (const use of gone) noteLost(fleet, machine, ending, use);
  }
}

function noteLost(fleet: Fleet, machine: Machine, ending: Ending, use: Use): void {
  const { job } = use;
  use.spentAt ??= ending.since;
  if (job === undefined || fleet.lost.some(({ id }) => id === job.id)) return;
  const { id, name, url } = job;
  const { instanceId, n } = machine;
  const cutBy = ending.kind === "deadline" || wasCutOff(use, machine) ? machine.cutBy : undefined;
  fleet.lost.push({ id, name, url, n, instanceId, went: wayOf(machine, ending), cutBy });
}

function wayOf({ absentSince, isSilent }: Machine, { isOutbid, isStopped }: Ending): LostJob["went"] {
  if (isOutbid) return "was outbid";
  if (isStopped) return "was stopped by the service";
  return isSilent && absentSince === undefined ? "fell silent" : "vanished";
}

/** It is listed as running for a minute more, or GitHub missed its runner since. */
function wentWith(use: Use, ending: Ending, listedAt: number): boolean {
  if (ending.kind !== "lost" && ending.kind !== "deadline") return false;
  if (use.job?.isOver === false) return listedAt - ending.since >= LOST_AFTER_MS;
  return wentWithMachine(use, ending.since) || wasMissed(use);
}

/** The clocks of renting begin anew when no machine is lacking, as a list says that can be read. */
function noteClocks(fleet: Fleet, decided: Plan, now: number): void {
  const { lacking, wanted } = decided;
  if (fleet.jobsFault !== undefined) return;
  const isServed = fleet.machines.some((machine) => isAlive(machine) && (isReady(machine) || isBusy(machine)));
  fleet.unservedSince = isServed || wanted === 0 ? undefined : (fleet.unservedSince ?? now);
  if (wanted > 0) fleet.firstWantedAt ??= now;
  if (lacking === 0) fleet.refusal = undefined;
  fleet.noOfferSince = noOfferSince(fleet, decided, now);
}

function noOfferSince(fleet: Fleet, { lacking, waitsFor }: Plan, now: number): number | undefined {
  const { instancesAt = now, machines, market, taken } = fleet;
  // Nothing is searched for meanwhile: that nothing was left before says nothing of what there is.
  if (waitsFor === "repository" || now - instancesAt > UNLISTED_MS) return undefined;
  // One that was gone is asked for once more: that it is to be had is yet to be seen.
  const isAgain = ({ act, candidate }: Machine) =>
    act === "asking" && taken.some(({ id }) => id === candidate.offer.id);
  if (machines.some(isAgain)) return fleet.noOfferSince;
  const isEmpty = lacking > 0 && market !== undefined && !hasUntried(fleet);
  return isEmpty ? (fleet.noOfferSince ?? now) : undefined;
}
