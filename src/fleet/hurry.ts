import { finishedMs, type JobState } from "../github/jobs.ts";
import { WELL_OVER } from "./facts.ts";
import { runningJobs } from "./jobs.ts";
import { isConfirmed, LATE } from "./lifecycle/late.ts";
import type { Rules } from "./options.ts";
import { type Machine, machineFacts } from "./stage.ts";
import type { Fleet } from "./state.ts";

/** What is known of GitHub's limits, and of how long jobs take. */
export interface Quota {
  /** Requests that job-token has left in this hour. Undefined: not known. */
  requestsLeft: number | undefined;
  /** How many of our requests for jobs GitHub counted in the last hour. */
  requestsCounted: number;
  /** How many of our runners the last look had to ask for one by one. */
  runnersAskedAlone: number;
  /** Returns how long a job of this name took in earlier runs, in milliseconds. Undefined: not known. */
  usualJobMs(name: string): number | undefined;
}

/** With the 60 of the usual pace it makes 120 in an hour. */
const MOST_COUNTED = 60;
const LEAST_LEFT = 200;
/** A GitHub App's token lives an hour. When it is refused, the user is told, and nothing else may need it by then. */
const TOKEN_LIVES_MS = 45 * 60_000;

/**
 * True while the jobs are worth a look every three seconds: at the start, and around the end of the last one. Where
 * nothing free shows that end, all the while that it runs: each step of a job counts, and no other answer does.
 */
export function isHurried(fleet: Fleet, rules: Rules, now: number, quota: Quota): boolean {
  const { requestsCounted, requestsLeft = LEAST_LEFT } = quota;
  if (requestsCounted >= MOST_COUNTED || requestsLeft < LEAST_LEFT || fleet.jobsFault !== undefined) return false;
  if (fleet.jobs?.ours.length === 0) return now - fleet.startedAt < LATE.github;
  const overSince = fleet.findings[WELL_OVER];
  if (overSince !== undefined) return !isConfirmed(overSince, now);
  if (!areLast(fleet)) return false;
  if (awaitsLast(fleet, rules) && !isTokenGood(fleet, rules, now)) return true;
  const moments = [likelyEnd(fleet, rules, quota), ...fleet.machines.map(wentUnderJob)];
  return moments.some((at) => Math.abs(now - at) <= LATE.job);
}

/**
 * True while the runner of the last job is worth a look every few seconds: one job runs, and it is the last. Its runner
 * goes when it ends. Until then GitHub's answer about it is free, if the token is still good.
 */
export function awaitsLastRunner(fleet: Fleet, rules: Rules, now: number): boolean {
  return awaitsLast(fleet, rules) && isTokenGood(fleet, rules, now);
}

function awaitsLast(fleet: Fleet, { hold }: Rules): boolean {
  return hold && areLast(fleet) && runningJobs(fleet) === 1;
}

function isTokenGood({ startedAt }: Fleet, { tokenExpires }: Rules, now: number): boolean {
  return !tokenExpires || now - startedAt < TOKEN_LIVES_MS;
}

/** True if no job of ours is still to end but those that run. */
function areLast(fleet: Fleet): boolean {
  const isLast = ({ state }: { state: JobState }) => state === "running" || state === "over";
  return runningJobs(fleet) > 0 && fleet.jobs?.ours.every(isLast) === true;
}

/** Returns when the last job that runs will end: as in earlier runs, as its siblings in this one, or as the user says. */
function likelyEnd({ jobs }: Fleet, { rental }: Rules, { usualJobMs }: Quota): number {
  const ours = jobs?.ours ?? [];
  const finished = finishedMs(jobs);
  const likely = finished.length > 0 ? Math.max(...finished) : (rental.jobMs ?? Number.NaN);
  // A slower machine, or more data, shows in the jobs that are over.
  const times = ours.flatMap((job) => finishedMs({ ours: [job] }).map((ms) => ms / (usualJobMs(job.name) ?? ms)));
  const factor = times.length > 0 ? Math.max(...times) : 1;
  const ends = ours.flatMap(({ name, startedAt = Number.NaN, state }) =>
    state === "running" ? [startedAt + (usualJobMs(name) ?? likely) * factor] : [],
  );
  return Math.max(...ends);
}

/** Returns when the machine or its runner went from under a job, if it did. Most jobs end so, and GitHub lists that a little later. */
function wentUnderJob(machine: Machine): number {
  const slot = machine.slots.find(({ job }) => job?.isOver === false);
  return (slot && (slot.goneSince ?? machineFacts(machine).instance?.absentSince)) ?? Number.NaN;
}
