import type { SimClock } from "../clock/sim-clock.ts";
import type { Answer } from "../http/deliver.ts";
import { openFaults } from "../http/faults.ts";
import { Fault, type ServiceOperation } from "../scenario/fault.ts";
import type { CompleteScenario } from "../scenario/scenario.ts";
import type { ApiKey, Caller } from "./account/keys.ts";
import { openBooks } from "./billing/books.ts";
import { watchCredit } from "./billing/credit-watch.ts";
import { openMarket } from "./catalog/market.ts";
import { newKey, openStore } from "./catalog/store.ts";
import { defaultVolumeOffers, openVolumes } from "./catalog/volumes.ts";
import { openContainers } from "./containers/containers.ts";
import { openLogFiles } from "./containers/log-files.ts";
import { describeStart, type MachineHost } from "./containers/machine-host.ts";
import { type SshKey, shownKeys } from "./rentals/instance-record.ts";
import { Rentals } from "./rentals/rentals.ts";
import type { Body } from "./requests/request-body.ts";
import { rateLimits } from "./traffic/rate-limits.ts";
import type { Dialect } from "./traffic/refusal.ts";
import { ServiceJournal } from "./traffic/service-journal.ts";

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
  const faults = openFaults<Fault>(Fault);
  faults.set(scenario.faults);
  const { missingPermissionStatus, user, limits } = scenario;
  return {
    ...{ dialect, clock, faults, machines, missingPermissionStatus, user },
    team: [...scenario.team],
    templates: [...scenario.templates],
    ...apiKeysOf(scenario),
    ...rentalsOf(parts),
    journal: new ServiceJournal(),
    logFiles: openLogFiles(clock),
    /** Undefined: the limits are off. */
    tooSoon: limits ? rateLimits(clock, limits === true ? USUAL_FORM[dialect] : limits) : undefined,
  };
}

const USUAL_FORM = { seed: "json", observed: "text" } as const;

function apiKeysOf({ apiKey = newKey(), keys }: CompleteScenario) {
  const apiKeys = openStore<ApiKey>(9001);
  apiKeys.add({ name: "primary", key: apiKey, isPrimary: true });
  for (const key of keys) apiKeys.add({ name: "scoped", ...key });
  return { apiKey, apiKeys };
}

/** The market, what is rented of it, and what that costs. */
function rentalsOf({ dialect, clock, scenario, machines, log }: WorldParts) {
  const sshKeys = openStore<SshKey>(3001);
  const { ssh_key, credit } = scenario.user;
  if (ssh_key !== null) sshKeys.add({ key: ssh_key, createdAt: clock.now() });
  const market = openMarket(scenario.offers, clock.now());
  const room = scenario.volumeOffers ?? defaultVolumeOffers(market.stalls.map(({ offer }) => offer));
  const volumes = openVolumes(room, scenario.volumes, clock);
  const containers =
    machines &&
    openContainers({ clock, host: machines, log, describe: (record) => describeStart(record, shownKeys(sshKeys.all)) });
  const rentals = new Rentals({
    ...{ clock, dialect, scenario, sshKeys: sshKeys.all },
    sshHost: (instanceId) => machines?.sshHost?.(instanceId),
    onChange: (record) => {
      containers?.follow(record);
      creditWatch.look();
    },
  });
  const books = openBooks({ rentals, clock, volumes, dialect });
  const creditWatch = watchCredit(credit, { clock, books, rentals });
  const end = async () => {
    creditWatch.end();
    await containers?.end();
  };
  return { sshKeys, market, volumes, rentals, books, end };
}

/** A request as an operation gets it: its route found, its caller allowed, its body an object. */
export interface Call {
  /** The id in the path; 0 where the path has none. */
  readonly id: number;
  /** The second id of a path that has two. */
  readonly innerId: number;
  /** It came to the second address of an operation that has two. */
  readonly isSecond: boolean;
  readonly query: URLSearchParams;
  readonly body: Body;
  readonly caller: Caller;
  /** The faults that hit this request; operations look only for those of their own kind. */
  readonly faults: readonly Fault[];
}

/** One form of an operation: answers, or throws a Refusal before anything took effect. */
export type Operation = (call: Call, world: ServiceWorld) => Answer;

type Forms = Partial<Record<ServiceOperation, Operation>>;

/** What operations do in each dialect; one that has no form in a dialect is not there. */
export type Operations = Readonly<Partial<Record<Dialect | "both", Forms>>>;

/** Answers with this body. */
export function ok(body: unknown): Answer {
  return { status: 200, body };
}

/** Answers that it is done, and what more there is to say. */
export function done(more: object = {}): Answer {
  return ok({ success: true, ...more });
}
