import { waitsForUs } from "../github/jobs.ts";
import { budgetLeft } from "../money/max-cost.ts";
import { type End, endOf } from "./end.ts";
import { type Facts, findingOf, WELL_OVER } from "./facts.ts";
import { lostJobs } from "./lifecycle/cause-of.ts";
import { type Finding, isSure, lookOf, noted } from "./lifecycle/evidence.ts";
import { type EndCommand, endCommands } from "./lifecycle/going.ts";
import { LATE } from "./lifecycle/late.ts";
import { jobLogsToRead, machineLogsToRead } from "./lifecycle/logs.ts";
import { isGoing, isSameEnd, type Judgement, reasonOf, UNNEEDED, UNNEEDED_AFTER_STUCK } from "./lifecycle/reasons.ts";
import type { Rules } from "./options.ts";
import { recordsOf } from "./recording/records.ts";
import { type Count, countMachines } from "./renting/how-many.ts";
import { imageCommands, nextRent, noOfferSince, type Rent, type RentCommand } from "./renting/next-create.ts";
import { areBidsOfNoUse } from "./renting/offer.ts";
import { type Stop, stopOf } from "./renting/stop.ts";
import { type Machine, machineFacts, machineOf, useOf } from "./stage.ts";
import type { DeepReadonly, Ending, Fleet, FleetState } from "./state.ts";

/** One thing to do. The loop goes on meanwhile. */
export type Command =
  | RentCommand
  | EndCommand
  | ReturnType<typeof imageCommands | typeof jobLogsToRead | typeof machineLogsToRead>[number];

/** What is decided from all that is known. JSON. */
export interface Decision extends Pick<FleetState, "findings" | "lost" | "noOfferSince" | "unservedSince"> {
  commands: Command[];
  /** Machines that end now, and machines whose end is taken back. */
  endings: MachineEnding[];
  takenBack: number[];
  end?: End | undefined;
  /** Why nothing more is rented while jobs wait for it. */
  stop?: Stop | undefined;
  /** How many free machines are wanted, and how many of these are still to be started. */
  wanted: number;
  lacking: number;
  /** What a create has to wait for. */
  waitsFor?: Rent["waitsFor"];
  areBidsOfNoUse: boolean;
}

/** Decides what to do from state, rules and time. Nothing else decides. */
export function decide(before: Fleet, rules: Rules, now: number): Decision {
  const fleet = fleetToJudge(before, rules, now);
  const look = lookOf(before, now, rules.hold);
  const facts: Facts = { fleet, rules, now, look, budget: budgetOf(fleet, rules, now) };
  const judged = judgeMachines(facts);
  const sure = judged.flatMap((each) => endingOf(before, each, now) ?? []);
  const after = { ...facts, fleet: withEndings(fleet, sure) };
  const count = countMachines(after);
  const stop = stopOf(after);
  const lost = lostJobs(after.fleet, look);
  const { end, findings: ofEnd } = sureEnd(endOf(after, stop, lost), facts);
  const unneeded = unneededOf(count, judged, facts, end);
  const gone = unneeded.filter((each) => each.isSure);
  const endings = [...sure, ...gone.flatMap((each) => endingOf(before, each, now) ?? [])];
  const findings = [...judged, ...unneeded].flatMap(({ finding }) => finding ?? []);
  const rent = nextRent(after, count, stop);
  const ended = withEndings(fleet, endings);
  return {
    commands: [
      ...endCommands(ended, rules, now),
      ...machineLogsToRead(ended, rules, now),
      ...imageCommands(after, count),
      ...(rent.command ? [rent.command] : []),
      ...jobLogsToRead(fleet, rules),
    ],
    endings: endings.filter(({ ending, machineNo }) => machineOf(before, machineNo)?.ending !== ending),
    takenBack: takenBack(before, ended),
    lost,
    end,
    stop: count.wanted > 0 ? stop : undefined,
    wanted: count.wanted,
    lacking: count.lacking,
    waitsFor: rent.waitsFor,
    unservedSince: unservedNow(ended, count, now),
    areBidsOfNoUse: areBidsOfNoUse(after),
    noOfferSince: fleet.jobsFault ? fleet.noOfferSince : noOfferSince(after, count.lacking, rent.waitsFor),
    findings: noted(fleet.findings, [...findings, ...ofEnd], look),
  };
}

/** Returns the fleet as it is judged: without ends that are still open, and without a wait that nobody can know of. */
function fleetToJudge(before: Fleet, rules: Rules, now: number): Fleet {
  // With `hold: false` nothing but what becomes of a machine is read in the list of jobs.
  const jobsFault = rules.hold ? before.jobsFault : undefined;
  const isLong = (since = now) => now - since >= LATE.job;
  const mayBeReady = before.machines.some((machine) => machineFacts(machine).stage === "starting");
  // Nobody can know then whether a job waited all the while, or whether a machine was ready for it.
  const isUnseen = isLong(jobsFault?.since) || (isLong(before.runnersUnreadSince) && mayBeReady);
  const unservedSince = isUnseen || isServed(before) ? undefined : before.unservedSince;
  return { ...before, jobsFault, unservedSince, machines: before.machines.map(asSeen) };
}

/**
 * Returns a machine without an end that is not yet carried out, or that a job has overtaken. Such an end is judged
 * anew at each look, and holds only if its reason does.
 */
function asSeen(machine: Machine): Machine {
  const { ending } = machine;
  const { isAlive, isBusy } = machineFacts(machine);
  const isOvertaken = ending?.first === "runners" && isBusy;
  const isOpen = ending !== undefined && isAlive && (isOvertaken || !isGoing(machine));
  if (!isOpen) return machine;
  const isRunning = ({ isRemoved, job }: Machine["slots"][number]) => job?.isOver === false && !isRemoved;
  const slots = machine.slots.map((slot) => (isRunning(slot) ? { ...slot, spentAt: undefined } : slot));
  return { ...machine, slots, ending: undefined };
}

