import type { Paused } from "../../offers/search.ts";
import { type Growth, pauseMs } from "../../shared/backoff.ts";
import { isConfirmed, LATE } from "../lifecycle/late.ts";
import { type Machine, machineFacts } from "../stage.ts";
import type { Fleet } from "../state.ts";
import { followsOf, hasServedSince, isOfferGone, refusedRunners } from "./failures.ts";

/** What may be paused: one offer, one host, all creates, all searches, what is rented beside jobs that run. */
export type Key = `offer ${number}` | `host ${number}` | "create" | "search" | "beside";

const FOR_EVER = Number.POSITIVE_INFINITY;

/** What asks for a pause, and how long it is. Nothing is paused for ever. docs/internals/holding.md has these rows. */
export const PAUSES = {
  /** Somebody else had the offer, or a create gave no answer and no list showed an instance of it. */
  "asked-in-vain": { firstMs: 300_000, by: 3, mostMs: FOR_EVER },
  /** A machine of the host failed. */
  "host-failed": { firstMs: 1_800_000, by: 3, mostMs: FOR_EVER },
  /** The service asks for fewer creates. */
  "too-fast": { firstMs: 12_000, by: 1.6, mostMs: LATE.refusal },
  /** The service refuses the account, or GitHub registers no runner. */
  refused: { firstMs: LATE.lookAgain, by: 1.6, mostMs: LATE.refusal },
  /** The service refuses the request. That may be the host's fault, so another one is asked soon. */
  "request-refused": { firstMs: 2000, by: 1.6, mostMs: LATE.refusal },
  /** GitHub's runner ended on two hosts with the same words. Then one more machine is rented to see. */
  "runner-refused": { firstMs: LATE.refusal, by: 1, mostMs: LATE.refusal },
  /** No offer fits, or the search is refused. */
  "no-offer": { firstMs: LATE.lookAgain, by: 2, mostMs: LATE.refusal },
  /** GitHub gave a job to none of our machines while another one ran. */
  beside: { firstMs: 900_000, by: 2, mostMs: FOR_EVER },
} as const satisfies Record<string, Growth>;

/** What asked for a pause last, how often in a row, and when. `leastMs`: how long it asked for itself. */
interface Said {
  what: keyof typeof PAUSES;
  at: number;
  times: number;
  jitter?: number;
  leastMs?: number | undefined;
}

/** A pause: its end, how often in a row it was asked for, and by what. */
export interface Pause extends Said {
  until: number;
}

/** Returns the pause of a key, over or not. Undefined: nothing asked for one since something good happened there. */
export function standing(fleet: Fleet, key: Key): Pause | undefined {
  const all = saidOf(fleet, key).map((said) => ({ ...said, until: pauseEnd(said) }));
  return all.toSorted((one, other) => other.until - one.until)[0];
}

/** True if nothing keeps us from asking for it now. */
export function isAskable(fleet: Fleet, key: Key, now: number): boolean {
  const pause = standing(fleet, key);
  return pause === undefined || now >= pause.until;
}

/** Returns the hosts and offers that may not be asked now. `now` before all times: that were ever paused. */
export function pausedOf(fleet: Fleet, now: number): Paused {
  const hosts = fleet.machines.filter((machine) => !isAskable(fleet, hostKey(machine), now));
  const offers = [...new Set(fleet.machines.map(({ candidate }) => candidate.offer.id))];
  return {
    hosts: [...new Set(hosts.flatMap(({ candidate }) => candidate.offer.machineId ?? []))],
    offers: [...new Set(hosts.map(({ candidate }) => candidate.offer.id))],
    taken: offers.filter((id) => !isAskable(fleet, `offer ${id}`, now)),
  };
}

function pauseEnd({ at, jitter, leastMs = 0, times, what }: Said): number {
  return at + Math.max(leastMs, pauseMs(PAUSES[what], times, jitter));
}

function saidOf(fleet: Fleet, key: Key): Said[] {
  if (key === "create") return lastAnswer(fleet);
  if (key === "search") return emptySearch(fleet);
  if (key === "beside") return heldBeside(fleet);
  const [kind, id] = key.split(" ");
  return kind === "offer" ? goneOffer(fleet, Number(id)) : failedHost(fleet, Number(id));
}

/** Names the host of an offer. One without an id counts once for each offer. */
export function hostKey({ candidate: { offer } }: Pick<Machine, "candidate">): Key {
  return `host ${offer.machineId ?? -offer.id}`;
}

function goneOffer({ machines }: Fleet, id: number): Said[] {
  const gone = machines.filter(({ answer, candidate }) => candidate.offer.id === id && isOfferGone(answer));
  return asked("asked-in-vain", gone.map(answeredAt));
}

function failedHost(fleet: Fleet, id: number): Said[] {
  const ofHost = fleet.machines.filter((machine) => hostKey(machine) === `host ${id}`);
  const unanswered = ofHost.filter((machine) => {
    const { isAlive, isMade, isUncertain } = machineFacts(machine);
    return isUncertain && !isMade && !isAlive;
  });
  const refused = refusedRunners(fleet);
  // A job that began there starts the count anew.
  const last = ofHost.findLastIndex(({ slots }) => slots.some(({ job }) => job?.startedAt !== undefined));
  const failed = ofHost.filter(
    (machine, index) => index >= last && followsOf(machine).pause && !refused.includes(machine),
  );
  return [...asked("asked-in-vain", unanswered.map(answeredAt)), ...asked("host-failed", failed.map(endedAt))];
}

