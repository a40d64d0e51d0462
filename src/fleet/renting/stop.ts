import { MOST_CREATES } from "../../machine/record.ts";
import { firstMatch } from "../../shared/rows.ts";
import type { Fault } from "../../shared/user-error.ts";
import type { Facts } from "../facts.ts";
import type { CauseName } from "../lifecycle/causes.ts";
import { isConfirmed, LATE } from "../lifecycle/late.ts";
import { aliveInstances, hasRun, type Machine, wasMade } from "../stage.ts";
import type { CreateOutcome, DeepReadonly, Fleet } from "../state.ts";
import { endCause, failuresOf, hostsOf } from "./failures.ts";
import { missingImage } from "./image.ts";
import { hasMadeRoom } from "./offer.ts";
import { hostKey, refusedRunner, standingRefusal } from "./standing.ts";

/** Why no machine is rented any more. It is judged anew at each look, so what has passed stops nothing. */
export type Stop =
  | { kind: "refused"; answer: DeepReadonly<Extract<CreateOutcome, { kind: "refused" | "unregistered" }>> }
  /** The service refuses to search. */
  | { kind: "unsearchable"; fault: Fault }
  | { kind: "undestroyed"; fault: Fault }
  /** GitHub's program ends on each machine, with the same words. */
  | { kind: "runners-refused"; words: string }
  /** The image's registry has no such image. `word`: the registry's own. */
  | { kind: "no-image"; word: string }
  | { kind: StopKind };

type StopKind =
  | "passed-over"
  | "no-offer"
  | "max-cost"
  | "creates"
  | "attempts"
  | ImageFault
  | "preparing"
  | "ready-timeout";

/** Faults of the image, as machines report them. No other host would do better. */
const IMAGE_FAULTS = ["image", "login", "platform", "unfit-image"] as const;
export type ImageFault = (typeof IMAGE_FAULTS)[number];

/** How many hosts must fail in the same way until the image, or the probe, counts as the cause. */
const SAME_FAULT = 2;

/** The reasons of docs/internals/holding.md to stop renting. The first that holds decides. */
const STOP_ROWS: readonly ((facts: Facts) => Stop | undefined)[] = [
  undestroyed,
  refused,
  unsearchable,
  noImage,
  runnersRefused,
  passedOver,
  failed,
  createsUsedUp,
  nothingFits,
  unservedTooLong,
];

/** Says why renting stops. Undefined: it goes on. */
export function stopOf(facts: Facts): Stop | undefined {
  return firstMatch(STOP_ROWS, facts);
}

/**
 * Stops renting while an instance that is to go can't be destroyed. One that is kept until its job
 * is over does not count.
 */
function undestroyed({ fleet }: Facts): Stop | undefined {
  const leaving = fleet.machines.filter((machine) => machine.ending !== undefined || !hasRun(machine));
  const fault = leaving.flatMap(aliveInstances).find((instance) => instance.fault !== undefined)?.fault;
  return fault === undefined ? undefined : { kind: "undestroyed", fault };
}

function refused({ fleet, now }: Facts): Stop | undefined {
  const answer = standingRefusal(fleet, now);
  return answer?.kind === "refused" || answer?.kind === "unregistered" ? { kind: "refused", answer } : undefined;
}

/** A search that was refused twice. It counts until the next one is due for certain. */
function unsearchable({ fleet, now }: Facts): Stop | undefined {
  const { market } = fleet;
  const isBelieved = market !== undefined && market.refusals > 1 && now - market.searchedAt < LATE.refusal;
  return isBelieved && market.nothing?.kind === "fault"
    ? { kind: "unsearchable", fault: market.nothing.fault }
    : undefined;
}

function noImage({ fleet }: Facts): Stop | undefined {
  const word = missingImage(fleet);
  return word === undefined ? undefined : { kind: "no-image", word };
}

function runnersRefused({ fleet, now }: Facts): Stop | undefined {
  const words = refusedRunner(fleet, now)?.words?.text;
  return words === undefined ? undefined : { kind: "runners-refused", words };
}

