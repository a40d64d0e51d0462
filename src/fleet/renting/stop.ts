import { MOST_CREATES } from "../../machine/record.ts";
import type { Refusal } from "../../marketplace/marketplace.ts";
import type { OfferBudget } from "../../money/budget.ts";
import { type Fault, faultError, type UserError } from "../../shared/user-error.ts";
import type { Facts } from "../facts.ts";
import { isConfirmed, LATE } from "../lifecycle/late.ts";
import { aliveInstances, hasRun, type Machine, wasMade } from "../stage.ts";
import type { Fleet } from "../state.ts";
import { ENOUGH_HOSTS, endCause, failuresOf, hostsOf } from "./failures.ts";
import { hasMadeRoom, isTooDear } from "./offer.ts";
import { hostKey, refusedRunner, standingRefusal } from "./standing.ts";
import {
  attemptsError,
  createsError,
  hopelessError,
  type ImageFault,
  imageError,
  maxCostError,
  noImageError,
  noOfferError,
  type ProbeFault,
  passedOverError,
  probeError,
  readyTimeoutError,
  refusedError,
  runnersRefusedError,
  saidError,
  type Told,
} from "./stop-errors.ts";

/** One reason to rent no more. */
interface StopRow<Detail> {
  /** Returns what the error tells of it, if the reason holds. */
  holds(facts: Facts): Detail | false | undefined;
  /** Another offer lifts it, or a machine that goes and frees its own offer or its part of max-cost. So the search goes on. */
  goesOn?: true;
  /** The reason in the log's words, for where rented machines work on. */
  inShort: string;
  /** Makes the error for the end, if the jobs that wait get no machine. */
  error(told: Told, detail: Detail): UserError;
}

const GIVES_NO_JOB = "GitHub gives no job to our runners";

/**
 * The reasons of docs/internals/holding.md to stop renting, with their errors. The first that holds decides.
 * Each is judged anew at each look, so what has passed stops nothing.
 */
export const STOPS = {
  undestroyed: row({
    holds: undestroyed,
    inShort: "a machine could not be destroyed",
    error: (_, fault: Fault) => faultError(fault),
  }),
  refused: row({ holds: refused, inShort: "Vast.ai refuses", error: refusedError }),
  unregistered: row({ holds: unregistered, inShort: "GitHub registers no runner", error: saidError }),
  unsearchable: row({ holds: unsearchable, inShort: "Vast.ai refuses to search", error: saidError }),
  "no-image": row({ holds: noImage, inShort: "the registry does not have the image", error: noImageError }),
  "runners-refused": row({
    holds: runnersRefused,
    inShort: "GitHub's runner ends on each machine with the same message",
    error: runnersRefusedError,
  }),
  "passed-over": row({ holds: passedOver, inShort: GIVES_NO_JOB, error: passedOverError }),
  image: imageRow("image", "the image can't be pulled"),
  login: imageRow("login", "the image's registry refuses"),
  platform: imageRow("platform", "the image is not for linux/amd64"),
  "unfit-image": imageRow("unfit-image", "the image lacks what the runner needs"),
  probe: row({ holds: probe, inShort: "machines give themselves back while they prepare", error: probeError }),
  attempts: row({ holds: attemptsUsedUp, inShort: "too many machines failed", error: (told) => attemptsError(told) }),
  creates: row({
    holds: createsUsedUp,
    inShort: `this session has asked for ${MOST_CREATES - 1} machines`,
    error: createsError,
  }),
  hopeless: row({ holds: hopeless, goesOn: true, inShort: "no offer fits", error: hopelessError }),
  "max-cost": row({ holds: maxCost, goesOn: true, inShort: "max-cost is used up", error: maxCostError }),
  "passed-over-alone": row({ holds: passedOverAlone, inShort: GIVES_NO_JOB, error: passedOverError }),
  "no-offer": row({ holds: noOffer, goesOn: true, inShort: "no offer fits", error: noOfferError }),
  "ready-timeout": row({ holds: readyTimeout, inShort: "ready-timeout is over", error: readyTimeoutError }),
};

export type StopId = keyof typeof STOPS;

/** Why no machine is rented any more. JSON. */
export interface Stop {
  id: StopId;
  /** What the row's error tells of it. */
  detail: unknown;
}

/** Says why renting stops. Undefined: it goes on. */
export function stopOf(facts: Facts): Stop | undefined {
  for (const [id, { holds }] of Object.entries(STOPS)) {
    const detail = holds(facts);
    if (detail !== undefined && detail !== false) return { id: id as StopId, detail };
  }
  return undefined;
}

/** Makes a row whose error tells what its predicate found. */
function row<Detail>(checked: StopRow<Detail>): StopRow<unknown> {
  return checked;
}

/**
 * Stops renting while an instance that is to go can't be destroyed. One that is kept until its job
 * is over does not count.
 */
function undestroyed({ fleet }: Facts): Fault | undefined {
  const leaving = fleet.machines.filter((machine) => machine.ending !== undefined || !hasRun(machine));
  return leaving.flatMap(aliveInstances).find(({ fault }) => fault !== undefined)?.fault;
}

