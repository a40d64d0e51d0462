import { formatDuration } from "../time/duration.ts";
import type { Limits } from "./lifetime.ts";
import { POLICY } from "./policy.ts";

const { patience, shortestMs, longestMs } = POLICY.limits;

/** How long a machine that is expected to boot in so much time may take to running: `boot-timeout: auto`. */
export function autoBootLimitMs(expectedMs: number): number {
  return Math.min(longestMs, Math.max(shortestMs, patience * expectedMs));
}

/** The limits of one machine: with `boot-timeout: auto` (`decidesBoot`) its own time to boot. */
export function machineLimits(limits: Limits, decidesBoot: boolean, expectedMs: number): Limits {
  return decidesBoot ? { ...limits, bootMs: autoBootLimitMs(expectedMs) } : limits;
}

/** The longest that a machine may take until it is ready, in milliseconds: its deadline counts from there. */
export function longestToReadyMs({
  bootMs,
  onlineMs,
  readyMs,
}: Pick<Limits, "bootMs" | "onlineMs" | "readyMs">): number {
  return Math.max(bootMs + onlineMs, readyMs);
}

/**
 * `boot-timeout: auto`, while no offer is known yet: what is asked of offers must last for the latest deadline that any of them
 * can be given.
 */
export function longestAutoBootMs({ onlineMs, readyMs }: Pick<Limits, "onlineMs" | "readyMs">): number {
  return longestToReadyMs({ bootMs: Math.min(longestMs, readyMs), onlineMs, readyMs }) - onlineMs;
}

/** What is expected of a machine, for the log: `Expected to run in 2m 50s; it has 8m 30s.` */
export function describeExpectedBoot(expectedMs: number, { bootMs }: Pick<Limits, "bootMs">): string {
  return `Expected to run in ${formatDuration(expectedMs)}; it has ${formatDuration(bootMs)}.`;
}
