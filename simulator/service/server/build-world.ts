import { randomBytes } from "node:crypto";
import type { SimClock } from "../../clock/sim-clock.ts";
import type { CompleteScenario } from "../../scenario/scenario.ts";
import { ApiKeys } from "../account/api-keys.ts";
import { openBooks } from "../billing/books.ts";
import { CreditWatch } from "../billing/credit-watch.ts";
import { Market } from "../catalog/market.ts";
import { defaultVolumeOffers, Volumes } from "../catalog/volumes.ts";
import { Containers } from "../containers/containers.ts";
import type { MachineHost, MachineStart } from "../containers/machine-host.ts";
import { containerEnv, LogFiles, sshPorts } from "../containers/machine-host.ts";
import type { InstanceRecord } from "../rentals/instance-record.ts";
import { SshKeys } from "../rentals/instance-record.ts";
import { Rentals } from "../rentals/rentals.ts";
import type { ServiceWorld } from "../service-world.ts";
import { FaultBook } from "../traffic/fault-book.ts";
import { RateLimits, type TooFrequentForm } from "../traffic/rate-limits.ts";
import type { Dialect } from "../traffic/refusal.ts";
import { ServiceJournal } from "../traffic/service-journal.ts";

/** The parts of a world. */
export interface WorldParts {
  dialect: Dialect;
  clock: SimClock;
  scenario: CompleteScenario;
  machines: MachineHost | undefined;
  log: (line: string) => void;
}

/** USD; enough for any test, little enough that a leak over a weekend would show. */
const DEFAULT_CREDIT = 25;
const DEFAULT_SSH_KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEexampleExampleExampleExampleExampleExampleEx ci@example.com";

/** Makes a scenario's world; `containers` has the machine host follow it; undefined: none. */
export function buildWorld(parts: WorldParts): {
  world: ServiceWorld;
  containers: Containers | undefined;
  creditWatch: CreditWatch;
} {
  const { dialect, clock, scenario } = parts;
  const sshKey = scenario.user.ssh_key === undefined ? DEFAULT_SSH_KEY : scenario.user.ssh_key;
  const sshKeys = new SshKeys(sshKey, () => clock.now());
  const containers = parts.machines && followBy(parts.machines, parts, sshKeys);
  const market = new Market(scenario, clock.now());
  const volumes = new Volumes({
    offers: scenario.volumeOffers ?? defaultVolumeOffers(market.stalls.map(({ offer }) => offer)),
    given: scenario.volumes,
    now: () => clock.now(),
  });
  const rentals = new Rentals({
    clock,
    dialect,
    boot: scenario.statuses,
    visibilityLagSeconds: scenario.visibilityLagSeconds,
    imageLogins: scenario.imageLogins,
    sshKeys: () => sshKeys.all(),
    sshHost: (instanceId) => parts.machines?.sshHost?.(instanceId),
    onChange: (record) => {
      containers?.follow(record);
      creditWatch.look();
    },
  });
  const books = openBooks({ records: () => rentals.records, now: () => clock.now(), dialect, volumes });
  const credit = scenario.user.credit ?? DEFAULT_CREDIT;
  const creditWatch = new CreditWatch({ clock, credit, books, rentals });
  const world: ServiceWorld = {
    ...{ dialect, clock, rentals, market, books, sshKeys, volumes },
    journal: new ServiceJournal(),
    faults: new FaultBook(scenario.faults),
    logFiles: new LogFiles(() => clock.now()),
    machines: parts.machines,
    containerLog: (instanceId) => parts.machines?.containerLog?.(instanceId) ?? "",
    limits:
      scenario.limits === false ? undefined : new RateLimits(() => clock.now(), limitForm(scenario.limits, dialect)),
    ...accountOf(scenario),
    user: { credit, ...personOf(scenario) },
  };
  return { world, containers, creditWatch };
}

function personOf({ user }: CompleteScenario): Omit<ServiceWorld["user"], "credit"> {
  const { blacklisted = false, email_verified = true, variables = [] } = user;
  return { isBlacklisted: blacklisted, isEmailVerified: email_verified, variables };
}

/** Whose the service's things are, and who may do what. */
function accountOf(
  scenario: CompleteScenario,
): Pick<ServiceWorld, "apiKey" | "apiKeys" | "missingPermissionStatus" | "team" | "templates"> {
  const apiKey = scenario.apiKey ?? randomBytes(32).toString("hex");
  const { missingPermissionStatus, team, templates } = scenario;
  return {
    apiKey,
    apiKeys: apiKeysOf(apiKey, scenario),
    missingPermissionStatus,
    team: [...team],
    templates: [...templates],
  };
}

function apiKeysOf(primary: string, { keys }: CompleteScenario): ApiKeys {
  const ring = new ApiKeys(primary);
  for (const key of keys) ring.add({ ...key, name: "scoped" });
  return ring;
}

function limitForm(given: true | TooFrequentForm, dialect: Dialect): TooFrequentForm {
  if (given !== true) return given;
  return dialect === "seed" ? "json" : "text";
}

function followBy(host: MachineHost, { clock, log }: WorldParts, sshKeys: SshKeys): Containers {
  return new Containers({ clock, host, log, describe: (record) => describeStart(record, sshKeys.shown) });
}

function describeStart(record: InstanceRecord, sshKey: string | null): MachineStart {
  const { order } = record;
  const ports = sshPorts(record);
  return {
    instanceId: record.id,
    // With runtype args the service's entrypoint is not there, and it is that which runs onstart.
    onstart: order.runtype === "args" ? "" : order.onstart,
    env: containerEnv(record, sshKey),
    image: order.image,
    behaviour: { gpuName: driverName(record.offer.gpu_name), gpuMemoryMib: record.offer.gpu_ram, ...record.machine },
    ssh: ports.length === 0 ? undefined : { ports, keys: record.sshKeys.map(({ key }) => key) },
  };
}

/** The name of a GPU as its driver prints it. SPEC-SILENT: those of GPUs that are no GeForce differ further. */
function driverName(gpuName: string): string {
  return `NVIDIA ${/^[GR]TX \d{3,4}\b/.test(gpuName) ? "GeForce " : ""}${gpuName}`;
}
