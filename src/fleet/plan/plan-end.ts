import { asksForMore, type GpuJob, isBad } from "../../github/jobs.ts";
import type { Fleet, LostJob } from "../state/fleet.ts";
import type { Machine } from "../state/machine.ts";
import type { FleetOptions } from "../state/policy.ts";
import { awaitsListing, isAlive, isBusy, isFree, isKeptForLook, isReady } from "../state/stage.ts";
import { destroyAt, idleSince } from "./plan-machines.ts";
import type { Stop } from "./plan-stop.ts";

/** How the loop ends. `over` and `none-came` need not be a failure. */
export type End =
  | { kind: "ready" }
  | { kind: "over"; bad: readonly GpuJob[]; lost: readonly LostJob[]; refused: readonly GpuJob[] }
  | { kind: "none-came" }
  | { kind: "alone" }
  | { kind: "unreadable"; why: string }
  | { kind: "none-asked"; open: Fleet["jobs"] }
  | { kind: "too-few"; came: number; expected: number }
  | { kind: "held"; job: GpuJob | undefined }
  | { kind: "unseen"; job: GpuJob | undefined }
  | { kind: "stopped"; stop: Stop; jobs: readonly GpuJob[] };

/** With nothing alive, GitHub may be away for so long. */
const BLIND_MS = 600_000;
/** With nothing else open, a job whose needs are just over appears within so long. */
const ALONE_MS = 30_000;

/** A machine that ends is waited for so long: a job may have come to it, unseen by post. */
const GIVEN_BACK_WITHIN_MS = 90_000;

interface Facts {
  fleet: Fleet;
  policy: FleetOptions;
  now: number;
  stop: Stop | undefined;
  ours: readonly GpuJob[];
  waiting: readonly GpuJob[];
  running: readonly GpuJob[];
  held: readonly GpuJob[];
  /** Over, lost, or asking for labels that no runner of ours has. */
  over: number;
}

/** DESIGN, "The end": the first row that holds. */
const ROWS: readonly ((facts: Facts) => End | undefined)[] = [alone, allOver, noneLeft, held, unseen, stopped];

/** How it ends; undefined: it goes on. Every end but that of an unreadable list needs two looks. */
export function endOf(fleet: Fleet, policy: FleetOptions, stop: Stop | undefined, now: number): End | undefined {
  if (!policy.hold) return endWithoutHold(fleet, stop, now);
  if (fleet.jobsFault !== undefined) return blind(fleet, fleet.jobsFault, now);
  if (fleet.jobs === undefined) return undefined;
  // Post would destroy it under the job that the next list shows.
  if (fleet.machines.some((machine) => awaitsListing(machine, now))) return undefined;
  const facts = factsOf(fleet, policy, stop, now);
  for (const row of ROWS) {
    const end = row(facts);
    if (end !== undefined) return end;
  }
  return undefined;
}

function factsOf(fleet: Fleet, policy: FleetOptions, stop: Stop | undefined, now: number): Facts {
  const lost = new Set(fleet.lost.map(({ id }) => id));
  const ours = (fleet.jobs?.ours ?? []).filter(({ id }) => !lost.has(id));
  const refused = ours.filter(asksForMore);
  const of = (state: GpuJob["state"]) => ours.filter((job) => job.state === state && !refused.includes(job));
  const over = of("over").length + lost.size + refused.length;
  return { fleet, policy, now, stop, ours, waiting: of("waiting"), running: of("running"), held: of("held"), over };
}

function endWithoutHold(fleet: Fleet, stop: Stop | undefined, now: number): End | undefined {
  // Nobody sees to it while later steps run: post comes after them.
  if (fleet.machines.some((machine) => isGivenBack(machine, now))) return undefined;
  if (fleet.machines.some((machine) => isReady(machine) || isBusy(machine))) return { kind: "ready" };
  const isComing = fleet.machines.some((machine) => isAlive(machine) && machine.ending === undefined);
  return stop !== undefined && !isComing && !mayPaySoon(fleet, stop) ? { kind: "stopped", stop, jobs: [] } : undefined;
}

/** It is not gone yet, and may soon be. */
function isGivenBack(machine: Machine, now: number): boolean {
  return isAlive(machine) && machine.ending !== undefined && now - machine.ending.since < GIVEN_BACK_WITHIN_MS;
}

/** Bounded by the machines' deadlines; the error says what could not be read, and why. */
function blind({ machines }: Fleet, { since, why }: { since: number; why: string }, now: number): End | undefined {
  const isHeld = machines.some((machine) => isAlive(machine) && now < machine.deadline);
  return isHeld || now - since < BLIND_MS ? undefined : { kind: "unreadable", why };
}

