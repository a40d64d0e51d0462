import { formatDuration } from "../shared/duration.ts";
import type { Limits } from "./lifetime.ts";
import { TUNING } from "./tuning.ts";

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
