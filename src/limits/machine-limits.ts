import { formatDuration } from "../time/duration.ts";
import type { Limits } from "./lifetime.ts";
import { POLICY } from "./policy.ts";

const { patience, shortestMs, longestMs } = POLICY.limits;

/** How long a machine that is expected to boot in so much time may take to running: `boot-timeout: auto`. */
export function autoBootLimitMs(expectedMs: number): number {
  return Math.min(longestMs, Math.max(shortestMs, patience * expectedMs));
}

/** The longest that any machine is given with `boot-timeout: auto`. */
export const LONGEST_AUTO_BOOT_MS: number = longestMs;

/** The limits of one machine: with `boot-timeout: auto` (`decidesBoot`) its own time to boot. */
export function machineLimits(limits: Limits, decidesBoot: boolean, expectedMs: number): Limits {
  return decidesBoot ? { ...limits, bootMs: autoBootLimitMs(expectedMs) } : limits;
}

/** How far a machine is that is not ready, and whether another could take its place. Times in milliseconds since the epoch. */
export interface Waited {
  askedAt: number;
  runningAt?: number | undefined;
  /** An offer is to be had for another machine. */
  hasOther: boolean;
}

/**
 * Which limit a machine has passed that is not ready; undefined: none. While no other offer is to be had, a slow machine is kept until
 * `ready-timeout`: it is still the nearest.
 */
export function passedLimit(
  { askedAt, runningAt, hasOther }: Waited,
  limits: Limits,
  now: number,
): "boot-timeout" | "online-timeout" | "ready-timeout" | undefined {
  const isPastReady = now - askedAt > limits.readyMs;
  const [name, since, most] =
    runningAt === undefined
      ? (["boot-timeout", askedAt, limits.bootMs] as const)
      : (["online-timeout", runningAt, limits.onlineMs] as const);
  if (now - since <= most) return undefined;
  if (hasOther) return name;
  return isPastReady ? "ready-timeout" : undefined;
}

/** The longest that a machine may take until it is ready, in milliseconds: its deadline counts from there. */
export function longestToReadyMs({ bootMs, onlineMs, readyMs }: Limits): number {
  return Math.max(bootMs + onlineMs, readyMs);
}

/** What is expected of a machine, for the log: `Expected to run in 2m 50s; it has 8m 30s.` */
export function describeExpectedBoot(expectedMs: number, { bootMs }: Pick<Limits, "bootMs">): string {
  return `Expected to run in ${formatDuration(expectedMs)}; it has ${formatDuration(bootMs)}.`;
}
