import { formatDuration } from "../shared/duration.ts";
import { TUNING } from "./tuning.ts";

/** How long the stages of a machine may take, in milliseconds. */
export interface Limits {
  /** From create to running. */
  bootMs: number;
  /** From running to its runner online. */
  onlineMs: number;
  /** From search to online, all machines together. */
  readyMs: number;
  /** From online to its end. */
  lifetimeMs: number;
  /** How long it waits for a job before it gives itself back. */
  idleMs: number;
}

/** Between the machine's own deadline and the moment from which anybody's sweep may destroy it. */
const EXPIRY_MARGIN_MS = 15 * 60_000;

/** Less than this for its job, in milliseconds, and a machine is rarely what was meant. */
export function sensibleJobMs(jobMs: number = 0): number {
  return Math.max(600_000, jobMs);
}

/** The longest that a machine may be kept, from its creation on, in milliseconds. */
export function longestUptimeMs(limits: Limits): number {
  return limits.bootMs + limits.onlineMs + limits.lifetimeMs;
}

/** The limit that ends a machine at its deadline. */
export type CutBy = "max-lifetime" | "max-cost";

/** The end of a machine, set at its creation. */
export interface Deadline {
  /** When it gives itself back at the latest, and when its label expires; both in Unix seconds. */
  deadline: number;
  expiry: number;
  /** The same as a length of time. */
  uptimeMs: number;
  cutBy: CutBy;
}

/** The end of a machine created now: by the longest time allowed, or when the money is spent. */
export function deadlineOf(nowMs: number, limits: Limits, affordableMs: number = Number.POSITIVE_INFINITY): Deadline {
  const longestMs = longestUptimeMs(limits);
  const uptimeMs = Math.min(longestMs, affordableMs);
  const deadlineMs = nowMs + uptimeMs;
  return {
    deadline: Math.floor(deadlineMs / 1000),
    expiry: Math.floor((deadlineMs + EXPIRY_MARGIN_MS) / 1000),
    uptimeMs,
    cutBy: affordableMs < longestMs ? "max-cost" : "max-lifetime",
  };
}

/** How long the offer must be rentable for, in seconds. */
export function neededDurationSeconds(limits: Limits): number {
  return Math.ceil((longestUptimeMs(limits) + EXPIRY_MARGIN_MS) / 1000);
}

const { patience, shortestMs, longestMs } = TUNING.limits;

/** The limit to running under `boot-timeout: auto` for such a boot, in milliseconds. */
export function autoBootLimitMs(expectedMs: number): number {
  return Math.min(longestMs, Math.max(shortestMs, patience * expectedMs));
}

/** The limits of one machine: with `boot-timeout: auto` (`decidesBoot`) its own time to boot. */
export function machineLimits(limits: Limits, decidesBoot: boolean, expectedMs: number): Limits {
  return decidesBoot ? { ...limits, bootMs: autoBootLimitMs(expectedMs) } : limits;
}

/** The most time until a machine is ready, in milliseconds: its deadline counts from there. */
export function longestToReadyMs({
  bootMs,
  onlineMs,
  readyMs,
}: Pick<Limits, "bootMs" | "onlineMs" | "readyMs">): number {
  return Math.max(bootMs + onlineMs, readyMs);
}

/** `boot-timeout: auto` before any offer is known: enough for the latest possible deadline. */
export function longestAutoBootMs({ onlineMs, readyMs }: Pick<Limits, "onlineMs" | "readyMs">): number {
  return longestToReadyMs({ bootMs: Math.min(longestMs, readyMs), onlineMs, readyMs }) - onlineMs;
}

/** The expected boot, for the log: `Expected to run in 2m 50s; it has 8m 30s.` */
export function describeExpectedBoot(expectedMs: number, { bootMs }: Pick<Limits, "bootMs">): string {
  return `Expected to run in ${formatDuration(expectedMs)}; it has ${formatDuration(bootMs)}.`;
}
