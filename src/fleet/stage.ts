import { TUNING } from "../money/tuning.ts";
import type { Rules } from "./options.ts";
import { refusedRunners } from "./refused-runners.ts";
import type {
  DeepReadonly,
  Fleet,
  RunnerSlot,
  InstanceFacts as StoredInstance,
  Machine as StoredMachine,
} from "./state.ts";

export type Machine = DeepReadonly<StoredMachine>;
export type InstanceFacts = DeepReadonly<StoredInstance>;
export type Slot = DeepReadonly<RunnerSlot>;
type Limits = Pick<Rules, "keepFailed" | "maxLifetime">;

/** The words of the log and the docs for how far a machine is. */
export type Stage = "asked" | "booting" | "starting" | "ready" | "busy" | "over" | "gone";

/** From running to its runner online, `setup` aside: later than this is late. */
const ONLINE_LATE_MS = TUNING.late.onlineMs;
/** Two lists that confirm a finding were asked for at least so far apart. */
export const CONFIRMED_AFTER_MS = 14_000;
/** Lists lag by seconds: a runner that is busy without a listed job for longer only seems so. */
const LISTED_WITHIN_MS = 300_000;
/** GitHub misses a runner later than this, and its clock and ours may differ by some seconds. */
export const GITHUB_MISSES_MS = 30_000;
/** A list may show what was so long before. SPEC-SILENT: no figure is named. */
export const LIST_LAG_MS = 15_000;
/** The clocks of GitHub, of the machine and of this one differ by so much at most. */
const CLOCKS_DIFFER_MS = 5000;
/** The script ends what still runs at its last tick before the deadline. */
const LAST_TICK_MS = 15_000;

/** The middle between two looks, of what happened to an instance some time between them. */
export function middle({ foundAt }: InstanceFacts, from: number, to: number): number {
  return Math.round((Math.max(foundAt, Math.min(from, to)) + to) / 2);
}

/** Instances that may bill. */
export function aliveInstances({ instances }: Machine): InstanceFacts[] {
  return instances.filter(({ goneAt }) => goneAt === undefined);
}

/** The instance that the machine is judged by: of several the first that is well. */
export function mainInstance(machine: Machine): InstanceFacts | undefined {
  const alive = aliveInstances(machine);
  const isWell = ({ absentSince, brokenSince }: InstanceFacts) =>
    absentSince === undefined && brokenSince === undefined;
  return alive.find(isWell) ?? alive[0] ?? machine.instances[0];
}

/** Not gone yet: it may bill. */
export function isAlive(machine: Machine): boolean {
  return machine.answer === undefined || aliveInstances(machine).length > 0;
}

/** An instance came of its create. */
export function wasMade({ instances }: Machine): boolean {
  return instances.length > 0;
}

/** Its create has an answer, and nothing is known to exist: an instance may still turn up. */
export function mayTurnUp(machine: Machine): boolean {
  return machine.answer !== undefined && machine.answer.kind !== "unregistered" && !wasMade(machine);
}

/** No answer said what became of its create. */
export function isUncertain({ answer }: Machine): boolean {
  return answer?.kind === "uncertain" || answer?.kind === "mistaken";
}

/** The slot that counts now; undefined: none is left. */
export function currentSlot({ slots }: Machine): Slot | undefined {
  return slots.find(({ spentAt }) => spentAt === undefined);
}

/** A job runs by this slot, as far as GitHub shows it. */
export function hasJob({ job, runner }: Slot): boolean {
  return runner === "busy" || runner === "cut-off" || job?.isOver === false;
}

/** A job is on it. */
export function isBusy(machine: Machine): boolean {
  const slot = currentSlot(machine);
  return slot !== undefined && isAlive(machine) && hasJob(slot);
}

/** It is busy, and the list of jobs does not show with what. */
export function isUnlisted(machine: Machine): boolean {
  return isBusy(machine) && machine.slots.every(({ job }) => job?.isOver !== false);
}

/** The same, with a job that the list may still come to show. */
export function awaitsListing(machine: Machine, now: number): boolean {
  return isUnlisted(machine) && now - (currentSlot(machine)?.busySince ?? now) < LISTED_WITHIN_MS;
}

