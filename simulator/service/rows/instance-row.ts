import { billedColumns } from "../billing/moved-bytes.ts";
import { gpuPerHour } from "../billing/prices.ts";
import { storagePerHour } from "../catalog/storage-price.ts";
import type { VolumeRecord } from "../catalog/volumes.ts";
import { mappedPorts, proxyPort } from "../containers/ports.ts";
import type { InstanceRecord } from "../rentals/instance-record.ts";
import { type Phase, phaseAt } from "../rentals/lifecycle.ts";
import { usageColumns } from "./usage-columns.ts";

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
    ...usageColumns(record, now),
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
