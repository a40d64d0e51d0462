import { randomBytes } from "node:crypto";
import type { ImageLogin, MarketOffer, Template } from "../../scenario/scenario.ts";
import { HostModel, type MachineBehaviour, type StatusStep, type Traffic } from "../../scenario/simulate.ts";
import { drawFate, type Fate, type Stall } from "../catalog/market.ts";
import type { VolumeInfo, VolumeRecord, Volumes } from "../catalog/volumes.ts";
import { type Dialect, invalidArgs, type Refusal, refusal } from "../traffic/refusal.ts";
import { canPull, deniedBoot } from "./image-login.ts";
import type { InstanceEvent, Life } from "./lifecycle.ts";

/** The order of an instance, with the service's defaults filled in. */
export interface InstanceOrder {
  readonly image: string;
  readonly label: string | null;
  /** GB. */
  readonly disk: number;
  readonly runtype: string;
  /** As it was sent: variables, and keys such as `-p 8000:8000`. */
  readonly env: Readonly<Record<string, string>>;
  readonly onstart: string;
  readonly args: readonly string[];
  /** The bid in USD per hour; null on demand. */
  readonly price: number | null;
  readonly targetState: "running" | "stopped";
  /** Replaces the image's command; of runtype `args` only. */
  readonly argsStr: string | null;
  readonly jupyter: { readonly lab: boolean; readonly dir: string | null };
  readonly locale: { readonly pythonUtf8: boolean; readonly langUtf8: boolean };
  /** A virtual machine instead of a container. */
  readonly vm: boolean;
  readonly volumeInfo: VolumeInfo | null;
  /** `-u USER -p TOKEN REGISTRY`: a secret, which nothing shows. */
  readonly imageLogin: string | null;
  /** The template that it was made of. */
  readonly template: Template | null;
}

/** One instance and all that ever happened to it; kept after its destruction. */
export interface InstanceRecord extends Life {
  readonly id: number;
  readonly offer: MarketOffer;
  readonly order: InstanceOrder;
  label: string | null;
  /** Simulated ms since the epoch, like all times here. */
  readonly createdAt: number;
  /** From then on list and get show it. */
  readonly visibleAt: number;
  readonly events: InstanceEvent[];
  /** The instance's own key, as the answer to its creation gave it. */
  readonly apiKey: string;
  /** The container's CONTAINER_API_KEY; undefined where the scenario leaves it out. */
  readonly containerApiKey: string | undefined;
  readonly machine: MachineBehaviour;
  /** Drawn for its host, for people; undefined where nothing was. */
  readonly behind: string | undefined;
  /** Undefined: it moves nothing. */
  readonly traffic: Traffic | undefined;
  /** The port of its machine that leads to port 22. */
  readonly hostPort: number;
  /** The address at which its machine answers by SSH; undefined where nobody does. */
  readonly sshHost: string | undefined;
  /** The public keys that may log in: the account's at its creation, and those attached since. */
  readonly sshKeys: SshKey[];
  /** Its bids in order, each from a time on; none on demand. */
  readonly bids: { readonly at: number; readonly price: number }[];
  readonly volume: VolumeRecord | undefined;
  /** Every instance has one, whether or not Jupyter runs; a secret. */
  readonly jupyterToken: string;
}

/** Tells when an instance was destroyed and by whom; undefined while it exists. */
export function destruction(record: InstanceRecord): Extract<InstanceEvent, { kind: "destroy" }> | undefined {
  return record.events.find((event) => event.kind === "destroy");
}

interface Creation {
  /** So many instances were created before. */
  nth: number;
  at: number;
  /** Reads show it after so many seconds. */
  lagSeconds: number;
  dialect: Dialect;
  plan: BootPlan;
  volume: VolumeRecord | undefined;
  sshKeys: readonly SshKey[];
  sshHost: (instanceId: number) => string | undefined;
}