/** GitHub gave it a job that never began, which may stay bound to it (actions/runner#4598). */
export function mayHoldJob({ slots }: Machine): boolean {
  return slots.some(({ job, wasBusy }) => wasBusy === true && job === undefined);
}

/** Whether a slot can still begin: no listener starts with less than half of max-lifetime left. */
function canBegin(slot: Slot, machine: Machine, { maxLifetime }: Limits, now: number): boolean {
  const isFirst = slot === machine.slots[0];
  return isFirst || slot.onlineAt !== undefined || machine.deadline - now >= maxLifetime / 2;
}

/** The job failed by itself: neither cancelled nor cut off. */
export function hasFailed({ job }: Slot): boolean {
  return job?.conclusion === "failure";
}

/** `keep-failed`: a job failed on it. Its script starts no further runner then. */
export function isKeptForLook({ slots }: Machine, { keepFailed }: Limits): boolean {
  return keepFailed > 0 && slots.some(hasFailed);
}

/** A slot can begin, or has begun, that no job has. */
export function hasSlot(machine: Machine, limits: Limits, now: number): boolean {
  if (isKeptForLook(machine, limits)) return false;
  // Its runners are being registered.
  if (machine.slots.length === 0) return machine.answer === undefined;
  const slot = currentSlot(machine);
  return slot !== undefined && canBegin(slot, machine, limits, now);
}

/** No job is on it, and one may come, now or when it is ready. */
export function isFree(machine: Machine, limits: Limits, now: number): boolean {
  return isAlive(machine) && machine.ending === undefined && !isBusy(machine) && hasSlot(machine, limits, now);
}

/** Its runner is online and has no job. */
export function isReady(machine: Machine): boolean {
  const isOnline = currentSlot(machine)?.runner === "online";
  return isOnline && machine.ending === undefined && isAlive(machine) && !isBusy(machine);
}

/** Another slot begins on it when the job that runs is over. */
export function hasNextSlot(machine: Machine, limits: Limits, now: number): boolean {
  const next = machine.slots.filter(({ spentAt }) => spentAt === undefined)[1];
  return isBusy(machine) && machine.ending === undefined && next !== undefined && canBegin(next, machine, limits, now);
}

/** When its container was seen running, by the service's state or by its runner. */
export function runningAt(machine: Machine): number | undefined {
  return mainInstance(machine)?.runningAt;
}

/** Its container was seen running, or its host is silent, so that nobody can see. */
export function mayHaveRun(machine: Machine): boolean {
  return machine.instances.some((instance) => instance.runningAt !== undefined || instance.isSilent === true);
}

/** It was ready at some time, or a job ran on it. */
export function wasReady({ readyAt, slots }: Machine): boolean {
  return readyAt !== undefined || slots.some(({ job }) => job !== undefined);
}

/** On its way, and slower than expected. */
export function isLate(machine: Machine, now: number): boolean {
  const { timing } = machine;
  const instance = mainInstance(machine);
  if (instance === undefined || wasReady(machine)) return false;
  const late = ONLINE_LATE_MS + (timing.setupMs ?? 0);
  return instance.runningAt === undefined ? now - instance.foundAt > timing.lateMs : now - instance.runningAt > late;
}

/** Since when it waits for a job. */
export function idleSince({ slots, readyAt, askedAt }: Machine): number {
  const ends = slots.flatMap(({ spentAt }) => (spentAt === undefined ? [] : [spentAt]));
  const online = slots.findLast(({ onlineAt }) => onlineAt !== undefined)?.onlineAt;
  return Math.max(readyAt ?? askedAt, online ?? 0, ...ends);
}

/** Since when it may have waited for a job: its runner came online some time between two looks. */
export function mayBeIdleSince(machine: Machine): number {
  const { slots } = machine;
  const ends = slots.flatMap(({ spentAt }) => (spentAt === undefined ? [] : [spentAt]));
  const online = slots.findLast(({ onlineAt }) => onlineAt !== undefined);
  return Math.max(online?.notYetAt ?? runningAt(machine) ?? idleSince(machine), ...ends);
}

