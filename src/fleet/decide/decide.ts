import { asksForMore } from "../../github/jobs.ts";
import type { Rules } from "../options.ts";
import { recordsOf } from "../records.ts";
import { budgetLeft } from "../rental.ts";
import {
  aliveInstances,
  CONFIRMED_AFTER_MS,
  countsAsFailure,
  currentSlot,
  isAlive,
  isBusy,
  isFree,
  isReady,
  type Machine,
  mayHaveRun,
  stageOf,
  wasReady,
} from "../stage.ts";
import type { Confirmations, Ending, Fleet, LostJob } from "../state.ts";
import { type Count, countMachines, heldBackNow } from "./count.ts";
import { type End, endOf } from "./end.ts";
import { type Facts, findingOf } from "./facts.ts";
import { type ImageCommand, imageCommands } from "./image.ts";
import { type JobLogCommand, jobLogsToRead } from "./job-logs.ts";
import { lostJobs } from "./lost.ts";
import { type MachineLogCommand, machineLogsToRead } from "./machine-logs.ts";
import { destroyAt, isJudged, isPastDeadline, isTakenBack, judgeAgain, judgeMachine } from "./machines.ts";
import { areBidsOfNoUse } from "./market.ts";
import { noOfferSince, type Rent, type RentCommand, renting, searching } from "./rent.ts";
import { type Stop, stopOf } from "./stop.ts";

/** A finding waits so long for a list of jobs that can't be read. */
const UNREAD_FOR_MS = 600_000;
/** The clock of unserved jobs starts anew when the jobs, or the runners, could not be read for longer. */
const UNSEEN_MS = 60_000;

/** One thing to do, beside the loop. */
export type Command =
  | RentCommand
  | JobLogCommand
  | ImageCommand
  /** Takes these runners away, in order, until one has a job. */
  | { kind: "drain"; machineNo: number; runnerIds: number[] }
  /** `showLogs`: what it printed last is shown first. */
  | { kind: "destroy"; machineNo: number; id: number; showLogs: boolean }
  | MachineLogCommand;

/** What is decided, by all that is known. JSON. */
export interface Decision {
  commands: Command[];
  /** Machines whose end is decided now, and those whose end is taken back. */
  endings: { machineNo: number; ending: Ending }[];
  takenBack: number[];
  lost: LostJob[];
  end?: End | undefined;
  /** Why nothing is rented any more, while some jobs wait for it. */
  stop?: Stop | undefined;
  /** Free machines that are wanted; and how many are to be started. */
  wanted: number;
  lacking: number;
  /** Jobs that GitHub is now taken to hold back. */
  heldBack: number;
  /** Why a create has to wait. */
  waitsFor?: Rent["waitsFor"];
  /** Since when jobs wait with no machine ready or busy. */
  unservedSince?: number | undefined;
  besideReady: Fleet["besideReady"];
  areBidsOfNoUse: boolean;
  noOfferSince?: number | undefined;
  confirmations: Confirmations;
}

/** Decides, in the one place that does, from what was seen what is to be done. */
export function decide(before: Fleet, rules: Rules, now: number): Decision {
  const fleet = { ...before, ...clocksNow(before, now) };
  const looks = new Confirmer(fleet);
  const facts: Facts = { fleet, rules, now, budget: budgetOf(fleet, rules, now) };
  const takenBack = fleet.machines.filter(isTakenBack).map(({ machineNo }) => machineNo);
  const judged = judge(facts, takenBack, looks);
  const sure = judged.filter(({ isSure }) => isSure).map(({ ending, machineNo }) => ({ ending, machineNo }));
  const heldBack = heldBackNow(facts);
  const after = { ...facts, fleet: withEndings({ ...fleet, heldBack }, sure, takenBack) };
  const count = countMachines(after);
  const stop = stopOf(after);
  const lost = fleet.jobsFault === undefined ? lostJobs(after) : [...fleet.lost];
  const end = sureEnd(endOf(after, stop, lost), rules, looks);
  const isOver = end?.kind === "over";
  const unneeded = isOver || isClear(judged, facts) ? notNeeded(count.unneeded, looks, now, isOver) : [];
  const endings = [...sure, ...unneeded];
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
    heldBack,
    waitsFor: rent.waitsFor,
    unservedSince: unservedNow(ended, count, now),
    // A job that is queued later may wait for as long, beside a machine of its own.
    besideReady: heldBack > fleet.heldBack ? { sumMs: 0, at: undefined } : fleet.besideReady,
    areBidsOfNoUse: areBidsOfNoUse(after),
    noOfferSince: noOfferSince(after, count.lacking, rent.waitsFor),
    confirmations: looks.kept,
  };
}

