import type { LedgerPort } from "../create/rent.ts";
import type { Job, JobMatcher } from "../github/jobs.ts";
import type { RunnersPort } from "../github/registrations.ts";
import type { HistoryPort } from "../market/history.ts";
import type { Instance, Marketplace } from "../marketplace/marketplace.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";

/** The loop's access to the world. */
export interface FleetDeps {
  service: Marketplace;
  runners: RunnersPort;
  ledger: LedgerPort;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** This attempt's jobs; undefined: GitHub could not be asked. Throws if the token may not. */
  listJobs: (signal: AbortSignal) => Promise<readonly Job[] | undefined>;
  /** One job; `gone`: GitHub's own word that there is none. Undefined: it could not be asked. */
  lookAtJob: (id: number, signal: AbortSignal) => Promise<Job | "gone" | undefined>;
  /** The end of a job's log. Throws where it can't be had, or is not stored yet. */
  readJobLog: (jobId: number, signal: AbortSignal) => Promise<string>;
  /** The registry's own word that it has no such image; undefined: it has, or nobody can say. */
  lookUpImage: (signal: AbortSignal) => Promise<string | undefined>;
  whose: JobMatcher;
  history: HistoryPort;
  /** Requests that are left to ask for the jobs in this hour; undefined: not known. */
  requestsLeft: () => number | undefined;
  /** How many machines of this repository a list shows alive. */
  aliveOfRepository: (instances: readonly Instance[]) => number;
}
