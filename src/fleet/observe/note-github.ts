import type { RanJob } from "../../create/machine-record.ts";
import type { RunnerState } from "../../create/rent.ts";
import { asksForMore, type GpuJob, type GpuJobs, isBad } from "../../github/gpu-jobs.ts";
import type { Fleet, LostJob } from "../state/fleet.ts";
import type { JobOfUse, Machine, Use } from "../state/machine.ts";
import { hasJob, isAlive, isBusy, isReady, LOOKS_APART_MS } from "../state/stage.ts";
import { noteRan, ranJob } from "./ran-jobs.ts";

/** Takes those runners into the fleet that were asked for. Returns whose report changed. */
export function noteRunners(fleet: Fleet, runners: ReadonlyMap<number, RunnerState>, at: number): number[] {
  fleet.runnersAt = at;
  return fleet.machines
    .filter(isAlive)
    .filter((machine) => {
      const { readyAt } = machine;
      for (const use of machine.uses) noteRunner(machine, use, runners.get(use.runnerId), at);
      noteBurnt(machine, at);
      return machine.readyAt !== readyAt;
    })
    .map(({ n }) => n);
}

function noteRunner(machine: Machine, use: Use, state: RunnerState | undefined, at: number): void {
  if (state === undefined || use.spentAt !== undefined) return;
  use.runner = state;
  noteMissing(use, at);
  if (state === "online" || state === "busy") noteOnline(machine, use, at);
  noteClocksOf(use, at);
}

function noteClocksOf(use: Use, at: number): void {
  use.busySince = hasItsJob(use) ? (use.busySince ?? at) : undefined;
  // One that GitHub dropped was away until then.
  if (use.runner !== "gone") use.offlineSince = isAway(use) ? (use.offlineSince ?? at) : undefined;
}

function hasItsJob({ runner }: Use): boolean {
  return runner === "busy" || runner === "cut-off";
}

/** It was online, and is not connected. */
function isAway({ runner, onlineAt }: Use): boolean {
  return (runner === "offline" || runner === "cut-off") && onlineAt !== undefined;
}

/**
 * Single-use runners go when a job ends, and unused after a day; one look alone may be wrong. A job
 * that its list shows as running is ended by that list.
 */
function noteMissing(use: Use, at: number): void {
  use.missingSince = use.runner === "gone" && use.job?.isOver !== false ? (use.missingSince ?? at) : undefined;
  if (use.missingSince !== undefined && at - use.missingSince >= LOOKS_APART_MS) use.spentAt = at;
}

/**
 * Listeners run one after another: where a later one was online, those before it are over. One that
 * ended without a job leaves a registration that stays listed.
 */
function noteBurnt({ uses }: Machine, at: number): void {
  const last = uses.findLastIndex(({ onlineAt }) => onlineAt !== undefined);
  for (const use of uses.slice(0, Math.max(0, last))) if (!hasJob(use)) use.spentAt ??= at;
}

/** A runner that is online runs in a container that runs, however the service's state lags. */
function noteOnline(machine: Machine, use: Use, at: number): void {
  use.onlineAt ??= at;
  machine.runningAt ??= at;
  machine.readyAt ??= at;
  const times = machine.report?.at;
  if (times === undefined || machine.report === undefined) return;
  if (times.online === undefined) machine.report.last = "ready";
  times.online ??= at;
  times.running ??= at;
}

/** Takes jobs into the fleet. Returns the numbers of the machines whose report changed. */
export function noteJobs(fleet: Fleet, jobs: GpuJobs, at: number): number[] {
  const before = new Map(fleet.jobs?.ours.map(({ id, state }) => [id, state]));
  fleet.looks.jobs = at;
  fleet.jobsFault = undefined;
  fleet.jobs = jobs;
  fleet.lost = fleet.lost.filter((lost) => isStillLost(fleet, lost));
  const changed = fleet.machines.filter((machine) => noteJobsOf(machine, jobs.ours, at));
  const begun = jobs.ours.filter(({ id, state }) => state === "running" && before.get(id) !== "running");
  const ended = jobs.ours.filter(({ id, state }) => state === "over" && before.get(id) !== "over");
  if (begun.length + ended.length > 0) fleet.besideReady = { sumMs: 0, at: undefined };
  const unseen = ended.filter(({ id }) => before.get(id) !== "running");
  if (begun.length > 0 || unseen.some(ranHere(fleet))) fleet.failedSinceJob = [];
  if (ended.length > 0) fleet.lastEndAt = at;
  fleet.heldBack = Math.max(0, fleet.heldBack - ended.length);
  noteQuiet(fleet, at);
  return changed.map(({ n }) => n);
}

