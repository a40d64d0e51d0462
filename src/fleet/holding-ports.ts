import type { SeenJob, Whose } from "../jobs/job-counts.ts";
import type { Log } from "../log.ts";
import type { Clock } from "../time/clock.ts";

/** What both loops need. */
export interface HoldingDeps {
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** The jobs of this attempt; undefined when GitHub could not be asked. Throws when the token may not read them. */
  listJobs: (signal: AbortSignal) => Promise<readonly SeenJob[] | undefined>;
  /** Requests that are left to ask for the jobs in this hour; undefined: not known. */
  requestsLeft?: () => number | undefined;
  /** Asked anew at each look: a runner that is registered meanwhile is ours, too. */
  whose: () => Whose;
}

/** The machine that is held. `unknown` is never evidence. */
export interface HeldMachine {
  look(signal: AbortSignal): Promise<"alive" | "gone" | "unknown">;
  runner(signal: AbortSignal): Promise<"online" | "offline" | "gone" | "unknown">;
  removeRunner(signal: AbortSignal): Promise<"removed" | "busy" | "unknown">;
  /** Until it gives itself back at the latest, in milliseconds. */
  lifetimeLeftMs(): number;
  /** It is gone because somebody bid more. */
  readonly isOutbid?: boolean;
  /** The input that set that end. */
  readonly cutBy: "max-lifetime" | "max-cost";
}
