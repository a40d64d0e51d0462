import { waitsForUs } from "../github/jobs.ts";
import { budgetLeft } from "../money/max-cost.ts";
import { type End, endOf } from "./end.ts";
import { type Facts, findingOf } from "./facts.ts";
import { lostJobs } from "./lifecycle/cause-of.ts";
import { destroyAt, isJudged, isPastDeadline, isTakenBack, judgeAgain, judgeMachine } from "./lifecycle/ending.ts";
import { type Finding, isSure, type Look, lookOf, noted } from "./lifecycle/evidence.ts";
import { isConfirmed, LATE } from "./lifecycle/late.ts";
import { type JobLogCommand, jobLogsToRead, type MachineLogCommand, machineLogsToRead } from "./lifecycle/logs.ts";
import type { Rules } from "./options.ts";
import { recordsOf } from "./recording/records.ts";
import { countsAsFailure } from "./renting/failures.ts";
import { type Count, countMachines, heldBackNow } from "./renting/how-many.ts";
import { type ImageCommand, imageCommands } from "./renting/image.ts";
import { noOfferSince, type Rent, type RentCommand, renting, searching } from "./renting/next-create.ts";
import { areBidsOfNoUse } from "./renting/offer.ts";
import { isForWantOfOffers, type Stop, stopOf } from "./renting/stop.ts";
import {
  aliveInstances,
  currentSlot,
  hasRun,
  isAlive,
  isBusy,
  isFree,
  isReady,
  isServing,
  type Machine,
  mainInstance,
  mayHaveRun,
  stageOf,
  wasMade,
} from "./stage.ts";
import type { Ending, Findings, Fleet, LostJob } from "./state.ts";

/** One thing to do. The loop goes on meanwhile. */
export type Command =
  | RentCommand
  | JobLogCommand
  | ImageCommand
  /** Removes these runners in order, until one has a job. */
  | { kind: "drain"; machineNo: number; runnerIds: number[] }
  /** `showLogs`: first show what the machine printed last. */
  | { kind: "destroy"; machineNo: number; id: number; showLogs: boolean }
  | MachineLogCommand;

/** What is decided from all that is known. JSON. */
export interface Decision {
  commands: Command[];
  /** Machines that end now, and machines whose end is taken back. */
  endings: { machineNo: number; ending: Ending }[];
  takenBack: number[];
  lost: LostJob[];
  end?: End | undefined;
  /** Why nothing more is rented while jobs wait for it. */
  stop?: Stop | undefined;
  /** How many free machines are wanted, and how many of these are still to be started. */
  wanted: number;
  lacking: number;
  /** How many jobs GitHub seems to hold back. */
  heldBack: number;
  /** What a create has to wait for. */
  waitsFor?: Rent["waitsFor"];
  /** Since when a job has waited with no machine ready or busy. */
  unservedSince?: number | undefined;
  besideReady: Fleet["besideReady"];
  areBidsOfNoUse: boolean;
  noOfferSince?: number | undefined;
  findings: Findings;
}

/** Decides what to do from state, rules and time. Nothing else decides. */
export function decide(before: Fleet, rules: Rules, now: number): Decision {
  const fleet = { ...before, ...clocksNow(before, now) };
  const look = lookOf(fleet, now, rules.hold);
  const facts: Facts = { fleet, rules, now, budget: budgetOf(fleet, rules, now) };
  const takenBack = fleet.machines.filter(isTakenBack).map(({ machineNo }) => machineNo);
  const judged = judgeMachines(facts, takenBack, look);
  const sure = judged.filter((each) => each.isSure).map(({ ending, machineNo }) => ({ ending, machineNo }));
  const heldBack = heldBackNow(facts);
  const after = { ...facts, fleet: withEndings({ ...fleet, heldBack }, sure, takenBack) };
  const count = countMachines(after);
  const stop = stopOf(after);
  const lost = lostJobs(after.fleet, look);
  const { end, findings: ofEnd } = sureEnd(endOf(after, stop, lost), facts, look);
  const isOver = end?.kind === "over";
  const unneeded = isOver || isClear(judged, facts) ? count.unneeded.filter(wasMade) : [];
  const endings = [...sure, ...notNeeded(unneeded, facts, look, isOver)];
  const findings = [...judged.flatMap((each) => each.findings), ...unneeded.map(unneededFinding), ...ofEnd];
  const rent = nextRent(after, count, stop);
  const ended = withEndings(fleet, endings, takenBack);
  return {
    commands: [
      ...endingCommands(ended, rules, now),
      ...machineLogsToRead(ended, rules, now),
      ...imageCommands(after, count),
      ...(rent.command ? [rent.command] : []),
      ...jobLogsToRead(fleet, rules),
    ],
    endings,
    takenBack,
    lost,
    end,
    stop: count.wanted > 0 ? stop : undefined,
    wanted: count.wanted,
    lacking: count.lacking,
    waitsFor: rent.waitsFor,
    unservedSince: unservedNow(ended, count, now),
    ...besideNow(fleet, heldBack),
    areBidsOfNoUse: areBidsOfNoUse(after),
    noOfferSince: noOfferSince(after, count.lacking, rent.waitsFor),
    findings: noted(fleet.findings, findings, look),
  };
}

