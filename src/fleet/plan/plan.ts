import { asksForMore } from "../../github/jobs.ts";
import { withEndings } from "../state/end-machine.ts";
import type { Doubts, Fleet, Looks } from "../state/fleet.ts";
import type { Ending, Machine } from "../state/machine.ts";
import type { FleetOptions } from "../state/policy.ts";
import { currentUse, isAlive, isFree, LOOKS_APART_MS } from "../state/stage.ts";
import { countMachines } from "./plan-count.ts";
import { type End, endOf } from "./plan-end.ts";
import { destroyAt, isJudged, judgeMachine } from "./plan-machines.ts";
import { type Rent, type RentAct, renting, searching } from "./plan-rent.ts";
import { type Stop, stopOf } from "./plan-stop.ts";

/** One thing to do, beside the loop. */
export type Act =
  | RentAct
  /** Takes its runners away first. */
  | { do: "give-up"; n: number }
  /** Takes away the runners that no job may come to, and leaves it for a look. */
  | { do: "retire"; n: number }
  | { do: "destroy"; n: number };

/** The next steps, by all that is known. */
export interface Plan {
  acts: readonly Act[];
  /** Machines whose end is decided now. */
  endings: readonly { n: number; ending: Ending }[];
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
  doubts: Doubts;
}

/** The one place where anything is decided: from what was seen to what is to be done. Pure. */
export function plan(fleet: Fleet, policy: FleetOptions, now: number): Plan {
  const doubts = new DoubtBook(fleet);
  const endings = judge(fleet, policy, doubts, now);
  const sure = endings.filter(({ isSure }) => isSure);
  const heldBack = heldBackNow(fleet, policy);
  const after = withEndings({ ...fleet, heldBack }, sure, policy);
  const count = countMachines(after, policy, now);
  const stop = stopOf(after, policy, now);
  const end = sureEnd(endOf(after, policy, stop, now), policy, doubts);
  const isOver = end?.kind === "over";
  // While some other free machine is in doubt, it is not clear how many there are.
  const doubtful = new Set(endings.filter(({ isSure }) => !isSure).map(({ n }) => n));
  const isClear = isOver || !fleet.machines.some((each) => doubtful.has(each.n) && isFree(each, policy, now));
  const unneeded = isClear ? giveUp(count.unneeded, doubts, now, isOver) : [];
  const decided = [...sure.map(({ n, ending }) => ({ n, ending })), ...unneeded];
  // An offer may still come while machines work.
  const mayRent = stop === undefined || stop.kind === "no-offer";
  const rent: Rent = count.lacking > 0 && mayRent ? renting(after, policy, now) : {};
  const act = rent.act ?? searching(after, policy, now);
  return {
    acts: [...endingActs(withEndings(fleet, decided, policy), policy, now), ...(act ? [act] : [])],
    endings: decided,
    end,
    stop: count.wanted > 0 ? stop : undefined,
    wanted: count.wanted,
    lacking: count.lacking,
    heldBack,
    waitsFor: rent.waitsFor,
    doubts: doubts.kept,
  };
}

function judge(
  fleet: Fleet,
  policy: FleetOptions,
  doubts: DoubtBook,
  now: number,
): { n: number; ending: Ending; isSure: boolean }[] {
  return fleet.machines.filter(isJudged).flatMap((machine) => {
    const verdict = judgeMachine({ machine, fleet, policy, now });
    if (verdict === undefined) return [];
    const key = `machine ${machine.n}: ${verdict.ending.kind}`;
    const isSure = !verdict.isGrave || doubts.confirms(key, "instances");
    return [{ n: machine.n, ending: { ...verdict.ending, since: doubts.since(key) ?? now }, isSure }];
  });
}

/** Findings of one look, which count when a look 15 s later shows them, too. */
class DoubtBook {
  readonly kept: Record<string, number> = {};
  readonly #fleet: Fleet;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  /** When the list was read that first showed it. */
  since(key: string): number | undefined {
    return this.kept[key];
  }

  /** `list`: the one that must have been read again. */
  confirms(key: string, list: keyof Looks): boolean {
    const { doubts, looks } = this.#fleet;
    const first = doubts[key] ?? looks[list];
    this.kept[key] = first;
    return looks[list] - first >= LOOKS_APART_MS;
  }
}

function sureEnd(end: End | undefined, policy: FleetOptions, doubts: DoubtBook): End | undefined {
  if (end === undefined || isSureAtOnce(end, policy)) return end;
  return doubts.confirms(nameOf(end), "jobs") ? end : undefined;
}

/** Two looks must say the same of each job. */
function nameOf(end: End): string {
  if (end.kind !== "over") return `end: ${end.kind}`;
  return `end: over, not well: ${[...end.bad, ...end.lost, ...end.refused].map(({ id }) => id).join(" ")}`;
}

/** Ends that no list of jobs is needed for, or that can't have one. */
function isSureAtOnce(end: End, { hold }: FleetOptions): boolean {
  return !hold || end.kind === "unreadable";
}

/** Two looks must show it; one, when all jobs are over. */
function giveUp(
  unneeded: readonly Machine[],
  doubts: DoubtBook,
  now: number,
  isOver: boolean,
): { n: number; ending: Ending }[] {
  return unneeded
    .filter(({ instanceId }) => instanceId !== undefined)
    .filter(({ n }) => doubts.confirms(`machine ${n}: unneeded`, "jobs") || isOver)
    .map(({ n }) => ({ n, ending: { kind: "unneeded", why: "no job needs it", isUnasked: false, since: now } }));
}

/** Machines whose end is decided, and for whom nothing is under way. */
function endingActs({ machines }: Fleet, policy: FleetOptions, now: number): Act[] {
  return machines
    .filter((machine) => isAlive(machine) && machine.act === undefined && now >= (machine.askAgainAt ?? 0))
    .flatMap((machine): Act[] => {
      const { deadline, ending, n } = machine;
      if (ending === undefined) return [];
      if (now >= destroyAt(machine, policy))
        return [{ do: ending.isUnasked || now >= deadline ? "destroy" : "give-up", n }];
      return currentUse(machine) === undefined ? [] : [{ do: "retire", n }];
    });
}

/** Jobs that waited long beside ready machines while one ran: max-parallel or the like. */
function heldBackNow(fleet: Fleet, { idleMs }: FleetOptions): number {
  const { besideReady, heldBack, jobs, jobsFault, lost } = fleet;
  if (jobs === undefined || jobsFault !== undefined) return heldBack;
  const waiting = jobs.ours.filter((job) => job.state === "waiting" && !asksForMore(job)).length;
  const isRunning = jobs.ours.some(({ id, state }) => state === "running" && !lost.some((each) => each.id === id));
  // Only one that runs can hold others back: one of them may come now.
  if (!isRunning) return Math.max(0, Math.min(heldBack, waiting - 1));
  return besideReady.sumMs < idleMs ? Math.min(heldBack, waiting) : waiting;
}