/** Returns the machines to which GitHub gave none of the jobs that waited, since a job of ours last began. */
function overlooked({ lastBeginAt, machines }: Fleet): Machine[] {
  return machines.filter(({ ending }) => ending?.id === "passed-over" && ending.decidedAt > lastBeginAt);
}

/** Returns the kind of a stop for want of a machine. That GitHub gave no job to one that was ready says more. */
function kindUnlessOverlooked(kind: StopKind, fleet: Fleet): StopKind {
  return overlooked(fleet).length > 0 ? "passed-over" : kind;
}

/**
 * Stops renting when GitHub gave no job to two hosts, the second of which was ready after the first was given up,
 * and to none since.
 */
function passedOver({ fleet }: Facts): Stop | undefined {
  const [first, ...others] = fleet.machines.filter(
    ({ ending }) => ending?.id === "passed-over" && ending.decidedAt > fleet.lastBeginAt,
  );
  const isSecond = (machine: Machine) =>
    (machine.readyAt ?? 0) > (first?.ending?.decidedAt ?? 0) &&
    first !== undefined &&
    hostKey(machine) !== hostKey(first);
  return others.some(isSecond) ? { kind: "passed-over" } : undefined;
}

function failed({ fleet, rules }: Facts): Stop | undefined {
  const failures = failuresOf(fleet);
  const fault = IMAGE_FAULTS.find((each) => hostsOf(blamed(failures, each)) >= SAME_FAULT);
  if (fault !== undefined) return { kind: fault };
  if (rules.hasProbe && hostsOf(blamed(failures, "preparing").filter(mayBeProbe)) >= SAME_FAULT)
    return { kind: "preparing" };
  return failures.length >= rules.attempts * Math.max(1, fleet.mostWanted) ? { kind: "attempts" } : undefined;
}

function createsUsedUp({ fleet: { machines } }: Facts): Stop | undefined {
  return machines.length >= MOST_CREATES - 1 ? { kind: "creates" } : undefined;
}

function nothingFits({ fleet, now, rules }: Facts): Stop | undefined {
  const { machines, market, noOfferSince } = fleet;
  if (noOfferSince === undefined) return undefined;
  if (isHopeless(fleet)) return { kind: "no-offer" };
  if (hasMadeRoom(fleet)) return undefined;
  const nothing = market?.nothing;
  // Before anything was spent, a market that is too dear counts as one without an offer. A cheaper one may come.
  if (nothing?.kind === "none-fits" && nothing.explanation.input === "max-cost" && machines.some(wasMade))
    return { kind: "max-cost" };
  if (now - noOfferSince < rules.searchTimeout) return undefined;
  return { kind: kindUnlessOverlooked("no-offer", fleet) };
}

/** True if two searches say that waiting can't help. */
export function isHopeless({ hopelessSince, market }: Fleet): boolean {
  return hopelessSince !== undefined && isConfirmed(hopelessSince, market?.searchedAt ?? 0);
}

function unservedTooLong({ fleet, now, rules }: Facts): Stop | undefined {
  const isOver = fleet.unservedSince !== undefined && now - fleet.unservedSince >= rules.readyMs;
  return isOver ? { kind: kindUnlessOverlooked("ready-timeout", fleet) } : undefined;
}

/** True if renting goes on once another offer comes, or a machine that goes frees its offer or its part of max-cost. */
export function isForWantOfOffers({ kind }: Stop): boolean {
  return kind === "no-offer" || kind === "max-cost";
}

/** Returns the failures that have this cause. */
export function blamed(failures: readonly Machine[], cause: CauseName): Machine[] {
  return failures.filter((machine) => endCause(machine) === cause);
}

/** True if the machine failed by the probe, or did not say by what. */
export function mayBeProbe({ words }: Machine): boolean {
  return words === undefined || /\bprobe (?:ended with code|took longer)\b/.test(words.text);
}