/** Undefined: no bound, and no bill to be reckoned at each look. */
function budgetOf(fleet: Fleet, { rental }: Rules, now: number): Facts["budget"] {
  return rental.money.maxCost === undefined ? undefined : budgetLeft(rental, recordsOf(fleet), now);
}

/** While some other free machine is in doubt, it is not clear how many there are. */
function isClear(judged: readonly Judged[], { fleet, now, rules }: Facts): boolean {
  const doubtful = new Set(judged.filter(({ isSure }) => !isSure).map(({ machineNo }) => machineNo));
  return !fleet.machines.some((each) => doubtful.has(each.machineNo) && isFree(each, rules, now));
}

/** One more machine, or a look at the market; an offer may still come while machines work. */
function nextRent(facts: Facts, count: Count, stop: Stop | undefined): Rent {
  const mayRent = stop === undefined || stop.kind === "no-offer";
  const rent: Rent = count.lacking > 0 && mayRent ? renting(facts, count) : {};
  const command = rent.command ?? searching(facts);
  return command === undefined ? rent : { ...rent, command };
}

/** The clocks that time moves: of jobs that wait beside a ready machine, and of unserved ones. */
function clocksNow(fleet: Fleet, now: number): Pick<Fleet, "besideReady" | "unservedSince"> {
  const { at, sumMs } = fleet.besideReady;
  const waiting = (fleet.jobs?.ours ?? []).filter((job) => job.state === "waiting" && !asksForMore(job));
  const waits = fleet.jobsFault === undefined && waiting.length > fleet.heldBack;
  const isBeside = waits && fleet.machines.some(isReady);
  const grown = isBeside && at !== undefined ? now - at : 0;
  const unservedSince = isServed(fleet) || isUnseen(fleet, now) ? undefined : fleet.unservedSince;
  return { besideReady: { sumMs: sumMs + grown, at: isBeside ? now : undefined }, unservedSince };
}

/** Nobody can say whether a job waited all the while, or whether a machine was ready for it. */
function isUnseen({ jobsFault, machines, runnersUnreadSince }: Fleet, now: number): boolean {
  const isLong = (since = now) => now - since >= UNSEEN_MS;
  const mayBeReady = (machine: Machine) => stageOf(machine) === "starting";
  return isLong(jobsFault?.since) || (isLong(runnersUnreadSince) && machines.some(mayBeReady));
}

/** While no list of jobs can be read, its clock goes on and none begins. */
function unservedNow(fleet: Fleet, { wanted }: Count, now: number): number | undefined {
  if (isServed(fleet)) return undefined;
  if (fleet.jobsFault !== undefined) return fleet.unservedSince;
  return wanted === 0 ? undefined : (fleet.unservedSince ?? now);
}

function isServed({ machines }: Fleet): boolean {
  return machines.some((machine) => isReady(machine) || isBusy(machine));
}

/** The fleet as it will be: what is decided next must know of it. */
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

interface Judged {
  machineNo: number;
  ending: Ending;
  isSure: boolean;
}

function judge(facts: Facts, takenBack: readonly number[], looks: Confirmer): Judged[] {
  const { fleet, now } = facts;
  return fleet.machines.flatMap((machine): Judged[] => {
    const { machineNo } = machine;
    const isOpen = isJudged(machine) && !takenBack.includes(machineNo);
    const verdict = isOpen ? judgeMachine(machine, facts) : judgeAgain(machine);
    if (verdict === undefined) return [];
    const { needsConfirmation, ...ending } = verdict;
    const key = findingOf(machineNo, verdict.kind);
    const isSeenAgain = needsConfirmation === undefined || looks.confirms(key, "instancesAt");
    const isSure = isSeenAgain && (needsConfirmation !== "jobs" || looks.haveJobsOf(key, facts));
    return [{ machineNo, ending: { ...ending, since: looks.kept[key] ?? now, decidedAt: now }, isSure }];
  });
}

