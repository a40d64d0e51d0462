import { ACCOUNT_ID, type MarketOffer, type VolumeOffer } from "../scenario/scenario.ts";
import type { ApiKey } from "./account/keys.ts";
import { billedColumns, gpuPerHour } from "./billing/books.ts";
import { storagePerHour, type VolumeRecord } from "./catalog/volumes.ts";
import { mappedPorts, proxyPort } from "./containers/machine-host.ts";
import type { InstanceRecord, SshKey } from "./rentals/instance-record.ts";
import { type Phase, phaseAt } from "./rentals/lifecycle.ts";
import type { Dialect } from "./traffic/refusal.ts";

/** These fields of an object, by their own names. */
function pick<From extends object, Field extends keyof From>(from: From, fields: readonly Field[]): Pick<From, Field> {
  return Object.fromEntries(fields.map((field) => [field, from[field]])) as Pick<From, Field>;
}

/** The permission object of a key: `{api: {<permission>: {}}}`; false where the key may do all. */
export function permissionObject(scopes: ApiKey["scopes"]) {
  return scopes === undefined ? false : { api: Object.fromEntries(scopes.map((scope) => [scope, {}])) };
}

const TEAM = { team_id: ACCOUNT_ID, team_name: "ci", team_owner: true };

/**
 * A key as shown, without its secret. SPEC-SILENT: the columns of its permissions; here
 * `permissions` as an object, and `rights` as the text that the vendor describes.
 */
export function apiKeyRow({ id, name, scopes, member, isPrimary }: ApiKey) {
  const permissions = permissionObject(scopes);
  const user_id = member ?? ACCOUNT_ID;
  const key_type = isPrimary ? "primary" : "api";
  return { id, user_id, key: null, key_type, name, permissions, rights: scopes?.join(" ") ?? "all", ...TEAM };
}

/** What its host does, which none reports here. Observed: 0 and -1, not null; null as the vendor's examples have it. */
const NOT_REPORTED = {
  ...{ gpu_util: 0, gpu_temp: 0, cpu_util: 0, disk_usage: -1 },
  ...{ mem_usage: null, mem_limit: null, vmem_usage: null },
};

/** The fields of its offer that an instance shows as they are. */
const OF_THE_OFFER = [
  ...(["host_id", "machine_id", "num_gpus", "gpu_name", "gpu_ram", "cpu_cores", "cpu_ram", "driver_version"] as const),
  ...(["cuda_max_good", "verification", "hosting_type", "geolocation", "static_ip", "direct_port_count"] as const),
  ...(["min_bid", "storage_cost", "inet_down", "inet_up", "inet_down_cost", "inet_up_cost"] as const),
] as const;

/** The fields that the seed shows of an instance. */
const SEED_INSTANCE = ["id", "actual_status", "label", "ssh_host", "ssh_port"];

/** An instance as a dialect shows it at a time; an empty object for one that does not exist then. */
export function shownInstance(record: InstanceRecord, now: number, dialect: Dialect): Record<string, unknown> {
  const row = instanceRow(record, now);
  return dialect === "seed" ? pick(row, SEED_INSTANCE) : row;
}

function instanceRow(record: InstanceRecord, now: number): Record<string, unknown> {
  const phase = phaseAt(record, now);
  if (!phase) return {};
  const { offer, order, createdAt } = record;
  return {
    ...pick(offer, OF_THE_OFFER),
    ...pick(record, ["id", "label"]),
    ...pick(phase, ["actual_status", "status_msg", "intended_status"]),
    cur_state: phase.intended_status,
    next_state: phase.intended_status,
    ...orderColumns(record),
    ...addressColumns(record, phase),
    bundle_id: 900_000 + offer.id,
    gpu_totalram: offer.gpu_ram * offer.num_gpus,
    disk_util: -1,
    reliability2: offer.reliability,
    is_bid: record.bids.length > 0,
    dph_base: gpuPerHour(record),
    dph_total: gpuPerHour(record) + storagePerHour(offer, order.disk),
    storage_total_cost: storagePerHour(offer, order.disk),
    ...billedColumns(record, now),
    ...NOT_REPORTED,
    start_date: createdAt / 1000,
    end_date: createdAt / 1000 + offer.duration,
    duration: (now - createdAt) / 1000,
    uptime_mins: null,
  };
}

function orderColumns({ order, volume, jupyterToken }: InstanceRecord) {
  return {
    image_uuid: order.image,
    image_runtype: order.runtype,
    image_args: order.args_str ?? order.args,
    extra_env: Object.entries(order.env),
    onstart: order.onstart,
    disk_space: order.disk,
    template_id: order.template?.id ?? null,
    template_hash_id: order.template?.hash_id ?? null,
    template_name: order.template?.name ?? null,
    jupyter_token: jupyterToken,
    volume_info: volume ? [volumeColumns(volume, order.volume_info?.mount_path)] : [],
  };
}

function volumeColumns({ id, disk_space, name }: VolumeRecord, mount_path: string | undefined) {
  return { id, name, mount_path, total_space: disk_space, avail_space: disk_space };
}

