import { MOST_CREATES } from "../../machine/record.ts";
import { type Fault, faultError, type UserError } from "../../shared/user-error.ts";
import type { Facts } from "../facts.ts";
import { isConfirmed, LATE } from "../lifecycle/late.ts";
import { type Machine, machineFacts } from "../stage.ts";
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
  passedOverError,
  probeError,
  readyTimeoutError,
  refusedError,
  runnersRefusedError,
  saidError,
  type Told,
} from "./stop-errors.ts";

type Asked = ReturnType<typeof askedOf>;

/** One reason to rent no more. */
interface StopRow<Detail> {
  /** Returns what the error tells of it, if the reason holds. */
  when(asked: Asked): Detail | false | undefined;
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
    when: undestroyed,
    inShort: "a machine could not be destroyed",
    error: (_, fault: Fault) => faultError(fault),
  }),
  refused: row({
    when: ({ refusal }) => refusal?.kind === "refused" && refusal.refusal,
    inShort: "Vast.ai refuses",
    error: refusedError,
  }),
  unregistered: row({
    when: ({ refusal }) => refusal?.kind === "unregistered" && refusal.fault,
    inShort: "GitHub registers no runner",
    error: saidError,
  }),
  unsearchable: row({ when: unsearchable, inShort: "Vast.ai refuses to search", error: saidError }),
  // The registry said twice that there is no such image.
  "no-image": row({
    when: ({ fleet: { image } }) =>
      image?.missing !== undefined && isConfirmed(image.missing.since, image.at ?? 0) && image.missing.word,
    inShort: "the registry does not have the image",
    error: noImageError,
  }),
  "runners-refused": row({
    when: ({ fleet, now }) => refusedRunner(fleet, now)?.words?.text,
    inShort: "GitHub's runner ends on each machine with the same message",
    error: runnersRefusedError,
  }),
  // GitHub gave no job to two hosts, the second of which was ready after the first was given up.
  "passed-over": row({
    when: ({ overlooked: [first, ...others] }) =>
      others.some(
        (machine) =>
          first && hostKey(machine) !== hostKey(first) && (machine.readyAt ?? 0) > (first.ending?.decidedAt ?? 0),
      ),
    inShort: GIVES_NO_JOB,
    error: passedOverError,
  }),
  image: imageRow("image", "the image can't be pulled"),
  login: imageRow("login", "the image's registry refuses"),
  platform: imageRow("platform", "the image is not for linux/amd64"),
  "unfit-image": imageRow("unfit-image", "the image lacks what the runner needs"),
  probe: row({ when: probe, inShort: "machines give themselves back while they prepare", error: probeError }),
  attempts: row({
    when: ({ failures, fleet, rules }) => failures.length >= rules.attempts * Math.max(1, fleet.mostWanted),
    inShort: "too many machines failed",
    error: (told) => attemptsError(told),
  }),
  creates: row({
    when: ({ fleet: { machines } }) => machines.length >= MOST_CREATES - 1,
    inShort: `this session has asked for ${MOST_CREATES - 1} machines`,
    error: createsError,
  }),
  // Two searches say that waiting can't help.
  hopeless: row({
    when: ({ fleet: { hopelessSince, market, noOfferSince } }) =>
      noOfferSince !== undefined && hopelessSince !== undefined && isConfirmed(hopelessSince, market?.searchedAt ?? 0),
    goesOn: true,
    inShort: "no offer fits",
    error: hopelessError,
  }),
  // Before anything was spent, a market that is too dear counts as one without an offer. A cheaper one may come.
  "max-cost": row({
    when: ({ budget, fleet, lacksOffers }) =>
      lacksOffers && isTooDear(fleet) && fleet.machines.some((machine) => machineFacts(machine).isMade) && budget,
    goesOn: true,
    inShort: "max-cost is used up",
    error: maxCostError,
  }),
  // No machine can be had after one was passed over. That GitHub gave it no job says more.
  "passed-over-alone": row({
    when: ({ hasNoOffer, isTooLate, overlooked }) => overlooked.length > 0 && (hasNoOffer || isTooLate),
    inShort: GIVES_NO_JOB,
    error: passedOverError,
  }),
  "no-offer": row({
    when: ({ hasNoOffer }) => hasNoOffer,
    goesOn: true,
    inShort: "no offer fits",
    error: noOfferError,
  }),
  "ready-timeout": row({
    when: ({ isTooLate }) => isTooLate,
    inShort: "ready-timeout is over",
    error: readyTimeoutError,
  }),
};

