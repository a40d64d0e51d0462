import type { LedgerPort } from "../../src/machine/create.ts";
import { StateNotSavedError } from "../../src/machine/errors.ts";
import type { Outgoing } from "../../src/marketplace/vast/connection.ts";
import type { RawAnswer } from "../../src/marketplace/vast/refusals.ts";
import type { ServiceClient } from "../../src/marketplace/vast/service-client.ts";
import { type Ledger, readLedger } from "../../src/release/ledger.ts";
import type { Clock } from "../../src/shared/clock.ts";
import type { Log } from "../../src/shared/log.ts";
import type { HandWoundClock } from "../unit/support/hand-wound-clock.ts";

/** The prefix of this session's labels: repository 1, run 2. */
export const PREFIX = "ghr1.1.2-1.abcdef";
/** What the GPU jobs ask for. */
export const RUNNER_LABEL = "gpu-4711-1";
/** The run of this session, the one that sweeps later, and others of which instances are left. */
export const RUNS = { ours: 2, open: 3, done: 4, sweeping: 6000 } as const;

/** One request to GitHub, with its route filled in. */
export interface GithubAsks {
  token: "github-token" | "job-token";
  method: string;
  path: string;
  parameters: Readonly<Record<string, unknown>>;
  etag: string | undefined;
}

/** GitHub's answer. */
export interface GithubSays {
  status: number;
  data: unknown;
  headers: Record<string, string>;
}

/** The world, as a process of ours meets it. */
export interface Outside {
  clock: Clock;
  signal: AbortSignal;
  log: Log;
  askService(outgoing: Outgoing): Promise<RawAnswer>;
  /** Undefined: no answer. */
  askGithub(asks: GithubAsks): Promise<GithubSays | undefined>;
  /** As the runner tells post. */
  jobStatus: "success" | "failure" | "cancelled";
  /** Right before a create leaves it must be written down. */
  writes: Written;
  /** A change of the client or the ledger, which the referee must see. */
  mutation?: Mutation | undefined;
}

/** A change of one decision where the parts meet. */
export interface Mutation {
  service?: (service: ServiceClient, of: "main" | "post" | "sweep") => void;
  ledger?: Partial<LedgerPort>;
}

/** By what main signs its notes. */
export const ORIGIN = { apiKey: "key", runId: "4711", attempt: "1" };

/** What main leaves to post: the platform keeps the last text of each name. */
export class Written {
  readonly #state: Record<string, string> = {};
  readonly #canWrite: () => boolean;
  /** Main was killed: answers that come after that are written by nobody. */
  isClosed = false;

  constructor(canWrite: () => boolean) {
    this.#canWrite = canWrite;
  }

  save(name: string, text: string): void {
    if (!this.#canWrite()) throw new StateNotSavedError(new Error("ENOSPC: no space left on device, write"));
    if (!this.isClosed) this.#state[name] = text;
  }

  get ledger(): Ledger {
    return readLedger(this.#state, ORIGIN);
  }
}

/** The clock of a computer that is so far ahead. */
export function clockAhead(clock: HandWoundClock, byS: number): Clock {
  const now = () => clock.now() + byS * 1000;
  return { now, sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal) };
}
