import type { Judging } from "../facts.ts";
import { priceAbove } from "../price.ts";
import { type Machine, type MachineFacts, machineFacts, useOf } from "../stage.ts";
import { causeOf, goneFrom } from "./cause-of.ts";
import { LATE } from "./late.ts";
import { seenFor } from "./lateness.ts";

type FailedVerdict = Extract<NonNullable<NonNullable<MachineFacts["instance"]>["verdict"]>, { kind: "failed" }>;

/** What was seen of a machine that was never ready. */
interface SeenEarly {
  /** The service's word that it will never work. */
  failed: FailedVerdict | undefined;
  /** What the service asks for it, where that is more than `max-price` allows. */
  dearer: string | undefined;
  /** It went: after it ran (`preparing`), and then with no list of runners read since, so that one may have been online. */
  wentEarly: "unread" | "preparing" | "unknown" | undefined;
}

/** What was seen of a machine that was ready, and of how it went. */
interface SeenGoing {
  /** How the service stopped it, if a job or its wait for one went with it. */
  taken: "was outbid" | "was stopped by the service" | undefined;
  /** Its host fell silent under one of its jobs. */
  fellSilent: boolean;
  /** The service says that it went. A missing heartbeat is no loss, as the network may come back. */
  went: boolean;
  /** It went when it had nothing more to do, and took no job with it. */
  wentByItself: boolean;
}

/** What was seen of the runner of a machine that was ready, and on which no job is. An unreadable list proves nothing. */
interface SeenOffline {
  /** GitHub has missed its runner for too long. */
  isOffline: boolean;
  /** The same, and it had nothing more to do when its runner went. */
  isOfflineAndDone: boolean;
  /** The runner after its last job did not come online in time. */
  isNextLate: boolean;
}

/** What was seen of one machine until a look, as the reasons ask it. */
export interface SeenMachine extends Judging, SeenEarly, SeenGoing, SeenOffline {
  machine: Machine;
  its: MachineFacts;
  /** It came of a create without an answer, which counted as not carried out. */
  turnedUpLate: boolean;
  /** Runs that began at once rented too many together. Each counts again, and the youngest give way. */
  isOneTooMany: boolean;
  /** What the service said against a create that made an instance all the same, where no job runs on that. */
  refusal: string | undefined;
  /** Its log's words about why it ends, as long as no job came to it. */
  said: Machine["words"];
  /** It is the one that is ready longest beside a job that waits, and too long. Then the next one has its time. */
  isPassedOver: boolean;
}

/** Returns what was seen of a machine until this look. */
export function seenOf(machine: Machine, facts: Judging): SeenMachine {
  const its = machineFacts(machine);
  const { hadJob, instance, isBusy } = its;
  const { answer, words } = machine;
  return {
    ...facts,
    machine,
    its,
    turnedUpLate: answer?.kind !== "created" && answer?.kind !== "unwanted" && !isBusy,
    isOneTooMany: (instance?.older ?? 0) >= facts.rules.machinesPerRepository && !isBusy,
    refusal: answer?.kind === "unwanted" && !isBusy ? answer.sentence : undefined,
    said: isBusy || hadJob ? undefined : words,
    isPassedOver: isPassedOver(machine, facts),
    ...seenEarly(machine, its, facts),
    ...seenGoing(machine, its, facts),
    ...seenOffline(machine, its, facts),
  };
}

function seenEarly(machine: Machine, its: MachineFacts, { fleet, rules }: Judging): SeenEarly {
  const { instance, runningAt, wasReady } = its;
  const { absentSince, verdict } = instance ?? {};
  if (wasReady) return { failed: undefined, dearer: undefined, wentEarly: undefined };
  const isRead = runningAt !== undefined && (fleet.runnersAt ?? 0) > runningAt;
  const went = runningAt === undefined ? "unknown" : isRead ? "preparing" : "unread";
  return {
    failed: verdict?.kind === "failed" ? verdict : undefined,
    dearer: priceAbove(machine, rules.maxPrice),
    wentEarly: absentSince === undefined ? undefined : went,
  };
}

function seenGoing(machine: Machine, its: MachineFacts, facts: Judging): SeenGoing {
  const { instance, isBusy, wasReady } = its;
  const { absentSince, isSilent, stopped } = instance ?? {};
  const took = wentUnder(machine, facts);
  const wentAt = goneFrom(instance);
  const went = wasReady && Number.isFinite(wentAt);
  const wentByItself = went && wasDone(machine, facts, wentAt);
  const isLoss = took.length > 0 || (went && !wentByItself);
  const isSilentAlone = isSilent === true && absentSince === undefined;
  return {
    taken: wasReady && isLoss ? stopped?.how : undefined,
    fellSilent: wasReady && !isBusy && isSilentAlone && took.includes("fell silent"),
    went,
    wentByItself,
  };
}

function seenOffline(machine: Machine, its: MachineFacts, facts: Judging): SeenOffline {
  const { idleSince, instance, isBusy, slot, wasReady } = its;
  const { slots, timing } = machine;
  const isIdle = wasReady && !isBusy;
  const { offlineSince = Number.POSITIVE_INFINITY } = slot ?? {};
  const isOffline = isIdle && seenFor(offlineSince, facts.fleet) >= LATE.served;
  // Where the service's list can't be read, GitHub's alone shows that the machine went.
  const isThere = (instance?.lastRunningAt ?? 0) - offlineSince >= LATE.list;
  const isNext = slots.slice(1).some((each) => each === slot && each.onlineAt === undefined);
  return {
    isOffline,
    isOfflineAndDone: isOffline && !isThere && wasDone(machine, facts, offlineSince),
    isNextLate: isIdle && isNext && seenFor(idleSince, facts.fleet) >= timing.onlineMs,
  };
}

/** Returns how the machine went under each of its jobs that it ended. */
function wentUnder(machine: Machine, { look }: Judging): string[] {
  const causes = machine.slots.map((slot) => causeOf(slot, machine, look));
  return causes.flatMap((cause) => (cause.by === "machine" ? cause.went : []));
}

/** True if the machine had nothing more to do then, and took no job with it. */
function wasDone(machine: Machine, facts: Judging, then: number): boolean {
  const { isBusy, mayBeIdleSince } = machineFacts(machine);
  if (isBusy || wentUnder(machine, facts).length > 0) return false;
  return !useOf(machine, facts.rules, then).hasSlot || then - mayBeIdleSince >= facts.rules.idleTimeout;
}

function isPassedOver({ besideSince, machineNo }: Machine, { fleet: { machines }, look, rules }: Judging): boolean {
  const patience = Math.min(Math.max(rules.idleTimeout, LATE.served), LATE.listed);
  if (besideSince === undefined) return false;
  const ready = machines.map((machine) => ({ machine, ...machineFacts(machine) })).filter(({ isReady }) => isReady);
  const [longest] = ready.toSorted((one, other) => one.idleSince - other.idleSince);
  const overlooked = machines.filter(({ ending }) => ending?.id === "held-beside" || ending?.id === "passed-over");
  const last = overlooked.map(({ ending }) => ending?.decidedAt ?? 0);
  return longest?.machine.machineNo === machineNo && look.jobs - Math.max(besideSince, ...last) >= patience;
}
