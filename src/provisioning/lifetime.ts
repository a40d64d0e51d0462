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

/** When a machine that is created now gives itself back at the latest, and when its label expires; both in Unix seconds. */
export function deadlineOf(nowMs: number, limits: Limits): { deadline: number; expiry: number } {
  const deadlineMs = nowMs + longestUptimeMs(limits);
  return { deadline: Math.floor(deadlineMs / 1000), expiry: Math.floor((deadlineMs + EXPIRY_MARGIN_MS) / 1000) };
}

/** How long the offer must be rentable for, in seconds. */
export function neededDurationSeconds(limits: Limits): number {
  return Math.ceil((longestUptimeMs(limits) + EXPIRY_MARGIN_MS) / 1000);
}