/** The record of an instance at its creation, with keys of its own. */
export function newRecord({ offer, simulate }: Stall, order: InstanceOrder, creation: Creation): InstanceRecord {
  const { nth, at, lagSeconds, dialect, plan, volume, sshKeys, sshHost } = creation;
  const id = 7_001_001 + nth;
  const stoppedStatus = dialect === "seed" ? "stopped" : "exited";
  const apiKey = newKey();
  const containerKeys = { valid: apiKey, missing: undefined, wrong: newKey() };
  return {
    id,
    offer,
    order,
    label: order.label,
    createdAt: at,
    visibleAt: at + 1000 * lagSeconds,
    events: [{ at, kind: "create", target: order.targetState }],
    boot: plan.statuses,
    restart: restartSteps(stoppedStatus, order.image),
    stoppedStatus,
    apiKey,
    containerApiKey: containerKeys[simulate.instanceKey ?? "valid"],
    behind: plan.words,
    machine: plan.machine,
    traffic: plan.traffic,
    hostPort: 41_000 + nth,
    sshHost: order.runtype === "args" ? undefined : sshHost(id),
    sshKeys: [...sshKeys],
    bids: order.price === null ? [] : [{ at, price: order.price }],
    volume,
    jupyterToken: newKey(),
  };
}

function newKey(): string {
  return randomBytes(32).toString("hex");
}

/** Refuses a volume that this machine can't have: volumes are local to their machine. */
export function checkVolume({ volumeInfo }: InstanceOrder, { machine_id }: MarketOffer, volumes: Volumes): void {
  if (!volumeInfo) return;
  const { volume_id, create_new, size = 0 } = volumeInfo;
  const place = create_new ? volumes.roomFor(volume_id, size) : volumes.find(volume_id);
  // SPEC-SILENT: the answers to a volume that does not exist, and to one of another machine.
  if (!place) throw missingVolume(volume_id);
  if (place.machine_id !== machine_id) throw invalidArgs(`volume ${volume_id} is on machine ${place.machine_id}`);
}

/** The 404 for a volume that does not exist (any more). */
export function missingVolume(id: number): Refusal {
  return refusal(404, "no_such_volume", `There is no volume ${id}.`);
}

/** The volume of an instance that is being made: a new one is made with it. */
export function volumeFor({ volumeInfo }: InstanceOrder, volumes: Volumes): VolumeRecord | undefined {
  if (!volumeInfo) return undefined;
  const { volume_id, create_new, size = 0, name } = volumeInfo;
  return create_new ? volumes.create(volume_id, size, name) : volumes.find(volume_id);
}

/** The 404 for an instance that does not exist (any more). */
export function missingInstance(id: number, dialect: Dialect): Refusal {
  // SPEC-SILENT: the seed shows no answer for an unknown instance.
  if (dialect === "seed") return refusal(404, "not_found", `There is no instance ${id}.`);
  return refusal(404, "no_such_instance", `error 404/1240: no_such_instance Instance ${id} not found.`);
}

/** One of the account's public keys for SSH. */
export interface SshKey {
  readonly id: number;
  key: string;
  /** Simulated ms since the epoch. */
  readonly createdAt: number;
}

/** The public keys of the account; each new container gets them all. */
export class SshKeys {
  readonly #now: () => number;
  readonly #keys: SshKey[] = [];
  #made = 0;

  constructor(first: string | null, now: () => number) {
    this.#now = now;
    if (first !== null) this.add(first);
  }

  all(): readonly SshKey[] {
    return this.#keys;
  }

  find(id: number): SshKey | undefined {
    return this.#keys.find((each) => each.id === id);
  }

  /** The account's own of this text; else one of its own, which the account does not get. */
  known(key: string): SshKey {
    return this.#keys.find((each) => each.key === key) ?? this.#make(key);
  }

  add(key: string): SshKey {
    const added = this.#make(key);
    this.#keys.push(added);
    return added;
  }

  #make(key: string): SshKey {
    this.#made += 1;
    return { id: 3000 + this.#made, key, createdAt: this.#now() };
  }