/** Returns how many jobs are held back, and the clock of those that wait beside ready machines. */
function besideNow(
  { besideReady, heldBack: before }: Fleet,
  heldBack: number,
): Pick<Decision, "besideReady" | "heldBack"> {
  // The wait begins anew: a job that is queued later may wait as long while a machine is ready for it.
  return { heldBack, besideReady: heldBack > before ? { sumMs: 0, at: undefined } : besideReady };
}

/** Returns what max-cost leaves. Undefined: there is no limit, so no bill to reckon at each look. */
function budgetOf(fleet: Fleet, { rental }: Rules, now: number): Facts["budget"] {
  return rental.money.maxCost === undefined ? undefined : budgetLeft(rental, recordsOf(fleet), now);
}

/** True unless it is open whether a free machine ends. Then nobody knows how many machines are free. */
function isClear(judged: readonly Judged[], { fleet, now, rules }: Facts): boolean {
  const unconfirmed = new Set(judged.filter(({ isSure }) => !isSure).map(({ machineNo }) => machineNo));
  return !fleet.machines.some((each) => unconfirmed.has(each.machineNo) && isFree(each, rules, now));
}

/**
 * Returns the next step to one more machine, or a look at the market. Where offers lack, or are too
 * dear for max-cost, the search goes on.
 */
function nextRent(facts: Facts, count: Count, stop: Stop | undefined): Rent {
  const mayRent = stop === undefined || isForWantOfOffers(stop);
  const rent: Rent = count.lacking > 0 && mayRent ? renting(facts, count) : {};
  const command = rent.command ?? searching(facts);
  return command === undefined ? rent : { ...rent, command };
}

/** Returns the clocks as time has moved them: of jobs that wait while machines are ready, and of unserved jobs. */
function clocksNow(fleet: Fleet, now: number): Pick<Fleet, "besideReady" | "unservedSince"> {
  const { at, sumMs } = fleet.besideReady;
  const waiting = (fleet.jobs?.ours ?? []).filter(waitsForUs);
  const waits = fleet.jobsFault === undefined && waiting.length > fleet.heldBack;
  const isBeside = waits && fleet.machines.some(isReady);
  const grown = isBeside && at !== undefined ? now - at : 0;
  const unservedSince = isServed(fleet) || isUnseen(fleet, now) ? undefined : fleet.unservedSince;
  return { besideReady: { sumMs: sumMs + grown, at: isBeside ? now : undefined }, unservedSince };
}

/** True if nobody can know whether a job waited all the while, or whether a machine was ready for it. */
function isUnseen({ jobsFault, machines, runnersUnreadSince }: Fleet, now: number): boolean {
  const isLong = (since = now) => now - since >= LATE.unseen;
  const mayBeReady = (machine: Machine) => stageOf(machine) === "starting";
  return isLong(jobsFault?.since) || (isLong(runnersUnreadSince) && machines.some(mayBeReady));
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
  return machines.some(isServing);
}

/** Returns the fleet with these decisions applied, for the decisions that depend on them. */
function withEndings(
  fleet: Fleet,
  endings: readonly { machineNo: number; ending: Ending }[],
  takenBack: readonly number[],
): Fleet {
  if (endings.length + takenBack.length === 0) return fleet;
  const machines = fleet.machines.map((machine) => {
    const ending = endings.find(({ machineNo }) => machineNo === machine.machineNo)?.ending;
    const isBack = takenBack.includes(machine.machineNo);
    return ending === undefined && !isBack ? machine : { ...machine, ending };
  });
  return { ...fleet, machines };
}

/** What one look says of a machine, and whether that counts yet. */
interface Judged {
  machineNo: number;
  /** What is looked at again, if anything is. */
  findings: Finding[];
  ending: Ending;
  isSure: boolean;
}

function judgeMachines(facts: Facts, takenBack: readonly number[], look: Look): Judged[] {
  const { fleet, now } = facts;
  return fleet.machines.flatMap((machine): Judged[] => {
    const { machineNo } = machine;
    const isOpen = isJudged(machine) && !takenBack.includes(machineNo);
    const verdict = isOpen ? judgeMachine(machine, facts) : judgeAgain(machine, facts);
    if (verdict === undefined) return [];
    const { again, ...ending } = verdict;
    const key = findingOf(machineNo, verdict.kind);
    const since = again === undefined ? now : (fleet.findings[key] ?? look.instances);
    const times = { since, decidedAt: now };
    const findings: Finding[] = again === undefined ? [] : [{ key, list: "instances" }];
    return [{ machineNo, findings, ending: { ...ending, ...times }, isSure: isSure(since, again, look) }];
  });
}