/** Findings of one look, which count when a look 15 s later shows them, too. */
class Confirmer {
  readonly kept: Confirmations = {};
  readonly #fleet: Fleet;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  /** `list`: the one that must have been read again. */
  confirms(key: string, list: "instancesAt" | "jobsAt"): boolean {
    const { confirmations, startedAt } = this.#fleet;
    const at = this.#fleet[list] ?? startedAt;
    const first = confirmations[key] ?? at;
    this.kept[key] = first;
    return at - first >= CONFIRMED_AFTER_MS;
  }

  /** Says whether the jobs were read since a finding, too. Nothing waits for ever for them. */
  haveJobsOf(key: string, { now, rules }: Facts): boolean {
    const { jobsAt, startedAt } = this.#fleet;
    const first = this.kept[key] ?? startedAt;
    return !rules.hold || (jobsAt ?? startedAt) - first >= CONFIRMED_AFTER_MS || now - first >= UNREAD_FOR_MS;
  }
}

function sureEnd(end: End | undefined, { hold }: Rules, looks: Confirmer): End | undefined {
  // No list of jobs is needed for these, or none can be had.
  if (end === undefined || !hold || end.kind === "list-unreadable") return end;
  return looks.confirms(nameOf(end), "jobsAt") ? end : undefined;
}

/** Two looks must say the same of each job. */
function nameOf(end: End): string {
  if (end.kind !== "over") return `end: ${end.kind}`;
  return `end: over, not well: ${[...end.bad, ...end.lost, ...end.refused].map(({ id }) => id).join(" ")}`;
}

/** Two looks must show it; one, when all jobs are over. */
function notNeeded(
  unneeded: readonly Machine[],
  looks: Confirmer,
  now: number,
  isOver: boolean,
): { machineNo: number; ending: Ending }[] {
  const times = { since: now, decidedAt: now };
  return unneeded
    .filter(({ instances }) => instances.length > 0)
    .filter(({ machineNo }) => looks.confirms(findingOf(machineNo, "unneeded"), "jobsAt") || isOver)
    .map(({ machineNo }) => ({
      machineNo,
      ending: { kind: "unneeded", why: "no job needs it", force: false, ...times },
    }));
}

/** What releases machines whose end is decided, and the younger of two that one create made. */
function endingCommands({ machines }: Fleet, rules: Rules, now: number): Command[] {
  return machines
    .filter((machine) => isAlive(machine) && !machine.isDraining && now >= (machine.askAgainAt ?? 0))
    .flatMap((machine): Command[] => {
      const { ending } = machine;
      if (ending === undefined) return destroyed(machine, younger(machine));
      if (isPastDeadline(machine, now)) return destroyed(machine, aliveInstances(machine));
      if (!ending.force && !isDrained(machine)) return [drain(machine)];
      return now >= destroyAt(machine, rules) ? destroyed(machine, aliveInstances(machine)) : [];
    });
}

/**
 * Nobody can have its runners: they are gone, or GitHub does not tell, and the machine never ran or
 * the service does not know it any more.
 */
function isDrained(machine: Machine): boolean {
  const isUntold = (machine.drainDoubts ?? 0) > 1 && (!mayHaveRun(machine) || isAbsent(machine));
  return currentSlot(machine) === undefined || (isUntold && !isBusy(machine));
}

/** By the service's own word there is none of its instances. */
function isAbsent(machine: Machine): boolean {
  return aliveInstances(machine).every(({ absentSince }) => absentSince !== undefined);
}

/** Those that wait for their turn first, so that no job comes to them meanwhile. */
function drain(machine: Machine): Command {
  const current = currentSlot(machine);
  const waiting = machine.slots.filter((slot) => slot.spentAt === undefined && slot !== current);
  const runnerIds = [...waiting, ...(current ? [current] : [])].map(({ runnerId }) => runnerId);
  return { kind: "drain", machineNo: machine.machineNo, runnerIds };
}

/** Before any of them runs, one is enough; after that nobody knows whose runner has the job. */
function younger(machine: Machine): Machine["instances"] {
  const alive = aliveInstances(machine);
  const hasRun = wasReady(machine) || isBusy(machine) || mayHaveRun(machine);
  return hasRun || machine.answer === undefined ? [] : alive.slice(1);
}

function destroyed(machine: Machine, instances: Machine["instances"]): Command[] {
  const { machineNo } = machine;
  const showLogs = countsAsFailure(machine) && machine.ending?.kind !== "lost";
  return instances
    .filter(({ isDestroying }) => !isDestroying)
    .map(({ id }) => ({ kind: "destroy", machineNo, id, showLogs }));
}
