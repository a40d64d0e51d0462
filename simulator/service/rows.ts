import { ACCOUNT_ID, type MarketOffer, type VolumeOffer } from "../scenario/scenario.ts";
import type { ApiKeyRecord } from "./account/api-keys.ts";
import { billedColumns, gpuPerHour } from "./billing/books.ts";
import { storagePerHour, type VolumeRecord } from "./catalog/volumes.ts";
import { mappedPorts, proxyPort } from "./containers/machine-host.ts";
import type { InstanceRecord, SshKey } from "./rentals/instance-record.ts";
import { type Phase, phaseAt } from "./rentals/lifecycle.ts";

/** The permission object of a key: `{api: {<permission>: {}}}`; false where the key may do all. */
export function permissionObject(scopes: ApiKeyRecord["scopes"]) {
  return scopes === undefined ? false : { api: Object.fromEntries(scopes.map((scope) => [scope, {}])) };
}

/** The account's team. */
const TEAM = { team_id: ACCOUNT_ID, team_name: "ci", team_owner: true };

/**
 * A key as shown, without its secret. SPEC-SILENT: the columns of its permissions; here
 * `permissions` as an object, and `rights` as the text that the vendor describes.
 */
export function apiKeyRow({ id, name, scopes, member, kind }: ApiKeyRecord) {
  const permissions = permissionObject(scopes);
  const user_id = member ?? ACCOUNT_ID;
  const key_type = kind === "primary" ? "primary" : "api";
  return { id, user_id, key: null, key_type, name, permissions, rights: scopes?.join(" ") ?? "all", ...TEAM };
}

/** What its host does, which none reports here. Observed: 0 and -1, not null; null as the vendor's examples have it. */
const NOT_REPORTED = {
  ...{ gpu_util: 0, gpu_temp: 0, cpu_util: 0, disk_usage: -1 },
  ...{ mem_usage: null, mem_limit: null, vmem_usage: null },
};

/** An instance as shown at a time; an empty object for one that does not exist then. */
export function instanceRow(record: InstanceRecord, now: number): Record<string, unknown> {
  const phase = phaseAt(record, now);
  if (!phase) return {};
  return {
    id: record.id,
    label: record.label,
    ...stateColumns(phase),
    ...orderColumns(record),
    ...machineColumns(record),
    ...addressColumns(record, phase),
    ...priceColumns(record),
    ...billedColumns(record, now),
    ...NOT_REPORTED,
    start_date: record.createdAt / 1000,
    end_date: record.createdAt / 1000 + record.offer.duration,
    duration: (now - record.createdAt) / 1000,
    uptime_mins: null,
  };
}

/** The fields that the seed shows of an instance. */
export function seedInstance(record: InstanceRecord, now: number): Record<string, unknown> {
  const { id, actual_status, label, ssh_host, ssh_port } = instanceRow(record, now);
  return { id, actual_status, label, ssh_host, ssh_port };
}

function stateColumns({ actual_status, status_msg, intended_status }: Phase) {
  return { actual_status, status_msg, intended_status, cur_state: intended_status, next_state: intended_status };
}

function orderColumns({ order, volume, jupyterToken }: InstanceRecord) {
  return {
    image_uuid: order.image,
    image_runtype: order.runtype,
    image_args: order.argsStr ?? order.args,
    extra_env: Object.entries(order.env),
    onstart: order.onstart,
    disk_space: order.disk,
    template_id: order.template?.id ?? null,
    template_hash_id: order.template?.hash_id ?? null,
    template_name: order.template?.name ?? null,
    jupyter_token: jupyterToken,
    volume_info: volume ? [volumeColumns(volume, order.volumeInfo?.mount_path)] : [],
  };
}

function volumeColumns({ id, disk_space, name }: VolumeRecord, mount_path: string | undefined) {
  return { id, name, mount_path, total_space: disk_space, avail_space: disk_space };
}

function machineColumns({ offer }: InstanceRecord) {
  const { host_id, machine_id, num_gpus, gpu_name, gpu_ram, cpu_cores, cpu_ram, driver_version, cuda_max_good } = offer;
  return {
    host_id,
    machine_id,
    bundle_id: 900_000 + offer.id,
    num_gpus,
    gpu_name,
    gpu_ram,
    gpu_totalram: gpu_ram * num_gpus,
    cpu_cores,
    cpu_ram,
    driver_version,
    cuda_max_good,
    disk_util: -1,
    reliability2: offer.reliability,
    verification: offer.verification,
    hosting_type: offer.hosting_type,
    geolocation: offer.geolocation,
  };
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
    static_ip: offer.static_ip,
    direct_port_count: offer.direct_port_count,
    direct_port_start: -1,
    direct_port_end: -1,
    ...(containerUp && mapped.length > 0 ? { ports: Object.fromEntries(mapped) } : {}),
  };
}

function priceColumns(record: InstanceRecord) {
  const { offer, order, bids } = record;
  const storage_total_cost = storagePerHour(offer, order.disk);
  const dph_base = gpuPerHour(record);
  return {
    is_bid: bids.length > 0,
    min_bid: offer.min_bid,
    dph_base,
    dph_total: dph_base + storage_total_cost,
    storage_cost: offer.storage_cost,
    storage_total_cost,
    inet_down: offer.inet_down,
    inet_up: offer.inet_up,
    inet_down_cost: offer.inet_down_cost,
    inet_up_cost: offer.inet_up_cost,
  };
}

