import type { SimClock } from "../clock/sim-clock.ts";
import type { Fault } from "../scenario/fault.ts";
import type { TeamMember, Template } from "../scenario/scenario.ts";
import type { ApiKeys } from "./account/api-keys.ts";
import type { Caller } from "./account/keys.ts";
import type { Books } from "./billing/books.ts";
import type { Market } from "./catalog/market.ts";
import type { Volumes } from "./catalog/volumes.ts";
import type { LogFiles, MachineHost } from "./containers/machine-host.ts";
import type { SshKeys } from "./rentals/instance-record.ts";
import type { Rentals } from "./rentals/rentals.ts";
import type { FaultBook } from "./traffic/fault-book.ts";
import type { RateLimits } from "./traffic/rate-limits.ts";
import type { Dialect } from "./traffic/refusal.ts";
import type { ServiceAnswer, ServiceJournal } from "./traffic/service-journal.ts";

/** All that one simulated service consists of. */
export interface ServiceWorld {
  readonly dialect: Dialect;
  readonly clock: SimClock;
  readonly market: Market;
  readonly rentals: Rentals;
  readonly books: Books;
  readonly journal: ServiceJournal;
  readonly faults: FaultBook;
  readonly logFiles: LogFiles;
  /** Who runs the containers; undefined where nobody does. */
  readonly machines: MachineHost | undefined;
  /** Printed by an instance's container; empty where there are no machines. */
  readonly containerLog: (instanceId: number) => string;
  /** Undefined: the limits are off. */
  readonly limits: RateLimits | undefined;
  /** The account's first key, with full access. */
  readonly apiKey: string;
  readonly apiKeys: ApiKeys;
  readonly missingPermissionStatus: 401 | 403;
  /** All templates that there are; operations change the list. */
  readonly templates: Template[];
  /** The members beside the owner, which is the account; operations change the list. */
  readonly team: TeamMember[];
  readonly user: {
    readonly credit: number;
    readonly isBlacklisted: boolean;
    readonly isEmailVerified: boolean;
    /** Names of the account's own variables. */
    readonly variables: readonly string[];
  };
  readonly sshKeys: SshKeys;
  readonly volumes: Volumes;
}

/** A request as an operation gets it: its route found, its caller allowed, its body an object. */
export interface Call {
  /** The id in the path; 0 where the path has none. */
  readonly id: number;
  /** The second id of a path that has two. */
  readonly innerId: number;
  /** The `/api/v1/` form of an operation that has two. */
  readonly paged: boolean;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  /** The faults that hit this request; operations look only for those of their own kind. */
  readonly faults: readonly Fault[];
}

/** One operation of the service: answers, or throws a Refusal before anything took effect. */
export type Operation = (call: Call, world: ServiceWorld) => ServiceAnswer;
