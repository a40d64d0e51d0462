import { formatDuration } from "../shared/duration.ts";
import { TUNING } from "./tuning.ts";

/** How long the stages of a machine may take, in milliseconds. */
export interface Limits {
  /** From create to running. */
  bootMs: number;
  /** From running to its runner online. */
  onlineMs: number;
  /** From the search to a runner online, all machines of a job together. */
  readyMs: number;
  /** From online to its end. */
  maxLifetime: number;
}

/** How long after a machine's own deadline any sweep may destroy it. */
const EXPIRY_MARGIN_MS = 15 * 60_000;

/** Returns the least time for its job, in milliseconds, that makes a machine worth renting. */
export function sensibleJobMs(jobMs: number = 0): number {
  return Math.max(600_000, jobMs);
}

function longestUptimeMs(limits: Limits): number {
  return limits.bootMs + limits.onlineMs + limits.maxLifetime;
}

/** The input that sets a machine's deadline. */
export type CutBy = "max-lifetime" | "max-cost";

/** The end of a machine, set at its creation. */
export type Deadline = ReturnType<typeof deadlineOf>;

/**
 * Sets the end of a machine that is created now: the longest time allowed, or when the money is spent. It gives itself
 * back at `deadline` at the latest, `uptimeMs` from now; its label expires at `expiry`. Milliseconds since the epoch.
 */
export function deadlineOf(nowMs: number, limits: Limits, affordableMs: number = Number.POSITIVE_INFINITY) {
  const longestMs = longestUptimeMs(limits);
  const uptimeMs = Math.min(longestMs, affordableMs);
  const deadline = nowMs + uptimeMs;
  const cutBy: CutBy = affordableMs < longestMs ? "max-cost" : "max-lifetime";
  return { deadline, expiry: deadline + EXPIRY_MARGIN_MS, uptimeMs, cutBy };
}

/** Computes how long an offer must be rentable, in seconds. */
export function neededDurationSeconds(limits: Limits): number {
  return Math.ceil((longestUptimeMs(limits) + EXPIRY_MARGIN_MS) / 1000);
}

const { patience, patienceWithoutRoom, shortestMs, longestMs } = TUNING.limits;

/** Computes the boot limit of `boot-timeout: auto`: shorter where the machine is in the way of another one. */
export function autoBootLimitMs(expectedMs: number, hasRoom = true): number {
  const times = hasRoom ? patience : patienceWithoutRoom;
  return Math.min(longestMs, Math.max(shortestMs, times * expectedMs));
}

/** Computes the limits of one machine: with `boot-timeout: auto` (`decidesBoot`) it has a boot limit of its own. */
export function machineLimits(limits: Limits, decidesBoot: boolean, expectedMs: number): Limits {
  return decidesBoot ? { ...limits, bootMs: autoBootLimitMs(expectedMs) } : limits;
}

/** Computes the longest time until a machine is ready, in milliseconds: `max-lifetime` counts from there. */
export function longestToReadyMs({ bootMs, onlineMs, readyMs }: Omit<Limits, "maxLifetime">): number {
  return Math.max(bootMs + onlineMs, readyMs);
}

/** Computes what `boot-timeout: auto` may come to at most, before any offer is known. */
export function longestAutoBootMs({ onlineMs, readyMs }: Pick<Limits, "onlineMs" | "readyMs">): number {
  return longestToReadyMs({ bootMs: Math.min(longestMs, readyMs), onlineMs, readyMs }) - onlineMs;
}

/** Describes the expected boot for the log: `Expected to run in 2m 50s; it has 8m 30s.` */
export function describeExpectedBoot(expectedMs: number, { bootMs }: Pick<Limits, "bootMs">): string {
  return `Expected to run in ${formatDuration(expectedMs)}; it has ${formatDuration(bootMs)}.`;
}