/** One offer as a search sees it: every column of the service, filled in. */
export type OfferRow = Readonly<Record<string, string | number | boolean>>;

/** A row's terms beside the stored offer. */
interface RowTerms {
  /** Simulated ms since the epoch. */
  now: number;
  /** When the market opened, from which the offers' `duration` counts. */
  openedAt: number;
  /** GB that `dph_total` is priced with. */
  allocatedStorage: number;
  /** Priced as interruptible, at the lowest bid. */
  isBid: boolean;
  rented: boolean;
}

/** Computes all columns of an offer at a time. */
export function offerRow(offer: MarketOffer, terms: RowTerms): OfferRow {
  const { id, num_gpus, gpu_ram, reliability, geolocation, dlperf } = offer;
  const perHour = terms.isBid ? offer.min_bid : offer.dph_base;
  const storage_total_cost = storagePerHour(offer, terms.allocatedStorage);
  const dph_total = perHour + storage_total_cost;
  const end_date = terms.openedAt / 1000 + offer.duration;
  const duration = Math.max(0, end_date - terms.now / 1000);
  return {
    ...offer,
    ask_contract_id: id,
    bundle_id: 900_000 + id,
    gpu_total_ram: gpu_ram * num_gpus,
    geolocation,
    reliability2: reliability,
    dph_base: perHour,
    dph_total,
    discounted_dph_total: dph_total,
    storage_total_cost,
    dlperf_per_dphtotal: dlperf / dph_total,
    is_bid: terms.isBid,
    rented: terms.rented,
    rentable: offer.rentable && !terms.rented,
    start_date: terms.openedAt / 1000 - 86_400,
    end_date,
    duration,
    time_remaining: "",
    resource_type: "gpu",
    ...hostingColumns(offer),
  };
}

function hostingColumns({ machine_id }: MarketOffer) {
  // Columns that no client needs are there as in the service, so that a client must tolerate them.
  return {
    mobo_name: "ROME2D32GM-2T",
    os_version: "22.04",
    pci_gen: 4,
    pcie_bw: 24.3,
    gpu_max_power: 450,
    gpu_display_active: false,
    has_avx: 1,
    vms_enabled: false,
    vericode: 1,
    cluster_id: machine_id % 7,
    webpage: "",
  };
}

/** The fields that the seed shows of an offer; in its dialect an answer has these and no others. */
const SEED_FIELDS = [
  "id",
  "num_gpus",
  "gpu_name",
  "dph_total",
  "reliability",
  "rentable",
  "gpu_ram",
  "direct_port_count",
  "dlperf_per_dphtotal",
  "cuda_max_good",
] as const;

/** An offer by the letter of the seed, whose `verified` is a boolean. */
export function seedOffer(row: OfferRow): Record<string, unknown> {
  const shown = SEED_FIELDS.map((field) => [field, row[field]]);
  return { ...Object.fromEntries(shown), verified: row.verification === "verified" };
}

/** A key as the account's list shows it. */
export function listedSshKey({ id, key, createdAt }: SshKey) {
  return { id, user_id: 50_210, key, created_at: new Date(createdAt).toISOString(), deleted_at: null };
}

/** A key as the answer to its making or its change shows it: its text under another name. */
export function madeSshKey(made: SshKey) {
  const { key, ...others } = listedSshKey(made);
  return { ...others, public_key: key };
}

/** Columns of the machine that a volume, or the room for one, is on. */
function volumeMachine(machine: MarketOffer | undefined) {
  return {
    cluster_id: null,
    disk_name: "nvme",
    driver_version: machine?.driver_version ?? "",
    host_id: machine?.host_id ?? 0,
    inet_up: machine?.inet_up ?? 0,
    inet_down: machine?.inet_down ?? 0,
    reliability: machine?.reliability ?? 0,
    reliability2: machine?.reliability ?? 0,
    verification: machine?.verification ?? "unverified",
    geolocation: machine?.geolocation ?? "",
    public_ipaddr: `${machine?.public_ipaddr ?? ""} `,
  };
}

/** Room for volumes as a search shows it. */
export function volumeOfferRow(offer: VolumeOffer, machine: MarketOffer | undefined, free: number) {
  return {
    ...volumeMachine(machine),
    id: offer.id,
    ask_contract_id: offer.id,
    machine_id: offer.machine_id,
    disk_space: free,
    disk_bw: machine?.disk_bw ?? 0,
    storage_cost: offer.storage_cost,
    duration: machine?.duration ?? 0,
    cpu_ghz: 3.2,
    cpu_arch: machine?.cpu_arch ?? "amd64",
    gpu_arch: machine?.gpu_arch ?? "nvidia",
    cuda_max_good: machine?.cuda_max_good ?? 0,
    static_ip: machine?.static_ip ?? false,
    external: false,
    score: 1,
  };
}

/** A volume of the account; `instances` are those that use it. */
export function volumeRow(volume: VolumeRecord, machine: MarketOffer | undefined, instances: readonly number[]) {
  return {
    ...volumeMachine(machine),
    id: volume.id,
    machine_id: volume.machine_id,
    label: volume.name,
    name: volume.name ?? `V.${volume.id}`,
    status: "active",
    disk_space: volume.disk_space,
    storage_cost: volume.storage_cost,
    start_date: volume.createdAt / 1000,
    instances,
  };
}
