import type { SimClock } from "../clock/sim-clock.ts";
import { FaultBook } from "../http/faults.ts";
import type { Fault, ServiceOperation } from "../scenario/fault.ts";
import type { CompleteScenario } from "../scenario/scenario.ts";
import { ApiKeys, newSecret } from "./account/api-keys.ts";
import type { Caller } from "./account/keys.ts";
import { openBooks } from "./billing/books.ts";
import { watchCredit } from "./billing/credit-watch.ts";
import { Market } from "./catalog/market.ts";
import { defaultVolumeOffers, Volumes } from "./catalog/volumes.ts";
import { Containers } from "./containers/containers.ts";
import { describeStart, LogFiles, type MachineHost } from "./containers/machine-host.ts";
import { type InstanceRecord, SshKeys } from "./rentals/instance-record.ts";
import { Rentals } from "./rentals/rentals.ts";
import type { Body } from "./requests/request-body.ts";
import { RateLimits } from "./traffic/rate-limits.ts";
import type { Dialect } from "./traffic/refusal.ts";
import { type ServiceAnswer, ServiceJournal } from "./traffic/service-journal.ts";

/** The parts of a world that are given. */
interface WorldParts {
  readonly dialect: Dialect;
  readonly clock: SimClock;
  readonly scenario: CompleteScenario;
  /** Who runs the containers; undefined where nobody does. */
  readonly machines: MachineHost | undefined;
  readonly log: (line: string) => void;
}

/** All that one simulated service consists of. */
export type ServiceWorld = ReturnType<typeof buildWorld>;

/** Makes a scenario's world. `end` ends what follows the instances, and no container. */
export function buildWorld(parts: WorldParts) {
  const { dialect, clock, scenario, machines } = parts;
  const now = () => clock.now();
  const faults = new FaultBook<Fault>();
  faults.set(scenario.faults);
  return {
    ...{ dialect, clock, faults, machines },
    ...accountOf(scenario),
    ...rentalsOf(parts, new SshKeys(scenario.user.ssh_key, now)),
    journal: new ServiceJournal(),
    logFiles: new LogFiles(now),
    /** Undefined: the limits are off. */
    limits: limitsOf(parts),
  };
}

/** Whose the service's things are, and who may do what. Operations change the lists. */
function accountOf(scenario: CompleteScenario) {
  const { apiKey = newSecret(), missingPermissionStatus, user, team, templates } = scenario;
  const apiKeys = new ApiKeys(apiKey);
  for (const key of scenario.keys) apiKeys.add({ ...key, name: "scoped" });
  return { apiKey, apiKeys, missingPermissionStatus, user, team: [...team], templates: [...templates] };
}

/** The market, what is rented of it, and what that costs. */
function rentalsOf({ dialect, clock, scenario, machines, log }: WorldParts, sshKeys: SshKeys) {
  const now = () => clock.now();
  const market = new Market(scenario, clock.now());
  const room = scenario.volumeOffers ?? defaultVolumeOffers(market.stalls.map(({ offer }) => offer));
  const volumes = new Volumes(room, scenario.volumes, now);
  const describe = (record: InstanceRecord) => describeStart(record, sshKeys.shown);
  const containers = machines && new Containers({ clock, host: machines, log, describe });
  const rentals = new Rentals({
    ...{ clock, dialect },
    boot: scenario.statuses,
    visibilityLagSeconds: scenario.visibilityLagSeconds,
    imageLogins: scenario.imageLogins,
    sshKeys: () => sshKeys.all(),
    sshHost: (instanceId) => machines?.sshHost?.(instanceId),
    onChange: (record) => {
      containers?.follow(record);
      creditWatch.look();
    },
  });
  const books = openBooks({ rentals, clock, volumes, dialect });
  const creditWatch = watchCredit({ clock, credit: scenario.user.credit, books, rentals });
  const end = async () => {
    creditWatch.end();
    await containers?.[Symbol.asyncDispose]();
  };
  return { sshKeys, market, volumes, rentals, books, end };
}

function limitsOf({ scenario: { limits }, clock, dialect }: WorldParts): RateLimits | undefined {
  if (limits === false) return undefined;
  const usual = dialect === "seed" ? "json" : "text";
  return new RateLimits(() => clock.now(), limits === true ? usual : limits);
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
  readonly body: Body;
  readonly caller: Caller;
  /** The faults that hit this request; operations look only for those of their own kind. */
  readonly faults: readonly Fault[];
}

/** One form of an operation: answers, or throws a Refusal before anything took effect. */
export type Operation = (call: Call, world: ServiceWorld) => ServiceAnswer;

/** An operation at one of its addresses: what it does, and in which dialect; in another one there is no such path. */
export interface OperationRow {
  /** `METHOD /path/:id`; an id is an integer, and every path may end with a slash or not. */
  readonly at: string;
  readonly name: ServiceOperation;
  readonly seed?: Operation;
  readonly observed?: Operation;
  /** Where both are the same. */
  readonly both?: Operation;
}

/** Answers with this body. */
export function ok(body: unknown): ServiceAnswer {
  return { status: 200, body };
}

/** Answers that it is done, and what more there is to say. */
export function done(more: object = {}): ServiceAnswer {
  return ok({ success: true, ...more });
}
