import type { Job, JobMatcher } from "../github/jobs.ts";
import type { RunnersPort } from "../github/registrations.ts";
import type { HistoryPort } from "../history/hosts.ts";
import type { LedgerPort } from "../machine/create.ts";
import type { Instance, Marketplace } from "../marketplace/marketplace.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";

/** The clients and tools that the loop uses. */
export interface FleetDeps {
  service: Marketplace;
  runners: RunnersPort;
  ledger: LedgerPort;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** Lists this attempt's jobs. Undefined: GitHub gave no answer. Throws if the token may not read them. */
  listJobs: (signal: AbortSignal) => Promise<readonly Job[] | undefined>;
  /** Reads one job. `gone`: GitHub says that there is none. Undefined: GitHub gave no answer. */
  lookAtJob: (id: number, signal: AbortSignal) => Promise<Job | "gone" | undefined>;
  /** Reads the end of a job's log. Throws if it can't be had, or is not stored yet. */
  readJobLog: (jobId: number, signal: AbortSignal) => Promise<string>;
  /** Returns the registry's own word that it has no such image. Undefined: it has one, or nobody can say. */
  lookUpImage: (signal: AbortSignal) => Promise<string | undefined>;
  whose: JobMatcher;
  history: HistoryPort;
  /** Returns how many requests for jobs are left in this hour. Undefined: not known. */
  requestsLeft: () => number | undefined;
  /** Returns how many requests for jobs GitHub counted in the last hour. */
  requestsCounted: () => number;
  /** Returns the ids of this repository's machines that a list shows alive. */
  aliveOfRepository: (instances: readonly Instance[]) => readonly number[];
}
