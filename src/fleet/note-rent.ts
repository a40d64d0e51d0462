import { rentError } from "../create/errors.ts";
import type { RentOutcome } from "../create/rent.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { faultError, type UserError } from "../shared/user-error.ts";
import { endMachine, exclude } from "./state/end-machine.ts";
import type { Fleet, Stray } from "./state/fleet.ts";
import type { Machine } from "./state/machine.ts";
import type { FleetOptions } from "./state/policy.ts";

/** Pause after a 429, or while GitHub can't be asked: grows, and not in step with other runs. */
const FIRST_PAUSE_MS = 12_000;
const LONGEST_PAUSE_MS = 120_000;

interface Told {
  clock: Clock;
  log: Log;
  policy: Pick<FleetOptions, "bidFallback">;
}

/** Takes the outcome of a create into the fleet. */
export function noteRentOutcome(fleet: Fleet, n: number, outcome: RentOutcome, told: Told): void {
  const machine = fleet.machines.find((each) => each.n === n);
  if (machine === undefined) return;
  machine.act = undefined;
  if (outcome.kind !== "created") noteNotCreated(fleet, machine, outcome, told);
  else if (isAnothers(fleet, machine, outcome.instanceId)) noteMistaken(fleet, machine, outcome.instanceId, told);
  else noteCreated(fleet, machine, outcome, told);
}

function isAnothers({ machines }: Fleet, machine: Machine, id: number): boolean {
  return machines.some((each) => each !== machine && each.instanceId === id);
}

/** The end of this machine would be that of the other one, and of its job. */
function noteMistaken(fleet: Fleet, machine: Machine, id: number, { clock, log }: Told): void {
  log.warning(`machine ${machine.n}: the service answered with instance ${id}, which is another machine's.`);
  leaveAsStray(fleet, machine, { since: clock.now(), isUncertain: true });
  noteTaken(fleet, machine.candidate.offer.id, clock.now());
  exclude(fleet, machine);
}

/** Nothing is known to exist: no machine of the fleet, but what turns up under its label is one. */
function leaveAsStray(fleet: Fleet, asked: Machine, how: Omit<Stray, "n" | "asked">): void {
  fleet.machines = fleet.machines.filter((each) => each !== asked);
  fleet.strays.push({ n: asked.n, asked, ...how });
}

function noteNotCreated(
  fleet: Fleet,
  machine: Machine,
  outcome: Exclude<RentOutcome, { kind: "created" }>,
  told: Told,
): void {
  const { n } = machine;
  if (outcome.kind === "unregistered") {
    fleet.machines = fleet.machines.filter((each) => each !== machine);
    noteUnregistered(fleet, n, outcome, told);
    return;
  }
  const isUncertain = outcome.kind === "not-made" && outcome.why === "unknown";
  const isListed = outcome.isListed === true;
  leaveAsStray(fleet, machine, { since: told.clock.now(), isUncertain, isListed });
  if (outcome.kind === "refused") noteRefused(fleet, n, outcome, told);
  else noteNotMade(fleet, machine, outcome, told);
}

function noteCreated(
  fleet: Fleet,
  machine: Machine,
  outcome: Extract<RentOutcome, { kind: "created" }>,
  { clock, log, policy }: Told,
): void {
  const now = clock.now();
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
  // A bid below the floor makes a stopped instance: that is to be outbid at once.
  const isOutbid = machine.candidate.price.bid !== undefined && /\bbid\b/i.test(outcome.unwanted);
  const ending = { kind: "failed", why: outcome.unwanted, isUnasked: false, blame: "refused", since: now } as const;
  endMachine(fleet, machine, { ...ending, isOutbid }, policy);
}

function noteNotMade(
  fleet: Fleet,
  machine: Machine,
  { why, refusal: { sentence } }: Extract<RentOutcome, { kind: "not-made" }>,
  told: Told,
): void {
  if (why === "too-fast") {
    pause(fleet, told, `machine ${machine.n}: the service asks to come later`);
    return;
  }
  noteTaken(fleet, machine.candidate.offer.id, told.clock.now());
  if (why === "unknown") exclude(fleet, machine);
  const gone = `its offer was taken by somebody else (${sentence}). Trying the next one.`;
  const unknown = "no list showed an instance with its label: the create counts as not carried out.";
  told.log.info(`machine ${machine.n}: ${why === "gone" ? gone : unknown}`);
}

/** No create was sent. */
function noteUnregistered(
  fleet: Fleet,
  n: number,
  outcome: Extract<RentOutcome, { kind: "unregistered" }>,
  told: Told,
): void {
  const error = faultError(outcome.fault);
  if (error.isPassing) pause(fleet, told, `machine ${n}: ${error.message}`, error);
  else fleet.refusal = { by: "registration", error: (after) => error.and(after) };
}

/** Machines that are alive count for the limit of an account: one that goes makes room. */
function noteRefused(fleet: Fleet, n: number, outcome: Extract<RentOutcome, { kind: "refused" }>, told: Told): void {
  const { by } = outcome;
  const error = (billing: string) => rentError(outcome, billing);
  const mayPass = by === "spend-rate" && fleet.repositoryAlive > 0;
  if (!mayPass) fleet.refusal = { by, error };
  else pause(fleet, told, `machine ${n}: the service lets this account spend no more an hour`, error(""));
}

function noteTaken(fleet: Fleet, id: number, at: number): void {
  const times = fleet.taken.find((each) => each.id === id)?.times ?? 0;
  fleet.taken = [...fleet.taken.filter((each) => each.id !== id), { id, at, times: times + 1 }];
}

function pause(fleet: Fleet, { clock, log }: Told, what: string, error?: UserError): void {
  const times = (fleet.pause?.times ?? 0) + 1;
  const longest = Math.min(FIRST_PAUSE_MS * 1.6 ** (times - 1), LONGEST_PAUSE_MS);
  const waitMs = Math.round(longest * (1 + Math.random() * 0.3));
  fleet.pause = { until: clock.now() + waitMs, times, error };
  log.info(`${what}. Asking again in ${Math.round(waitMs / 1000)} s.`);
}