/** Returns the machines that end no more. */
function takenBack(before: Fleet, { machines }: Fleet): number[] {
  const open = machines.filter(({ ending, machineNo }) => {
    return ending === undefined && machineOf(before, machineNo)?.ending !== undefined;
  });
  return open.map(({ machineNo }) => machineNo);
}

/** Returns what max-cost leaves. Undefined: there is no limit, so no bill to reckon at each look. */
function budgetOf(fleet: Fleet, { rental }: Rules, now: number): Facts["budget"] {
  return rental.money.maxCost === undefined ? undefined : budgetLeft(rental, recordsOf(fleet), now);
}

/**
 * Returns the machines that no job needs. Two looks must show that, or one once all jobs are over. None while it is
 * open whether a free one ends: then nobody knows how many are free.
 */
function unneededOf(count: Count, judged: readonly Judgement[], facts: Facts, end: End | undefined): Judgement[] {
  const { fleet, look, now, rules } = facts;
  const open = new Set(judged.filter((each) => !each.isSure).map(({ machineNo }) => machineNo));
  const isOpen = fleet.machines.some((each) => open.has(each.machineNo) && useOf(each, rules, now).isFree);
  const isOver = end?.kind === "over";
  const unneeded = isOver || !isOpen ? count.unneeded.filter((machine) => machineFacts(machine).isMade) : [];
  return unneeded.map((machine) => {
    const { machineNo } = machine;
    const reason = machineFacts(machine).wasStuck ? UNNEEDED_AFTER_STUCK : UNNEEDED;
    const finding = { key: findingOf(machineNo, "unneeded"), list: "jobs" } as const;
    const since = fleet.findings[finding.key] ?? look.jobs;
    return { machineNo, reason, since: now, isSure: isOver || isSure(since, "jobs", look), finding };
  });
}

/**
 * Returns since when the job that has waited longest is unserved. While jobs can't be read, no such
 * time begins, and none ends.
 */
function unservedNow(fleet: Fleet, { wanted }: Count, now: number): number | undefined {
  if (isServed(fleet)) return undefined;
  if (fleet.jobsFault !== undefined) return fleet.unservedSince;
  if (wanted === 0) return undefined;
  const waiting = (fleet.jobs?.ours ?? []).filter(waitsForUs);
  // A job that came later has not waited for as long as one that is gone.
  const longest = Math.min(...waiting.map(({ id }) => fleet.waitingSince?.[id] ?? Number.NEGATIVE_INFINITY));
  const since = fleet.unservedSince ?? now;
  return waiting.length === 0 ? since : Math.max(since, longest);
}

function isServed({ machines }: Fleet): boolean {
  return machines.some((machine) => machineFacts(machine).isServing);
}

interface MachineEnding {
  machineNo: number;
  ending: DeepReadonly<Ending>;
}

/** Returns the fleet with these decisions applied, for the decisions that depend on them. */
function withEndings(fleet: Fleet, endings: readonly MachineEnding[]): Fleet {
  if (endings.length === 0) return fleet;
  const machines = fleet.machines.map((machine) => {
    const found = endings.find(({ machineNo }) => machineNo === machine.machineNo);
    return found === undefined ? machine : { ...machine, ending: found.ending };
  });
  return { ...fleet, machines };
}

function judgeMachines(facts: Facts): Judgement[] {
  return facts.fleet.machines.flatMap((machine) => {
    const { isAlive, isMade } = machineFacts(machine);
    return machine.ending !== undefined || (isAlive && isMade) ? (reasonOf(machine, facts) ?? []) : [];
  });
}

/**
 * Returns the end of a machine. One that was decided before for the same reason stays as it was, and so does any
 * other until a new reason is sure.
 */
function endingOf(before: Fleet, { isSure, machineNo, reason, since }: Judgement, now: number) {
  const known = machineOf(before, machineNo)?.ending;
  const ending =
    known !== undefined && (!isSure || isSameEnd(known, reason)) ? known : { ...reason, since, decidedAt: now };
  return known !== undefined || isSure ? { machineNo, ending } : undefined;
}

/** Returns the end if two lists of jobs say the same, and what to look at again until then. */
function sureEnd(end: End | undefined, { fleet, look, rules }: Facts): { end?: End | undefined; findings: Finding[] } {
  // The first kind needs no jobs list, and the second can have none.
  if (end === undefined || !rules.hold || end.kind === "list-unreadable") return { end, findings: [] };
  const key = endName(end);
  const since = fleet.findings[key] ?? look.jobs;
  // The usual second look would have waited for a log that is read.
  const logs = fleet.machines.flatMap(({ slots }) => slots.flatMap(({ log }) => log ?? []));
  const isReadingLog = logs.some(({ at }) => at === undefined);
  const isSoon = key === WELL_OVER && look.jobs - since >= LATE.wellOver && !isReadingLog;
  const isTrue = isSoon || isSure(since, "jobs", look);
  return { end: isTrue ? end : undefined, findings: [{ key, list: "jobs" }] };
}

/** Names an end so that two looks are the same only if they say the same of each job. */
function endName(end: End): string {
  if (end.kind !== "over") return `end: ${end.kind}`;
  const notWell = [...end.bad, ...end.lost, ...end.refused];
  return notWell.length === 0 ? WELL_OVER : `end: over, not well: ${notWell.map(({ id }) => id).join(" ")}`;
}