function addressColumns(record: InstanceRecord, { containerUp }: Phase) {
  const { offer, id, sshHost } = record;
  // Observed: as Docker maps them, and only while it runs.
  const mapped = mappedPorts(record).map(({ inside, outside }) => [
    inside,
    [{ HostIp: "0.0.0.0", HostPort: String(outside) }],
  ]);
  return {
    // Without SSH a reserved name: nothing in the simulated market points to a real machine.
    ssh_host: sshHost ?? `ssh${(id % 9) + 1}.service.invalid`,
    ssh_port: proxyPort(record),
    ssh_idx: String((id % 9) + 1),
    // Observed: addresses carry blanks at the end.
    public_ipaddr: `${sshHost ?? offer.public_ipaddr} `,
    local_ipaddrs: "10.0.2.15 \n",
    direct_port_start: -1,
    direct_port_end: -1,
    ...(containerUp && mapped.length > 0 ? { ports: Object.fromEntries(mapped) } : {}),
  };
}

/** One offer as a search sees it: every column of the service, filled in. */
export type OfferRow = Readonly<Record<string, string | number | boolean>>;

/**
 * A row's terms beside the stored offer: simulated ms since the epoch, GB that `dph_total` is priced with,
 * and whether it is priced as interruptible, at the lowest bid. `duration` counts from the market's opening.
 */
type RowTerms = Record<"now" | "openedAt" | "allocatedStorage", number> & Record<"isBid" | "rented", boolean>;

/** Columns that no client needs are there as in the service, so that a client must tolerate them. */
const OF_NO_USE = {
  ...{ time_remaining: "", resource_type: "gpu", mobo_name: "ROME2D32GM-2T", os_version: "22.04" },
  ...{ pci_gen: 4, pcie_bw: 24.3, gpu_max_power: 450, gpu_display_active: false },
  ...{ has_avx: 1, vms_enabled: false, vericode: 1, webpage: "" },
};

/** Computes all columns of an offer at a time. */
export function offerRow(offer: MarketOffer, { now, openedAt, allocatedStorage, isBid, rented }: RowTerms): OfferRow {
  const perHour = isBid ? offer.min_bid : offer.dph_base;
  const storage_total_cost = storagePerHour(offer, allocatedStorage);
  const dph_total = perHour + storage_total_cost;
  const end_date = openedAt / 1000 + offer.duration;
  return {
    ...offer,
    ...OF_NO_USE,
    ask_contract_id: offer.id,
    bundle_id: 900_000 + offer.id,
    cluster_id: offer.machine_id % 7,
    gpu_total_ram: offer.gpu_ram * offer.num_gpus,
    reliability2: offer.reliability,
    dph_base: perHour,
    dph_total,
    discounted_dph_total: dph_total,
    storage_total_cost,
    dlperf_per_dphtotal: offer.dlperf / dph_total,
    is_bid: isBid,
    rented,
    rentable: offer.rentable && !rented,
    start_date: openedAt / 1000 - 86_400,
    end_date,
    duration: Math.max(0, end_date - now / 1000),
  };
}

/** The fields that the seed shows of an offer, beside `verified`; in its dialect an answer has these and no others. */
const SEED_OFFER = [
  ...["id", "num_gpus", "gpu_name", "dph_total", "reliability", "rentable", "gpu_ram"],
  ...["direct_port_count", "dlperf_per_dphtotal", "cuda_max_good"],
];

/** An offer by the letter of the seed, whose `verified` is a boolean. */
export function seedOffer(row: OfferRow): Record<string, unknown> {
  return { ...pick(row, SEED_OFFER), verified: row.verification === "verified" };
}

/** A key as the account's list shows it. */
export function listedSshKey({ id, key, createdAt }: SshKey) {
  return { id, user_id: ACCOUNT_ID, key, created_at: new Date(createdAt).toISOString(), deleted_at: null };
}

/** A key as the answer to its making or its change shows it: its text under another name. */
export function madeSshKey(made: SshKey) {
  const { key, ...others } = listedSshKey(made);
  return { ...others, public_key: key };
}

/** Columns of the machine that a volume, or the room for one, is on. */
function volumeMachine(machine: MarketOffer) {
  return {
    cluster_id: null,
    disk_name: "nvme",
    ...pick(machine, ["driver_version", "host_id", "inet_up", "inet_down", "reliability", "verification"]),
    ...{ geolocation: machine.geolocation, reliability2: machine.reliability },
    public_ipaddr: `${machine.public_ipaddr} `,
  };
}

/** Room for volumes as a search shows it. */
export function volumeOfferRow(offer: VolumeOffer, machine: MarketOffer, free: number) {
  return {
    ...volumeMachine(machine),
    ...pick(offer, ["id", "machine_id", "storage_cost"]),
    ask_contract_id: offer.id,
    disk_space: free,
    ...pick(machine, ["disk_bw", "duration", "cpu_arch", "gpu_arch", "cuda_max_good", "static_ip"]),
    cpu_ghz: 3.2,
    external: false,
    score: 1,
  };
}

/** A volume of the account; `instances` are those that use it. */
export function volumeRow(volume: VolumeRecord, machine: MarketOffer, instances: readonly number[]) {
  return {
    ...volumeMachine(machine),
    ...pick(volume, ["id", "machine_id", "disk_space", "storage_cost"]),
    label: volume.name,
    name: volume.name ?? `V.${volume.id}`,
    status: "active",
    start_date: volume.createdAt / 1000,
    instances,
  };
}
