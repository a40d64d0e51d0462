import { asksForMore, type GpuJob, isBad, type MistypedJob } from "../github/jobs.ts";
import { firstMatch } from "../shared/rows.ts";
import type { Facts } from "./facts.ts";
import { destroyAt } from "./lifecycle/going.ts";
import { LATE } from "./lifecycle/late.ts";
import { STOPS, type Stop } from "./renting/stop.ts";
import { isKeptForLook, type Machine, machineFacts, ownEnd, useOf } from "./stage.ts";
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

type Counted = ReturnType<typeof count>;

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
  if (fleet.machines.some((machine) => machineFacts(machine).isUnlisted)) return undefined;
  return firstMatch(END_ROWS, count(facts, stop, lost));
}

function count(facts: Facts, stop: Stop | undefined, lost: readonly LostJob[]) {
  const { fleet, now, rules } = facts;
  const lostIds = new Set(lost.map(({ id }) => id));
  const ours = (fleet.jobs?.ours ?? []).filter(({ id }) => !lostIds.has(id));
  const refused = ours.filter(asksForMore);
  const of = (state: GpuJob["state"]) => ours.filter((job) => job.state === state && !refused.includes(job));
  // Those that are lost, or ask for labels that none of our runners has, too.
  const over = of("over").length + lostIds.size + refused.length;
  const open = { waiting: of("waiting"), running: of("running"), held: of("held") };
  const isActive = Object.values(open).some((jobs) => jobs.length > 0);
  // So that somebody can look at its failed job.
  const isKept = fleet.machines.some(
    (machine) => machineFacts(machine).isAlive && isKeptForLook(machine, rules) && now < destroyAt(machine, rules),
  );
  // The machine of `wait-for-job: 0s` was idle for too long, and no job ever needed it.
  const isForNobody = (machine: Machine) => {
    const { hadJob, idleSince, isReady } = machineFacts(machine);
    // A machine that had a job was needed, however long ago.
    return (isReady || machine.ending?.kind === "over") && !hadJob && now - idleSince >= rules.idleTimeout;
  };
  const isIdle = rules.waitForJob === 0 && fleet.machines.some(isForNobody);
  return { ...facts, ...open, stop, lost, ours, over, isActive, isKept, isIdle };
}

/** Returns what the machines are to the end of renting. */
function leftOf({ fleet: { machines }, now }: Facts, stop: Stop | undefined) {
  const alive = machines.filter((machine) => machineFacts(machine).isAlive);
  return {
    /** One was decided to end a short while ago, and is being released. */
    isReleasing: alive.some(({ ending }) => ending !== undefined && now - ending.decidedAt < LATE.list),
    /** One that is still alive may free its offer, or a part of max-cost, for the next one. */
    mayMakeRoom: stop !== undefined && STOPS[stop.id].goesOn === true && alive.length > 0,
  };
}

function endWithoutHold(facts: Facts, stop: Stop | undefined): End | undefined {
  const { isReleasing, mayMakeRoom } = leftOf(facts, stop);
  const machines = facts.fleet.machines.map(machineFacts);
  // Later steps run before post, so nobody would see to a machine that is being released.
  if (isReleasing) return undefined;
  // What had a job has served, however short that was.
  if (machines.some(({ hadJob, isServing }) => isServing || hadJob)) return { kind: "ready" };
  const isComing = machines.some(({ isAlive, machine }) => isAlive && machine.ending === undefined);
  return stop !== undefined && !isComing && !mayMakeRoom ? { kind: "stopped", stop, jobs: [] } : undefined;
}

/** Ends the loop when jobs stay unreadable. While a machine is alive, its deadline bounds that. */
function listUnreadable({ fleet, now }: Facts, { since, why }: { since: number; why: string }): End | undefined {
  const isHeld = fleet.machines.some((machine) => machineFacts(machine).isAlive && now < ownEnd(machine).to);
  const goneAt = fleet.machines.flatMap(({ instances }) => instances.map((instance) => instance.goneAt ?? 0));
  return isHeld || now - Math.max(since, ...goneAt) < LATE.jobsUnread ? undefined : { kind: "list-unreadable", why };
}

function noOtherJob({ fleet: { jobs }, lost }: Counted): End | undefined {
  return lost.length === 0 && jobs?.others === 0 && jobs.ours.length === 0 ? { kind: "no-other-job" } : undefined;
}

function allOver({ isActive, isKept, lost, ours, over, rules }: Counted): End | undefined {
  if (isActive || isKept) return undefined;
  const expected = rules.jobs === "auto" || rules.attempt > 1 ? 1 : rules.jobs;
  if (over < expected) return undefined;
  return { kind: "over", bad: ours.filter(isBad), lost, refused: ours.filter(asksForMore) };
}

function noneLeft({ fleet, isActive, isIdle, isKept, now, over, rules }: Counted): End | undefined {
  if (isActive || isKept) return undefined;
  const isQuiet = fleet.noOtherJobSince !== undefined && now - fleet.noOtherJobSince >= LATE.github;
  const hasWaited = rules.waitForJob > 0 && now - fleet.lastEndAt >= rules.waitForJob;
  if (!isQuiet && !hasWaited && !(over === 0 && isIdle)) return undefined;
  if (over > 0) return { kind: "too-few", came: over, expected: Number(rules.jobs) };
  return noneCame(fleet.jobs);
}

/** Ends a loop to which no job came. A skipped job shows no labels, so it may be the GPU job. */
function noneCame(jobs: Counted["fleet"]["jobs"]): End {
  if ((jobs?.skipped ?? 0) > 0) return { kind: "none-came" };
  return { kind: (jobs?.othersOpen.length ?? 0) > 0 ? "none-asked" : "none-to-come" };
}

function held({ fleet, held: open, isIdle, isKept, now, rules, running, waiting }: Counted): End | undefined {
  if (waiting.length + running.length > 0 || open.length === 0 || isKept) return undefined;
  const { heldSince = now } = fleet;
  // With `wait-for-job: 0s` a machine that is booting is waited for.
  const isOnItsWay = rules.waitForJob === 0 && fleet.machines.some((machine) => useOf(machine, rules, now).isFree);
  const hasWaited = !isOnItsWay && now - heldSince >= (rules.waitForJob || rules.idleTimeout);
  return hasWaited || isIdle ? { kind: "held", job: open[0] } : undefined;
}

/** Ends the loop when a job waits for a label that was meant to be our label. */
function mistyped({ fleet: { jobs, mistypedSince }, now }: Counted): End | undefined {
  const isMeant = mistypedSince !== undefined && now - mistypedSince >= LATE.served;
  return isMeant ? { kind: "mistyped", jobs: jobs?.mistyped ?? [] } : undefined;
}

/** Ends the loop when nothing more is rented and no machine is left for the jobs that wait. */
function rentingStopped({ isKept, over, running, stop, waiting, ...facts }: Counted): End | undefined {
  const { fleet, now, rules } = facts;
  // With `wait-for-job: 0s` a machine is rented for jobs that are still to come.
  const isForNobody = rules.waitForJob === 0 && running.length + over === 0;
  if (stop === undefined || (waiting.length === 0 && !isForNobody) || isKept) return undefined;
  const { isReleasing, mayMakeRoom } = leftOf(facts, stop);
  const mayServe = (machine: Machine) => useOf(machine, rules, now).isFree || machineFacts(machine).isBusy;
  const isServed = isReleasing || fleet.machines.some(mayServe);
  return isServed || mayMakeRoom ? undefined : { kind: "stopped", stop, jobs: waiting };
}