export type StopId = keyof typeof STOPS;
const STOP_IDS = Object.keys(STOPS) as StopId[];

/** Why no machine is rented any more. JSON. */
export interface Stop {
  id: StopId;
  /** What the row's error tells of it. */
  detail: unknown;
}

/** Says why renting stops. Undefined: it goes on. */
export function stopOf(facts: Facts): Stop | undefined {
  const asked = askedOf(facts);
  for (const id of STOP_IDS) {
    const detail = STOPS[id].when(asked);
    if (detail !== undefined && detail !== false) return { id, detail };
  }
  return undefined;
}

/** Returns what the reasons ask, derived once a look. */
function askedOf(facts: Facts) {
  const { fleet, now, rules } = facts;
  const { lastBeginAt, machines, noOfferSince, unservedSince } = fleet;
  // The last search found nothing, and no machine went since.
  const lacksOffers = noOfferSince !== undefined && !hasMadeRoom(fleet);
  return {
    ...facts,
    /** The refusal of creates that counts. */
    refusal: standingRefusal(fleet, now),
    failures: failuresOf(fleet),
    /** The machines to which GitHub gave none of the jobs that waited, since a job of ours last began. */
    overlooked: machines.filter(({ ending }) => ending?.id === "passed-over" && ending.decidedAt > lastBeginAt),
    lacksOffers,
    /** No offer has fitted for `search-timeout`, or a job is unserved for `ready-timeout`. */
    hasNoOffer: lacksOffers && now - noOfferSince >= rules.searchTimeout,
    isTooLate: unservedSince !== undefined && now - unservedSince >= rules.readyMs,
  };
}

/** Makes a row whose error tells what its condition found. */
function row<Detail>(checked: StopRow<Detail>): StopRow<unknown> {
  return checked;
}

/**
 * Stops renting while an instance that is to go can't be destroyed. One that is kept until its job
 * is over does not count.
 */
function undestroyed({ fleet }: Facts): Fault | undefined {
  const leaving = fleet.machines.filter((machine) => machine.ending !== undefined || !machineFacts(machine).hasRun);
  return leaving.flatMap((machine) => machineFacts(machine).alive).find(({ fault }) => fault !== undefined)?.fault;
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

/** Returns the failures of one cause, if enough hosts have them. */
function alike(failures: readonly Machine[]): readonly Machine[] | undefined {
  return hostsOf(failures) >= ENOUGH_HOSTS ? failures : undefined;
}

/** Makes the row of a fault that lies in the image. It tells what the last machine said. */
function imageRow(fault: ImageFault, inShort: string): StopRow<unknown> {
  const when = ({ failures }: Asked) => {
    const last = alike(failures.filter((machine) => endCause(machine) === fault))?.at(-1);
    return last && (last.words?.text ?? last.ending?.why);
  };
  return row({ when, inShort, error: (told, said) => imageError(told, fault, said) });
}

/** Finds machines that failed by the probe, or did not say by what. */
function probe({ failures, rules }: Asked) {
  const preparing = failures.filter((machine) => endCause(machine) === "preparing");
  const maybe = preparing.filter(({ words }) => !words || /\bprobe (?:ended with code|took longer)\b/.test(words.text));
  const same = rules.hasProbe ? alike(maybe) : undefined;
  return same && { machines: same.length, said: same.findLast(({ words }) => words)?.words?.text };
}
