import type { LedgerPort, RunnersPort } from "../../create/ports.ts";
import type { Job, JobMatcher } from "../../github/jobs.ts";
import type { HistoryPort } from "../../market/history.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Log } from "../../shared/log.ts";
import type { Instance } from "../../vast/schemas/instance.ts";
import type { ServiceClient } from "../../vast/service-client.ts";

/** The loop's access to the world. */
export interface FleetDeps {
  service: ServiceClient;
  runners: RunnersPort;
  ledger: LedgerPort;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** This attempt's jobs; undefined: GitHub could not be asked. Throws if the token may not. */
  listJobs: (signal: AbortSignal) => Promise<readonly Job[] | undefined>;
  whose: JobMatcher;
  history: HistoryPort;
  /** Requests that are left to ask for the jobs in this hour; undefined: not known. */
  requestsLeft: () => number | undefined;
  /** How many machines of this repository a list shows alive. */
  aliveOfRepository: (instances: readonly Instance[]) => number;
}
