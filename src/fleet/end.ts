import { asksForMore, type GpuJob, isBad, type MistypedJob } from "../github/jobs.ts";
import { firstMatch } from "../shared/rows.ts";
import type { Facts } from "./facts.ts";
import { destroyAt } from "./lifecycle/going.ts";
import { LATE } from "./lifecycle/late.ts";
import { STOPS, type Stop } from "./renting/stop.ts";
import {
  hadJob,
  idleSince,
  isAlive,
  isBusy,
  isFree,
  isKeptForLook,
  isReady,
  isServing,
  isUnlisted,
  type Machine,
  ownEnd,
} from "./stage.ts";
import type { DeepReadonly, LostJob } from "./state.ts";

type OpenJob = DeepReadonly<GpuJob>;

/** How the loop ends. `over` and `none-came` are not always failures. */
export type End =
  | { kind: "ready" }
  | { kind: "over"; bad: readonly OpenJob[]; lost: readonly LostJob[]; refused: readonly OpenJob[] }
  | { kind: "none-came" }
  | { kind: "no-other-job" }
  | { kind: "list-unreadable"; why: string }
  | { kind: "none-asked" }
  | { kind: "none-to-come" }
  | { kind: "too-few"; came: number; expected: number }
  | { kind: "held"; job: OpenJob | undefined }
  | { kind: "mistyped"; jobs: readonly DeepReadonly<MistypedJob>[] }
  | { kind: "stopped"; stop: Stop; jobs: readonly OpenJob[] };

interface Counted extends Facts {
  stop: Stop | undefined;
  lost: readonly LostJob[];
  ours: readonly OpenJob[];
  waiting: readonly OpenJob[];
  running: readonly OpenJob[];
  held: readonly OpenJob[];
  /** Jobs that are over, lost, or ask for labels that none of our runners has. */
  over: number;
}

/** The rows of docs/internals/holding.md that end the loop. The first that holds decides. */
const END_ROWS: readonly ((counted: Counted) => End | undefined)[] = [
  noOtherJob,
  allOver,
  noneLeft,
  held,
  mistyped,
  rentingStopped,
];

/** Says how the loop ends. Undefined: it goes on. Every end but `list-unreadable` needs two looks. */
export function endOf(facts: Facts, stop: Stop | undefined, lost: readonly LostJob[]): End | undefined {
  const { fleet, rules } = facts;
  if (!rules.hold) return endWithoutHold(facts, stop);
  if (fleet.jobsFault !== undefined) return listUnreadable(facts, fleet.jobsFault);
  if (fleet.jobs === undefined) return undefined;
  // Post would destroy the machine under the job that the next list shows.
  if (fleet.machines.some(isUnlisted)) return undefined;
  return firstMatch(END_ROWS, count(facts, stop, lost));
}

function count(facts: Facts, stop: Stop | undefined, lost: readonly LostJob[]): Counted {
  const lostIds = new Set(lost.map(({ id }) => id));
  const ours = (facts.fleet.jobs?.ours ?? []).filter(({ id }) => !lostIds.has(id));
  const refused = ours.filter(asksForMore);
  const of = (state: GpuJob["state"]) => ours.filter((job) => job.state === state && !refused.includes(job));
  const over = of("over").length + lostIds.size + refused.length;
  return { ...facts, stop, lost, ours, waiting: of("waiting"), running: of("running"), held: of("held"), over };
}

function endWithoutHold(facts: Facts, stop: Stop | undefined): End | undefined {
  const { machines } = facts.fleet;
  // Later steps run before post, so nobody would see to a machine that is being released.
  if (machines.some((machine) => isReleased(machine, facts.now))) return undefined;
  // What had a job has served, however short that was.
  if (machines.some((machine) => isServing(machine) || hadJob(machine))) return { kind: "ready" };
  const isComing = machines.some((machine) => isAlive(machine) && machine.ending === undefined);
  return stop !== undefined && !isComing && !mayMakeRoom(facts, stop) ? { kind: "stopped", stop, jobs: [] } : undefined;
}

function isReleased(machine: Machine, now: number): boolean {
  return isAlive(machine) && machine.ending !== undefined && now - machine.ending.decidedAt < LATE.list;
}

/** Ends the loop when jobs stay unreadable. While a machine is alive, its deadline bounds that. */
function listUnreadable({ fleet, now }: Facts, { since, why }: { since: number; why: string }): End | undefined {
  const isHeld = fleet.machines.some((machine) => isAlive(machine) && now < ownEnd(machine).to);
  const goneAt = fleet.machines.flatMap(({ instances }) => instances.map((instance) => instance.goneAt ?? 0));
  return isHeld || now - Math.max(since, ...goneAt) < LATE.jobsUnread ? undefined : { kind: "list-unreadable", why };
}

