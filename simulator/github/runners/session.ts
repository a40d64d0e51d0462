import type { SimClock } from "../../clock/sim-clock.ts";

/** Told to a listener: nothing yet, its job, the job's end, or that it is unregistered. */
export type Message = "none" | "job" | "cancel" | "gone";

/** The connection of one listener. */
export interface Session {
  readonly id: string;
  /** Simulated milliseconds: when the listener was last heard. */
  seenAt: number;
  /** Real milliseconds, for the grace below. */
  seenAtReal: number;
  /** Ends the long poll that is open now. */
  answer: ((message: Message) => void) | null;
}

/** A runner that went away is offline after about a minute. SPEC-SILENT: the exact time. */
const SILENT_AFTER_MS = 30_000;
/** On a fast clock a busy computer polls late in simulated time, which is no silence. */
const REAL_GRACE_MS = 3_000;

/** Starts the record of a listener that has just connected. */
export function newSession(id: string, clock: SimClock): Session {
  return { id, seenAt: clock.now(), seenAtReal: Date.now(), answer: null };
}

/** Notes that the listener was heard just now. */
export function heard(session: Session, clock: SimClock): void {
  session.seenAt = clock.now();
  session.seenAtReal = Date.now();
}

/** Notes that the listener went away in the middle of a poll: no real grace for it. */
export function brokeOff(session: Session, clock: SimClock): void {
  session.seenAt = clock.now();
  session.seenAtReal = Number.NEGATIVE_INFINITY;
}

/** Says whether a listener has been silent for so long that GitHub shows its runner as offline. */
export function isSilent(session: Session, clock: SimClock): boolean {
  if (session.answer !== null) return false;
  return clock.now() - session.seenAt > SILENT_AFTER_MS && Date.now() - session.seenAtReal > REAL_GRACE_MS;
}