function alone({ fleet: { jobs }, ours }: Facts): End | undefined {
  return ours.length === 0 && jobs?.others === 0 && jobs.ours.length === 0 ? { kind: "alone" } : undefined;
}

/** Kept for a look at the job that failed on it, unless something ends the machine earlier. */
function isKept({ fleet, policy, now }: Facts): boolean {
  return fleet.machines.some(
    (machine) => isAlive(machine) && isKeptForLook(machine, policy) && now < destroyAt(machine, policy),
  );
}

function isActive({ waiting, running }: Facts): boolean {
  return waiting.length + running.length > 0;
}

function allOver(facts: Facts): End | undefined {
  const { policy, over, held: open } = facts;
  if (isActive(facts) || open.length > 0 || isKept(facts)) return undefined;
  const expected = policy.jobs === "auto" || policy.attempt > 1 ? 1 : policy.jobs;
  return over >= expected ? overWith(facts) : undefined;
}

function overWith({ fleet, ours }: Facts): End {
  return { kind: "over", bad: ours.filter(isBad), lost: fleet.lost, refused: ours.filter(asksForMore) };
}

function noneLeft(facts: Facts): End | undefined {
  const { fleet, policy, over, held: open, now } = facts;
  if (isActive(facts) || open.length > 0 || isKept(facts)) return undefined;
  const isQuiet = fleet.aloneSince !== undefined && now - fleet.aloneSince >= ALONE_MS;
  const hasWaited = policy.waitForJobMs > 0 && now - fleet.lastEndAt >= policy.waitForJobMs;
  if (!isQuiet && !hasWaited && !(over === 0 && isIdle(facts))) return undefined;
  if (over > 0) return { kind: "too-few", came: over, expected: Number(policy.jobs) };
  return (fleet.jobs?.othersOpen.length ?? 0) > 0 ? { kind: "none-asked", open: fleet.jobs } : { kind: "none-came" };
}

/** The machine that was rented for nobody was not needed. */
function isIdle({ fleet, policy, now }: Facts): boolean {
  const came = fleet.machines.filter((machine) => isReady(machine) || machine.ending?.kind === "over");
  // One that had a job was needed, however long ago.
  const forNobody = came.filter(({ uses }) => uses.every(({ job }) => job === undefined));
  return policy.waitForJobMs === 0 && forNobody.some((machine) => now - idleSince(machine) >= policy.idleMs);
}

function held(facts: Facts): End | undefined {
  const { fleet, held: open, now, policy } = facts;
  if (isActive(facts) || open.length === 0 || isKept(facts)) return undefined;
  const { heldSince = now } = fleet;
  // With `wait-for-job: 0s` a machine that is there is waited for: it may be booting.
  const isOnItsWay = policy.waitForJobMs === 0 && fleet.machines.some((machine) => isFree(machine, policy, now));
  const hasWaited = !isOnItsWay && now - heldSince >= (policy.waitForJobMs || policy.idleMs);
  return hasWaited || isIdle(facts) ? { kind: "held", job: open[0] } : undefined;
}

/** They wait beside ready machines, and none ever came to one: GitHub gives them none of ours. */
function unseen({ fleet, policy, waiting }: Facts): End | undefined {
  // For GitHub one that was lost runs, and takes a place of max-parallel, until it is missed there.
  const isRunning = fleet.jobs?.ours.some(({ state }) => state === "running");
  const isUnseen = waiting.length > 0 && !isRunning && fleet.besideReady.sumMs >= policy.idleMs;
  return isUnseen ? { kind: "unseen", job: waiting[0] } : undefined;
}

/** Nothing is rented any more, and no machine is left that a job could have. */
function stopped(facts: Facts): End | undefined {
  const { fleet, policy, stop, waiting, running, over, now } = facts;
  // With `wait-for-job: 0s` one is rented for jobs that are still to come.
  const isForNobody = policy.waitForJobMs === 0 && running.length + over === 0;
  if (stop === undefined || (waiting.length === 0 && !isForNobody) || isKept(facts)) return undefined;
  const isServed = fleet.machines.some(
    (machine) => isFree(machine, policy, now) || isBusy(machine) || isGivenBack(machine, now),
  );
  return isServed || mayPaySoon(fleet, stop) ? undefined : { kind: "stopped", stop, jobs: waiting };
}

/** Money set aside for a machine pays the next one when it is gone. */
function mayPaySoon({ machines }: Fleet, stop: Stop): boolean {
  return stop.kind === "max-cost" && machines.some(isAlive);
}