  remove(key: SshKey): void {
    this.#keys.splice(this.#keys.indexOf(key), 1);
  }

  /** As *current user* shows them; null for none. */
  get shown(): string | null {
    return this.#keys.length > 0 ? this.#keys.map(({ key }) => key).join("\n") : null;
  }
}

/** A boot without a word in the scenario: some simulated seconds, in the order that was seen. */
function defaultBoot(dialect: Dialect, image: string): StatusStep[] {
  if (dialect === "seed") {
    return [
      { after: 0, actual_status: null },
      { after: 2, actual_status: "loading" },
      { after: 5, actual_status: "running" },
    ];
  }
  return [
    { after: 0, actual_status: null },
    { after: 1, actual_status: "created" },
    { after: 2, actual_status: "loading", status_msg: "5a7813e071bf: Pulling fs layer \n" },
    { after: 4, actual_status: "loading", status_msg: "5a7813e071bf: Pull complete \n" },
    { after: 5, actual_status: "running", status_msg: runningMessage(image) },
  ];
}

/** From stopped back to running; the old status is shown for a while, as was seen. */
function restartSteps(stoppedStatus: string, image: string): StatusStep[] {
  return [
    { after: 0, actual_status: stoppedStatus },
    { after: 1, actual_status: "loading" },
    { after: 3, actual_status: "running", status_msg: runningMessage(image) },
  ];
}

function runningMessage(image: string): string {
  return `success, running ${image.replaceAll(/[^A-Za-z0-9.]/g, "_")}/ssh`;
}

/** Settled about an instance's machine when it is made; `words`: the cause behind it, where something was drawn. */
export type BootPlan = ReturnType<typeof planBoot>;

interface BootTerms {
  readonly dialect: Dialect;
  /** The boot where the offer says nothing. */
  readonly boot: readonly StatusStep[] | undefined;
  readonly imageLogins: readonly ImageLogin[];
  /** Which boot on this machine it is. */
  readonly nth: number;
  /** The machine has pulled this image before. */
  readonly hasImage: boolean;
  /** Another instance has the same offer already. */
  readonly isSecond: boolean;
}

/** Settles a boot: by the image's login, its offer, what is drawn for it, or the scenario. */
export function planBoot({ offer, simulate }: Stall, order: InstanceOrder, terms: BootTerms) {
  const { machine = {}, traffic } = simulate;
  const fixed = { machine, traffic, words: undefined };
  if (!canPull(order.image, order.imageLogin, terms.imageLogins))
    return { ...fixed, statuses: deniedBoot(order.image) };
  if (terms.isSecond) return { ...fixed, statuses: PORT_TAKEN, words: "its ports are bound by another instance" };
  const fate = fateOf({ offer, simulate }, terms);
  const plain = terms.boot ?? defaultBoot(terms.dialect, order.image);
  return {
    statuses: simulate.statuses ?? fate?.statuses ?? plain,
    machine: { ...fate?.machine, ...machine },
    traffic: traffic ?? (fate && { imageGb: fate.imageGb, downGbPerHour: 0, upGbPerHour: 0 }),
    words: fate?.words,
  };
}

/** As Docker says it; the status stays `created`, and nothing else tells of it. */
const PORT_TAKEN: readonly StatusStep[] = [
  { after: 0, actual_status: null },
  {
    after: 3,
    actual_status: "created",
    status_msg:
      "Error response from daemon: driver failed programming external connectivity on endpoint C.1: Bind for 0.0.0.0:41000 failed: port is already allocated \n",
  },
];

function fateOf({ offer, simulate }: Stall, { nth, hasImage }: BootTerms): Fate | undefined {
  const has = simulate.hasImage === true || (simulate.model !== undefined && hasImage);
  // A host that has the image, and of which nothing else is said, is a good one.
  const model = simulate.model ?? (has ? HostModel.parse({ seed: offer.machine_id, broken: 0 }) : undefined);
  return model && drawFate(model, { offer, nth, hasImage: has });
}