function asked(what: Said["what"], times: readonly number[]): Said[] {
  return times.length === 0 ? [] : [{ what, at: Math.max(...times), times: times.length }];
}

function answeredAt({ answer }: Machine): number {
  return answer?.at ?? 0;
}

function endedAt({ ending }: Machine): number {
  return ending?.decidedAt ?? 0;
}

function lastAnswer(fleet: Fleet): Said[] {
  const creates = unansweredSince(fleet);
  const answer = creates[0]?.answer;
  if (answer === undefined) return [];
  const { at, jitter } = answer;
  return [{ what: pauseAfter(answer), at, jitter, times: creates.length, leastMs: waitOf(answer) }];
}

function waitOf(answer: Answer): number | undefined {
  if (answer.kind === "unregistered") return answer.fault.waitMs;
  return answer.kind === "refused" ? answer.refusal.waitMs : undefined;
}

function pauseAfter(answer: Answer): Said["what"] {
  if (answer.kind === "refused" && answer.refusal.code === "too-fast") return "too-fast";
  return ABOUT_THE_REQUEST.has(refusedBy(answer) ?? "") ? "request-refused" : "refused";
}

function emptySearch({ aheadMs = 0, market }: Fleet): Said[] {
  if (market === undefined) return [];
  const { nothing, searchedAt: at, times } = market;
  const { fault, quotaUntil } = nothing?.kind === "fault" ? nothing : {};
  const leastMs = quotaUntil === undefined ? fault?.waitMs : quotaUntil - aheadMs - at;
  return [{ what: "no-offer", at, times: Math.max(1, times), leastMs }];
}

function heldBeside({ beside }: Fleet): Said[] {
  return beside === undefined ? [] : [{ what: "beside", at: beside.since, times: Math.max(1, beside.times) }];
}

type Answer = NonNullable<Machine["answer"]>;

/** Returns the last answer by which a create was not carried out, as none was since. */
export function lastRefusal(fleet: Fleet): Answer | undefined {
  return unansweredSince(fleet)[0]?.answer;
}

/** Returns the creates that were not carried out since the last one that was, the latest answer first. */
function unansweredSince({ machines }: Fleet): Machine[] {
  // Only one create is in flight at a time.
  const answered = machines.filter(({ answer }) => answer !== undefined).toReversed();
  const made = answered.findIndex(({ answer }) => answer?.kind === "created");
  return (made === -1 ? answered : answered.slice(0, made)).filter(
    ({ answer }) => answer?.kind === "unregistered" || (answer?.kind === "refused" && !isOfferGone(answer)),
  );
}

/** Names what the service or GitHub refused in its own words. Undefined for a gateway's page or a passing fault. */
function refusedBy(answer: Machine["answer"]): string | undefined {
  if (answer?.kind === "unregistered") return answer.fault.isPassing ? undefined : "registration";
  const isOwn = answer?.kind === "refused" && answer.refusal.ownWord && answer.refusal.code !== "too-fast";
  return isOwn ? answer.refusal.code : undefined;
}

/** Returns the latest creates that were all refused in the same way, the latest first. */
export function refusedCreates(fleet: Fleet): Machine[] {
  const creates = unansweredSince(fleet);
  const by = refusedBy(creates[0]?.answer);
  const end = creates.findIndex(({ answer }) => refusedBy(answer) !== by);
  if (by === undefined) return [];
  return end === -1 ? creates : creates.slice(0, end);
}

/** Refusals about the request. They count when a second host repeats them, or the third time. */
const ABOUT_THE_REQUEST = new Set(["rejected", "no-template"]);

/**
 * Returns the refusal that counts: two creates, some time apart, were refused in the same way. It
 * holds for the longest pause. Then one more create asks.
 */
export function standingRefusal(fleet: Fleet, now: number): Machine["answer"] {
  const creates = refusedCreates(fleet);
  const last = creates[0]?.answer;
  const isHeld = last !== undefined && now - last.at < LATE.refusal;
  return isHeld && isBelieved(creates, last, fleet) ? last : undefined;
}

function isBelieved(creates: readonly Machine[], last: Answer, { machines, repositoryAlive }: Fleet): boolean {
  const firstAt = creates.at(-1)?.answer?.at ?? last.at;
  const by = refusedBy(last) ?? "";
  if (ABOUT_THE_REQUEST.has(by) && new Set(creates.map(hostKey)).size > 1) return true;
  const isLong = isConfirmed(firstAt, last.at);
  if (creates.length < (ABOUT_THE_REQUEST.has(by) ? 3 : 2) || !isLong) return false;
  // An account's limit counts the alive machines. One that goes makes room.
  const went = machines.flatMap(({ instances }) => instances.filter(({ goneAt = 0 }) => goneAt > firstAt));
  return by !== "spend-rate" || repositoryAlive + went.length === 0;
}

/** Returns the last machine whose runner GitHub refused, as far as that is believed. Then one more machine is rented to see. */
export function refusedRunner(fleet: Fleet, now: number): Machine | undefined {
  const last = refusedRunners(fleet).toSorted((left, right) => endedAt(right) - endedAt(left))[0];
  if (last === undefined || hasServedSince(fleet, endedAt(last))) return undefined;
  const at = endedAt(last);
  const later = fleet.machines.filter(({ askedAt }) => askedAt > at);
  const isAsking = later.some((machine) => machineFacts(machine).isAlive && machine.ending === undefined);
  return isAsking || now < pauseEnd({ what: "runner-refused", at, times: 1 }) ? last : undefined;
}