/** Returns the end if two lists of jobs say the same, and what to look at again until then. */
function sureEnd(
  end: End | undefined,
  { fleet, rules }: Facts,
  look: Look,
): { end?: End | undefined; findings: Finding[] } {
  // The first kind needs no jobs list, and the second can have none.
  if (end === undefined || !rules.hold || end.kind === "list-unreadable") return { end, findings: [] };
  const key = endName(end);
  const isTrue = isSure(fleet.findings[key] ?? look.jobs, "jobs", look);
  return { end: isTrue ? end : undefined, findings: [{ key, list: "jobs" }] };
}

/** Names an end so that two looks are the same only if they say the same of each job. */
function endName(end: End): string {
  if (end.kind !== "over") return `end: ${end.kind}`;
  return `end: over, not well: ${[...end.bad, ...end.lost, ...end.refused].map(({ id }) => id).join(" ")}`;
}

function unneededFinding({ machineNo }: Machine): Finding {
  return { key: findingOf(machineNo, "unneeded"), list: "jobs" };
}

/** Returns the ends of machines that two looks show as unneeded. One look is enough once all jobs are over. */
function notNeeded(
  unneeded: readonly Machine[],
  { fleet, now }: Facts,
  look: Look,
  isOver: boolean,
): { machineNo: number; ending: Ending }[] {
  const times = { since: now, decidedAt: now };
  return unneeded
    .filter((machine) => isOver || isSure(fleet.findings[unneededFinding(machine).key] ?? look.jobs, "jobs", look))
    .map(({ machineNo }) => ({
      machineNo,
      ending: { kind: "unneeded", why: "no job needs it", force: false, ...times },
    }));
}

/** Returns the commands that release ending machines, and surplus instances of one create. */
function endingCommands(fleet: Fleet, rules: Rules, now: number): Command[] {
  return fleet.machines
    .filter((machine) => isAlive(machine) && !machine.isDraining && now >= (machine.askAgainAt ?? 0))
    .flatMap((machine): Command[] => {
      const { ending } = machine;
      if (ending === undefined) return destroyed(machine, surplus(machine, fleet));
      if (isPastDeadline(machine, now)) return destroyed(machine, aliveInstances(machine));
      if (!ending.force && !isDrained(machine)) return [drain(machine)];
      return now >= destroyAt(machine, rules) ? destroyed(machine, aliveInstances(machine)) : [];
    });
}

/**
 * True if no job can come to the machine any more. Its runners are gone; or GitHub gives no answer,
 * and the machine never ran or is unknown to the service.
 */
function isDrained(machine: Machine): boolean {
  const isUnconfirmed = (machine.unconfirmedDrains ?? 0) > 1 && (!mayHaveRun(machine) || isAbsentMachine(machine));
  return currentSlot(machine) === undefined || (isUnconfirmed && !isBusy(machine));
}

function isAbsentMachine(machine: Machine): boolean {
  return aliveInstances(machine).every(({ absentSince }) => absentSince !== undefined);
}

/** Removes the machine's runners, the waiting ones first so that no job comes to them meanwhile. */
function drain(machine: Machine): Command {
  const current = currentSlot(machine);
  const waiting = machine.slots.filter((slot) => slot.spentAt === undefined && slot !== current);
  const runnerIds = [...waiting, ...(current ? [current] : [])].map(({ runnerId }) => runnerId);
  return { kind: "drain", machineNo: machine.machineNo, runnerIds };
}

/**
 * Returns the surplus instances of one create. Once one has run, nobody knows which one has the job.
 * Then only those count of which the service has said twice that it knows none.
 */
function surplus(machine: Machine, { instancesAt = 0 }: Fleet): Machine["instances"] {
  const alive = aliveInstances(machine);
  if (machine.answer === undefined) return [];
  if (!hasRun(machine)) return alive.filter((each) => each !== mainInstance(machine));
  const gone = alive.filter(({ absentSince = instancesAt }) => isConfirmed(absentSince, instancesAt));
  return gone.length < alive.length ? gone : [];
}

function destroyed(machine: Machine, instances: Machine["instances"]): Command[] {
  const { machineNo } = machine;
  const showLogs = countsAsFailure(machine) && machine.ending?.kind !== "lost";
  return instances
    .filter(({ isDestroying }) => !isDestroying)
    .map(({ id }) => ({ kind: "destroy", machineNo, id, showLogs }));
}