/** Its job ended badly long after the machine: GitHub missed its runner; no fault of the job. */
export function wentWithMachine({ job, spentAt = 0 }: Slot, since: number): boolean {
  return job?.isBad === true && spentAt - since > GITHUB_MISSES_MS;
}

/** The machine was seen alive after this job's end: it did not end the job. */
export function hasOutlived({ instances, slots }: Machine, { runnerId, spentAt = 0 }: Slot): boolean {
  const ran = instances.some(({ lastRunningAt = 0 }) => lastRunningAt > spentAt + LIST_LAG_MS);
  // Its own runner may be known by its job alone, seen when that was over.
  return ran || slots.some((slot) => slot.runnerId !== runnerId && (slot.onlineAt ?? 0) > spentAt);
}

/** The same of one whose runner had been away for long when its job ended. */
export function wasMissed(slot: Slot): boolean {
  return slot.offlineSince !== undefined && wentWithMachine(slot, slot.offlineSince);
}

/** Its job ended badly at the machine's deadline: the script there ends what still runs. */
export function wasCutOff({ job, spentAt = 0 }: Slot, { deadline }: Machine): boolean {
  return job?.isBad === true && spentAt >= deadline - LAST_TICK_MS - CLOCKS_DIFFER_MS;
}

/** It counts against `machines`: those that are over don't, once no job can come to them. */
export function isCounted(machine: Machine): boolean {
  return isAlive(machine) && (machine.ending?.kind !== "over" || currentSlot(machine) !== undefined);
}

/** How far it is, in a word. */
export function stageOf(machine: Machine): Stage {
  if (!isAlive(machine)) return "gone";
  if (isBusy(machine)) return "busy";
  if (machine.ending !== undefined || (machine.answer !== undefined && currentSlot(machine) === undefined))
    return "over";
  if (isReady(machine)) return "ready";
  if (!wasMade(machine)) return "asked";
  return runningAt(machine) === undefined && !wasReady(machine) ? "booting" : "starting";
}

const FARNESS: readonly Stage[] = ["asked", "booting", "starting", "ready", "busy"];

/** The farthest first, and of equals the one that was asked for first. */
export function byFarness(left: Machine, right: Machine): number {
  return FARNESS.indexOf(stageOf(right)) - FARNESS.indexOf(stageOf(left)) || left.machineNo - right.machineNo;
}

/** It failed, was lost, or GitHub dropped its runner: its host is left alone in this session. */
export function isLeftAlone({ ending }: Machine): boolean {
  return ending !== undefined && ["failed", "lost", "dropped"].includes(ending.kind);
}

/** It failed, was lost, or was over before a job began on it: another host is tried first. */
export function countsAsFailure(machine: Machine): boolean {
  const { ending, slots } = machine;
  if (ending === undefined) return false;
  const hadJob = slots.some(({ job }) => job !== undefined);
  return isLeftAlone(machine) || (["over", "deadline"].includes(ending.kind) && !hadJob);
}

/** Machines that count as failures since a job last began; what GitHub refused is none of theirs. */
export function failuresOf(fleet: Fleet): Machine[] {
  const { lastBeginAt, machines } = fleet;
  const refused = refusedRunners(fleet);
  return machines.filter(
    (machine) =>
      countsAsFailure(machine) && !refused.includes(machine) && (machine.ending?.decidedAt ?? 0) > lastBeginAt,
  );
}

/** Bids were of no use, and the user allows to rent on demand then. */
export function isOnDemand({ bidsFailedAt, machines }: Fleet, { bidFallback }: Pick<Rules, "bidFallback">): boolean {
  return bidFallback && (bidsFailedAt !== undefined || machines.some(({ ending }) => ending?.isOutbid));
}

/** How many offers were gone when they were asked for. */
export function offersGone({ machines }: Fleet): number {
  const gone = machines.filter(({ answer }) => answer?.kind === "uncertain" || isOfferGone(answer));
  return new Set(gone.map(({ candidate }) => candidate.offer.id)).size;
}

/** Somebody else has the offer. */
export function isOfferGone(answer: Machine["answer"]): boolean {
  return answer?.kind === "refused" && answer.refusal.code === "offer-gone";
}
