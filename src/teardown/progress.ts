import type { LedgerPort, RunnersPort } from "../create/rent.ts";
import type { Fleet } from "../fleet/state/fleet.ts";

/** One use of the action: its mark on everything that it rents and registers, and what it has. */
export interface Use {
  /** The beginning of the label of every instance of this use. */
  prefix: string;
  /** Its runners are named `<runnerNamePrefix>-<n>`. */
  runnerNamePrefix: string;
  /** All of it was destroyed, strays included. */
  isGivenBack: boolean;
  ledger: LedgerPort;
  runners: RunnersPort;
  fleet: Fleet;
}

/** How far main has come, for whoever cleans up after it. */
export interface Progress {
  /** When the step began, in milliseconds since the epoch. */
  readonly begunAt: number;
  /** Undefined: nothing can have been rented yet. */
  use?: Use;
}
