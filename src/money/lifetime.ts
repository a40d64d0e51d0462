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