function noOtherJob({ fleet: { jobs }, lost }: Counted): End | undefined {
  return lost.length === 0 && jobs?.others === 0 && jobs.ours.length === 0 ? { kind: "no-other-job" } : undefined;
}

/** True if a machine is kept so that somebody can look at its failed job. */
function isKept({ fleet, now, rules }: Facts): boolean {
  return fleet.machines.some(
    (machine) => isAlive(machine) && isKeptForLook(machine, rules) && now < destroyAt(machine, rules),
  );
}

function isActive({ held: open, running, waiting }: Counted): boolean {
  return waiting.length + running.length + open.length > 0;
}

function allOver(counted: Counted): End | undefined {
  const { lost, ours, over, rules } = counted;
  if (isActive(counted) || isKept(counted)) return undefined;
  const expected = rules.jobs === "auto" || rules.attempt > 1 ? 1 : rules.jobs;
  if (over < expected) return undefined;
  return { kind: "over", bad: ours.filter(isBad), lost, refused: ours.filter(asksForMore) };
}

function noneLeft(counted: Counted): End | undefined {
  const { fleet, now, over, rules } = counted;
  if (isActive(counted) || isKept(counted)) return undefined;
  const isQuiet = fleet.noOtherJobSince !== undefined && now - fleet.noOtherJobSince >= LATE.github;
  const hasWaited = rules.waitForJob > 0 && now - fleet.lastEndAt >= rules.waitForJob;
  if (!isQuiet && !hasWaited && !(over === 0 && isIdle(counted))) return undefined;
  if (over > 0) return { kind: "too-few", came: over, expected: Number(rules.jobs) };
  return noneCame(fleet.jobs);
}

/** Ends a loop to which no job came. A skipped job shows no labels, so it may be the GPU job. */
function noneCame(jobs: Counted["fleet"]["jobs"]): End {
  if ((jobs?.skipped ?? 0) > 0) return { kind: "none-came" };
  return { kind: (jobs?.othersOpen.length ?? 0) > 0 ? "none-asked" : "none-to-come" };
}

/** True if the machine of `wait-for-job: 0s` was idle for too long. No job needed it. */
function isIdle({ fleet, now, rules }: Facts): boolean {
  const came = fleet.machines.filter((machine) => isReady(machine) || machine.ending?.kind === "over");
  // A machine that had a job was needed, however long ago.
  const isForNobody = (machine: Machine) => !hadJob(machine) && now - idleSince(machine) >= rules.idleTimeout;
  return rules.waitForJob === 0 && came.some(isForNobody);
}

function held(counted: Counted): End | undefined {
  const { fleet, held: open, now, rules, running, waiting } = counted;
  if (waiting.length + running.length > 0 || open.length === 0 || isKept(counted)) return undefined;
  const { heldSince = now } = fleet;
  // With `wait-for-job: 0s` a machine that is booting is waited for.
  const isOnItsWay = rules.waitForJob === 0 && fleet.machines.some((machine) => isFree(machine, rules, now));
  const hasWaited = !isOnItsWay && now - heldSince >= (rules.waitForJob || rules.idleTimeout);
  return hasWaited || isIdle(counted) ? { kind: "held", job: open[0] } : undefined;
}

/** Ends the loop when a job waits for a label that was meant to be our label. */
function mistyped({ fleet: { jobs, mistypedSince }, now }: Counted): End | undefined {
  const isMeant = mistypedSince !== undefined && now - mistypedSince >= LATE.served;
  return isMeant ? { kind: "mistyped", jobs: jobs?.mistyped ?? [] } : undefined;
}

/** Ends the loop when nothing more is rented and no machine is left for the jobs that wait. */
function rentingStopped(counted: Counted): End | undefined {
  const { fleet, now, over, rules, running, stop, waiting } = counted;
  // With `wait-for-job: 0s` a machine is rented for jobs that are still to come.
  const isForNobody = rules.waitForJob === 0 && running.length + over === 0;
  if (stop === undefined || (waiting.length === 0 && !isForNobody) || isKept(counted)) return undefined;
  const isServed = fleet.machines.some(
    (machine) => isFree(machine, rules, now) || isBusy(machine) || isReleased(machine, now),
  );
  return isServed || mayMakeRoom(counted, stop) ? undefined : { kind: "stopped", stop, jobs: waiting };
}

/** True if a machine that is still alive may free its offer, or a part of max-cost, for the next one. */
function mayMakeRoom({ fleet: { machines } }: Facts, stop: Stop): boolean {
  return STOPS[stop.id].goesOn === true && machines.some(isAlive);
}
