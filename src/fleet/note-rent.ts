import type { KnownError } from "../known-error.ts";
import type { Log } from "../log.ts";
import type { RentOutcome } from "../machine/rent/rent.ts";
import type { Clock } from "../time/clock.ts";
import { exclude } from "./apply.ts";
import type { Fleet, Refusal } from "./state/fleet.ts";
import type { Machine } from "./state/machine.ts";

/** Pause after a 429, or while GitHub can't be asked: grows, and not in step with other runs. */
const FIRST_PAUSE_MS = 12_000;
const LONGEST_PAUSE_MS = 120_000;

interface Told {
  clock: Clock;
  log: Log;
}

/** Takes the outcome of a create into the fleet. */
export function noteRentOutcome(fleet: Fleet, n: number, outcome: RentOutcome, { clock, log }: Told): void {
  const machine = fleet.machines.find((each) => each.n === n);
  if (machine === undefined) return;
  const now = clock.now();
  machine.act = undefined;
  if (outcome.kind === "created") {
    noteCreated(fleet, machine, outcome, now, log);
    return;
  }
  // Nothing is known to exist: it is no machine of the fleet, but what turns up under its label is.
  fleet.machines = fleet.machines.filter((each) => each !== machine);
  const isUncertain = outcome.kind === "not-made" && outcome.why === "unknown";
  const isListed = "isListed" in outcome && outcome.isListed === true;
  fleet.strays.push({ n, asked: machine, since: now, isUncertain, isListed });
  NOT_CREATED[outcome.kind](fleet, machine, outcome as never, { now, log });
}

function noteCreated(
  fleet: Fleet,
  machine: Machine,
  outcome: Extract<RentOutcome, { kind: "created" }>,
  now: number,
  log: Log,
): void {
  machine.instanceId = outcome.instanceId;
  machine.report = outcome.report;
  machine.createdAt = now;
  fleet.pause = undefined;
  fleet.repositoryAlive += 1;
  log.info(
    `machine ${machine.n}: booting as instance ${outcome.instanceId}. It bills from now on, until it is destroyed.`,
  );
  if (outcome.unwanted === undefined) return;
  log.warning(
    `The service refused, and made instance ${outcome.instanceId} all the same (${outcome.unwanted}). Destroying it.`,
  );
  machine.ending = { kind: "failed", why: outcome.unwanted, isUnasked: false, blame: "machine", since: now };
  fleet.failedSinceJob.push(machine.n);
  exclude(fleet, machine);
}

interface When {
  now: number;
  log: Log;
}

const NOT_CREATED: {
  [Kind in Exclude<RentOutcome["kind"], "created">]: (
    fleet: Fleet,
    machine: Machine,
    outcome: Extract<RentOutcome, { kind: Kind }>,
    when: When,
  ) => void;
} = {
  "not-made": (fleet, machine, { why, sentence }, { now, log }) => {
    if (why === "too-fast") {
      pause(fleet, now, log, `machine ${machine.n}: the service asks to come later`);
      return;
    }
    noteTaken(fleet, machine.candidate.offer.id, now);
    if (why === "unknown") exclude(fleet, machine);
    const gone = `its offer was taken by somebody else (${sentence}). Trying the next one.`;
    const unknown = "no instance with its label is listed: the create counts as not carried out.";
    log.info(`machine ${machine.n}: ${why === "gone" ? gone : unknown}`);
  },
  refused: (fleet, machine, { by, error }, { now, log }) => {
    // Machines that are alive count for that limit: one that goes makes room.
    const mayPass = by === "spend-rate" && fleet.repositoryAlive > 0;
    if (!mayPass) fleet.refusal = { by, error };
    else pause(fleet, now, log, `machine ${machine.n}: the service lets this account spend no more an hour`, error(""));
  },
  unregistered: (fleet, machine, { error }, { now, log }) => {
    fleet.strays.pop();
    if (!error.isPassing) fleet.refusal = registrationRefused(error);
    else pause(fleet, now, log, `machine ${machine.n}: ${error.message}`, error);
  },
};

function noteTaken(fleet: Fleet, id: number, at: number): void {
  const times = fleet.taken.find((each) => each.id === id)?.times ?? 0;
  fleet.taken = [...fleet.taken.filter((each) => each.id !== id), { id, at, times: times + 1 }];
}

function registrationRefused(error: KnownError): Refusal {
  return { by: "registration", error: (after) => error.and(after) };
}

function pause(fleet: Fleet, now: number, log: Log, what: string, error?: KnownError): void {
  const times = (fleet.pause?.times ?? 0) + 1;
  const longest = Math.min(FIRST_PAUSE_MS * 1.6 ** (times - 1), LONGEST_PAUSE_MS);
  const waitMs = Math.round(longest * (1 + Math.random() * 0.3));
  fleet.pause = { until: now + waitMs, times, error };
  log.info(`${what}. Asking again in ${Math.round(waitMs / 1000)} s.`);
}
