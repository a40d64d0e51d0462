import { TUNING } from "../../money/tuning.ts";
import type { Machine, Use } from "./machine.ts";
import type { FleetOptions } from "./policy.ts";

/** The words of the log and the docs for how far a machine is. */
export type Stage = "asked" | "booting" | "starting" | "ready" | "busy" | "over" | "gone";

/** From running to its runner online, `setup` aside: later than this is late. */
const ONLINE_LATE_MS = TUNING.late.onlineMs;

/** Lists lag: two of them, asked for 15 s apart, must show what costs a machine or a job. */
export const LOOKS_APART_MS = 14_000;

/** Not gone yet: it may bill. */
export function isAlive({ goneAt }: Machine): boolean {
  return goneAt === undefined;
}

/** The use that counts now; undefined: none is left. */
export function currentUse({ uses }: Machine): Use | undefined {
  return uses.find(({ spentAt }) => spentAt === undefined);
}

/** A job runs by this use, as far as GitHub shows it. */
export function hasJob({ job, runner }: Use): boolean {
  return runner === "busy" || runner === "cut-off" || job?.isOver === false;
}

/** A job is on it. */
export function isBusy(machine: Machine): boolean {
  const use = currentUse(machine);
  return use !== undefined && isAlive(machine) && hasJob(use);
}

/** Lists lag by seconds: a runner that is busy without a listed job for longer only seems so. */
const LISTED_WITHIN_MS = 300_000;

/** It is busy, and the list of jobs does not show with what. */
export function isUnlisted(machine: Machine): boolean {
  return isBusy(machine) && machine.uses.every(({ job }) => job?.isOver !== false);
}

/** The same, with a job that the list may still come to show. */
export function awaitsListing(machine: Machine, now: number): boolean {
  return isUnlisted(machine) && now - (currentUse(machine)?.busySince ?? now) < LISTED_WITHIN_MS;
}

/** Whether a use can still begin: no listener starts with less than half of max-lifetime left. */
function canBegin(use: Use, machine: Machine, { lifetimeMs }: FleetOptions, now: number): boolean {
  const isFirst = use === machine.uses[0];
  return isFirst || use.onlineAt !== undefined || machine.deadline - now >= lifetimeMs / 2;
}

/** `keep-failed`: a job failed on it. Its script starts no further runner then. */
export function isKeptForLook({ uses }: Machine, { keepFailedMs }: FleetOptions): boolean {
  return keepFailedMs > 0 && uses.some(({ job }) => job?.hasFailed);
}

/** A use is left that no job has. */
function hasUse(machine: Machine, policy: FleetOptions, now: number): boolean {
  if (isKeptForLook(machine, policy)) return false;
  // Its runners are being registered.
  if (machine.uses.length === 0) return machine.instanceId === undefined;
  const use = currentUse(machine);
  return use !== undefined && canBegin(use, machine, policy, now);
}

/** No job is on it, and one may come, now or when it is ready. */
export function isFree(machine: Machine, policy: FleetOptions, now: number): boolean {
  return isAlive(machine) && machine.ending === undefined && !isBusy(machine) && hasUse(machine, policy, now);
}

/** Its runner is online and has no job. */
export function isReady(machine: Machine): boolean {
  return (
    machine.ending === undefined && isAlive(machine) && currentUse(machine)?.runner === "online" && !isBusy(machine)
  );
}

/** Another use begins on it when the job that runs is over. */
export function hasNextUse(machine: Machine, policy: FleetOptions, now: number): boolean {
  const next = machine.uses.filter(({ spentAt }) => spentAt === undefined)[1];
  return isBusy(machine) && machine.ending === undefined && next !== undefined && canBegin(next, machine, policy, now);
}

/** Its container was seen running, or its host is silent, so that nobody can see. */
export function mayHaveRun({ isSilent, runningAt }: Machine): boolean {
  return runningAt !== undefined || isSilent === true;
}

/** It was ready at some time, or a job ran on it. */
export function wasReady({ readyAt, uses }: Machine): boolean {
  return readyAt !== undefined || uses.some(({ job }) => job !== undefined);
}

/** On its way, and slower than expected. */
export function isLate(machine: Machine, now: number): boolean {
  const { createdAt, runningAt, timing } = machine;
  const { setupMs = 0 } = timing;
  if (createdAt === undefined || wasReady(machine)) return false;
  return runningAt === undefined ? now - createdAt > timing.lateMs : now - runningAt > ONLINE_LATE_MS + setupMs;
}

/** GitHub misses a runner later than this, and its clock and ours may differ by some seconds. */
const GITHUB_MISSES_MS = 30_000;

/** Its job ended badly long after the machine: GitHub missed its runner; no fault of the job. */
export function wentWithMachine({ job, spentAt = 0 }: Use, since: number): boolean {
  return job?.isBad === true && spentAt - since > GITHUB_MISSES_MS;
}

/** The same of one whose runner had been away for long when its job ended. */
export function wasMissed(use: Use): boolean {
  return use.offlineSince !== undefined && wentWithMachine(use, use.offlineSince);
}

/** The clocks of GitHub, of the machine and of this one differ by so much at most. */
const CLOCKS_DIFFER_MS = 5000;

/** Its job ended badly at the machine's deadline: the script there ends what still runs. */
export function wasCutOff({ job, spentAt = 0 }: Use, { deadline }: Machine): boolean {
  return job?.isBad === true && spentAt >= deadline - CLOCKS_DIFFER_MS;
}

/** It counts against `machines`: those that are over don't, once no job can come to them. */
export function isCounted(machine: Machine): boolean {
  return isAlive(machine) && (machine.ending?.kind !== "over" || currentUse(machine) !== undefined);
}

/** How far it is, in a word. */
export function stageOf(machine: Machine): Stage {
  if (!isAlive(machine)) return "gone";
  if (isBusy(machine)) return "busy";
  if (machine.ending !== undefined || currentUse(machine) === undefined) return "over";
  if (isReady(machine)) return "ready";
  if (machine.instanceId === undefined) return "asked";
  return machine.runningAt === undefined && !wasReady(machine) ? "booting" : "starting";
}

const FARNESS: readonly Stage[] = ["asked", "booting", "starting", "ready", "busy"];

/** The farthest first, and of equals the one that was asked for first. */
export function byFarness(left: Machine, right: Machine): number {
  return FARNESS.indexOf(stageOf(right)) - FARNESS.indexOf(stageOf(left)) || left.n - right.n;
}
