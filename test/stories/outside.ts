import type { HostFate as Remembered } from "../../src/history/hosts.ts";
import type { LedgerPort } from "../../src/machine/create.ts";
import { StateNotSavedError } from "../../src/machine/errors.ts";
import type { Outgoing } from "../../src/marketplace/vast/connection.ts";
import type { RawAnswer } from "../../src/marketplace/vast/refusals.ts";
import type { ServiceClient } from "../../src/marketplace/vast/service-client.ts";
import { type Ledger, readLedger } from "../../src/release/ledger.ts";
import type { Clock } from "../../src/shared/clock.ts";
import type { Log } from "../../src/shared/log.ts";

/** The world, as a process of ours meets it. */
export interface Outside {
  clock: Clock;
  signal: AbortSignal;
  log: Log;
  askService(outgoing: Outgoing): Promise<RawAnswer>;
  /** Undefined: no answer. */
  askGithub(asks: {
    token: "github-token" | "job-token";
    method: string;
    path: string;
    parameters: Readonly<Record<string, unknown>>;
    etag: string | undefined;
  }): Promise<{ status: number; data: unknown; headers: Record<string, string> } | undefined>;
  /** A machine's host is remembered: `failed` keeps it from being rented for a day. */
  remember(kind: Remembered["kind"], machine: number): void;
  /** The beginnings of this session's labels, and of all of this repository's. */
  prefix: string;
  prefixes: readonly string[];
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
  ledger?: (ledger: LedgerPort) => LedgerPort;
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
