import type { SeenJob, Whose } from "../../jobs/gpu-jobs.ts";
import type { Log } from "../../log.ts";
import type { LedgerPort, RunnersPort } from "../../machine/ports.ts";
import type { HistoryPort } from "../../market/history/history.ts";
import type { Instance } from "../../service/schemas/instance.ts";
import type { ServiceClient } from "../../service/service-client.ts";
import type { Clock } from "../../time/clock.ts";

/** The loop's access to the world. */
export interface FleetDeps {
  service: ServiceClient;
  runners: RunnersPort;
  ledger: LedgerPort;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** This attempt's jobs; undefined: GitHub could not be asked. Throws if the token may not. */
  listJobs: (signal: AbortSignal) => Promise<readonly SeenJob[] | undefined>;
  whose: Whose;
  history: HistoryPort;
  /** Requests that are left to ask for the jobs in this hour; undefined: not known. */
  requestsLeft: () => number | undefined;
  /** How many machines of this repository a list shows alive. */
  aliveOfRepository: (instances: readonly Instance[]) => number;
}