/** Lists lag: it may have done well before its machine went, or GitHub gave it another one. */
function isStillLost({ jobs, machines }: Fleet, { id, n }: LostJob): boolean {
  const job = jobs?.ours.find((each) => each.id === id);
  if (job === undefined || isBad(job)) return true;
  const uses = machines.find((machine) => machine.n === n)?.uses ?? [];
  return job.state === "running" && !isElsewhere(job, uses);
}

function isElsewhere({ runnerId, runnerName }: GpuJob, uses: readonly Use[]): boolean {
  const isHere = uses.some((use) => use.runnerId === runnerId || use.runnerName === runnerName);
  return runnerName !== undefined && !isHere;
}

function ranHere({ machines }: Fleet): (job: GpuJob) => boolean {
  return ({ id }) => machines.some(({ uses }) => uses.some(({ job }) => job?.id === id));
}

/** True when a report changed: by a job's begin or end. */
function noteJobsOf(machine: Machine, ours: readonly GpuJob[], at: number): boolean {
  let isChanged = false;
  let isTakenBack = false;
  const ran: RanJob[] = [];
  for (const use of machine.uses) {
    const job = ours.find(({ runnerId, runnerName }) => runnerId === use.runnerId || runnerName === use.runnerName);
    if (job === undefined || job.state === "waiting") {
      isTakenBack = noteTakenBack(use, ours, at) || isTakenBack;
      continue;
    }
    isChanged = noteJobOf(machine, use, job, at) || isChanged;
    ran.push(ranJob(job));
  }
  noteBurnt(machine, at);
  noteRan(machine, ran, isTakenBack);
  return isChanged || isTakenBack;
}

/** True when it began or ended. */
function noteJobOf(machine: Machine, use: Use, job: GpuJob, at: number): boolean {
  const isChanged = use.job === undefined || use.job.isOver !== (job.state === "over");
  use.job = jobOfUse(job);
  if (job.state === "over") use.spentAt = Math.min(use.spentAt ?? at, job.completedAt ?? at);
  noteOnlineByJob(machine, use, { at, startedAt: job.startedAt });
  return isChanged;
}

/** GitHub gives it to another runner: this one may be free, as its own list says. True then. */
function noteTakenBack(use: Use, ours: readonly GpuJob[], at: number): boolean {
  const job = ours.find(({ id }) => id === use.job?.id);
  const isBack = job?.state === "waiting" || (job !== undefined && isElsewhere(job, [use]));
  if (!isBack || use.job?.isOver !== false) return false;
  use.job = undefined;
  use.busySince = at;
  return true;
}

function jobOfUse(job: GpuJob): JobOfUse {
  const { conclusion, id, name, state, url } = job;
  return { id, name, url, isOver: state === "over", isBad: isBad(job), hasFailed: conclusion === "failure" };
}

/** A job began on a machine that nobody saw online: for the bill it began to run just before. */
function noteOnlineByJob(
  machine: Machine,
  use: Use,
  { at, startedAt = at }: { at: number; startedAt?: number | undefined },
): void {
  use.onlineAt ??= at;
  machine.readyAt ??= at;
  machine.runningAt ??= at;
  const { report } = machine;
  if (report === undefined) return;
  report.at.online ??= at;
  const { created, asked } = report.at;
  report.at.running ??= Math.max(created ?? asked, Math.min(startedAt, at));
  if (report.at.gone === undefined) report.last = "ready";
}

function noteQuiet(fleet: Fleet, at: number): void {
  const { ours = [], othersOpen = [] } = fleet.jobs ?? {};
  const isActive = ours.some((job) => isOpen(job) && !fleet.lost.some(({ id }) => id === job.id));
  fleet.aloneSince = isActive || othersOpen.length > 0 ? undefined : (fleet.aloneSince ?? at);
  fleet.heldSince = !isActive && ours.some(({ state }) => state === "held") ? (fleet.heldSince ?? at) : undefined;
}

/** It runs, or waits for a runner that it can have. */
function isOpen(job: GpuJob): boolean {
  return job.state === "running" || (job.state === "waiting" && !asksForMore(job));
}

/** Sums the time of jobs that wait beside a ready machine: held back from now on, or unseen. */
export function noteTime(fleet: Fleet, now: number): void {
  const { sumMs, at } = fleet.besideReady;
  const waiting = (fleet.jobs?.ours ?? []).filter((job) => job.state === "waiting" && !asksForMore(job));
  const waits = fleet.jobsFault === undefined && waiting.length > fleet.heldBack;
  const isBeside = waits && fleet.machines.some(isReady);
  const grown = isBeside && at !== undefined ? now - at : 0;
  fleet.besideReady = { sumMs: sumMs + grown, at: isBeside ? now : undefined };
  const isServed = fleet.machines.some((machine) => isReady(machine) || isBusy(machine));
  fleet.unservedSince = isServed ? undefined : fleet.unservedSince;
}