function refused({ fleet, now }: Facts): Refusal | undefined {
  const answer = standingRefusal(fleet, now);
  return answer?.kind === "refused" ? answer.refusal : undefined;
}

function unregistered({ fleet, now }: Facts): Fault | undefined {
  const answer = standingRefusal(fleet, now);
  return answer?.kind === "unregistered" ? answer.fault : undefined;
}

/**
 * A search that was refused twice. It counts until the next one is due for certain. A used up quota counts at
 * once, until it is full again, unless that is soon enough.
 */
function unsearchable({ fleet, now, rules }: Facts): Fault | undefined {
  const { aheadMs = 0, market, noOfferSince } = fleet;
  if (market?.nothing?.kind !== "fault") return undefined;
  const { fault, quotaUntil } = market.nothing;
  const fullAt = (quotaUntil ?? 0) - aheadMs;
  const isLong = fullAt > now && fullAt > (noOfferSince ?? market.searchedAt) + rules.searchTimeout;
  const isTwice = fullAt <= now && market.refusals > 1 && now - market.searchedAt < LATE.refusal;
  return isLong || isTwice ? fault : undefined;
}

/** Returns the registry's word that there is no such image, once it was said twice. */
function noImage({ fleet: { image } }: Facts): string | undefined {
  const { at = 0, missing } = image ?? {};
  return missing !== undefined && isConfirmed(missing.since, at) ? missing.word : undefined;
}

function runnersRefused({ fleet, now }: Facts): string | undefined {
  return refusedRunner(fleet, now)?.words?.text;
}

/** Returns the machines to which GitHub gave none of the jobs that waited, since a job of ours last began. */
function overlooked({ lastBeginAt, machines }: Fleet): Machine[] {
  return machines.filter(({ ending }) => ending?.id === "passed-over" && ending.decidedAt > lastBeginAt);
}

/** Holds when GitHub gave no job to two hosts, the second of which was ready after the first was given up. */
function passedOver({ fleet }: Facts): boolean {
  const [first, ...others] = overlooked(fleet);
  return others.some(
    (machine) =>
      first && hostKey(machine) !== hostKey(first) && (machine.readyAt ?? 0) > (first.ending?.decidedAt ?? 0),
  );
}

/** Holds when no machine can be had after one was passed over. That GitHub gave it no job says more. */
function passedOverAlone(facts: Facts): boolean {
  return overlooked(facts.fleet).length > 0 && (noOffer(facts) || readyTimeout(facts));
}

/** Returns the failures of one cause, if enough hosts have them. */
function alike(failures: readonly Machine[]): readonly Machine[] | undefined {
  return hostsOf(failures) >= ENOUGH_HOSTS ? failures : undefined;
}

/** Makes the row of a fault that lies in the image. It tells what the last machine said. */
function imageRow(fault: ImageFault, inShort: string): StopRow<unknown> {
  const holds = ({ fleet }: Facts) => {
    const last = alike(failuresOf(fleet).filter((machine) => endCause(machine) === fault))?.at(-1);
    return last && (last.words?.text ?? last.ending?.why);
  };
  return row({ holds, inShort, error: (told, said) => imageError(told, fault, said) });
}

/** True if the machine failed by the probe, or did not say by what. */
function mayBeProbe(machine: Machine): boolean {
  const { words } = machine;
  const isOfProbe = words === undefined || /\bprobe (?:ended with code|took longer)\b/.test(words.text);
  return isOfProbe && endCause(machine) === "preparing";
}

function probe({ fleet, rules }: Facts): ProbeFault | undefined {
  const failures = rules.hasProbe ? alike(failuresOf(fleet).filter(mayBeProbe)) : undefined;
  const said = failures?.findLast(({ words }) => words)?.words?.text;
  return failures && { machines: failures.length, said };
}

function attemptsUsedUp({ fleet, rules }: Facts): boolean {
  return failuresOf(fleet).length >= rules.attempts * Math.max(1, fleet.mostWanted);
}

function createsUsedUp({ fleet: { machines } }: Facts): boolean {
  return machines.length >= MOST_CREATES - 1;
}

/** Holds when two searches say that waiting can't help. */
function hopeless({ fleet: { hopelessSince, market, noOfferSince } }: Facts): boolean {
  const isConfirmedSo = hopelessSince !== undefined && isConfirmed(hopelessSince, market?.searchedAt ?? 0);
  return noOfferSince !== undefined && isConfirmedSo;
}

/** Before anything was spent, a market that is too dear counts as one without an offer. A cheaper one may come. */
function maxCost({ budget, fleet }: Facts): OfferBudget | false | undefined {
  return lacksOffers(fleet) && isTooDear(fleet) && fleet.machines.some(wasMade) && budget;
}

function noOffer({ fleet, now, rules }: Facts): boolean {
  return lacksOffers(fleet) && now - (fleet.noOfferSince ?? now) >= rules.searchTimeout;
}

/** True if the last search found nothing, and no machine went since. */
function lacksOffers(fleet: Fleet): boolean {
  return fleet.noOfferSince !== undefined && !hasMadeRoom(fleet);
}

function readyTimeout({ fleet, now, rules }: Facts): boolean {
  return fleet.unservedSince !== undefined && now - fleet.unservedSince >= rules.readyMs;
}
