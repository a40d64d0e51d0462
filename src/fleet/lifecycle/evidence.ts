import type { Findings, Fleet } from "../state.ts";
import { isConfirmed, LATE } from "./late.ts";

/** When each list that says something was read, in milliseconds since the epoch. Ages compare with these, not with the clock. */
export interface Look {
  now: number;
  instances: number;
  jobs: number;
}

/**
 * Returns when the lists were last read. One of jobs that takes long says what was when it was asked for. With
 * `hold: false` nothing waits for jobs that can't be read: it needs no right to.
 */
export function lookOf(fleet: Fleet, now: number, hold: boolean): Look {
  const { instancesAt, jobsAt, jobsFault, jobsTookMs = 0, startedAt } = fleet;
  const isAwaited = hold || jobsFault === undefined;
  const jobs = jobsAt === undefined ? startedAt : jobsAt - jobsTookMs;
  return { now, instances: instancesAt ?? startedAt, jobs: isAwaited ? jobs : now };
}

/** One thing that a list shows now: its key, and the list that shows it. */
export interface Finding {
  key: string;
  list: "instances" | "jobs";
}

/** Returns since which look each finding has held without a break. A list that can't be read adds none, and ends none. */
export function noted(before: Readonly<Findings>, findings: readonly Finding[], look: Look): Findings {
  return Object.fromEntries(findings.map(({ key, list }) => [key, before[key] ?? look[list]]));
}

/**
 * The lists that must show a finding again before it counts. After that of instances the jobs are read, where a
 * short job may have come and gone between two looks at a machine.
 */
export type Again = "instances" | "jobs" | "instances, then jobs";

/** True if a finding counts by the lists that were read since. A jobs list that can't be read is not waited for for ever. */
export function isSure(since: number, again: Again | undefined, look: Look): boolean {
  if (again === undefined) return true;
  if (again !== "instances, then jobs") return isConfirmed(since, look[again]);
  const haveJobs = isConfirmed(since, look.jobs) || look.now - since >= LATE.jobsUnread;
  return isConfirmed(since, look.instances) && haveJobs;
}
