import type { MarketOffer } from "../../scenario/market-offer.ts";
import type { VolumeOffer } from "../../scenario/volume-scenario.ts";
import type { VolumeRecord } from "../catalog/volumes.ts";

/** Columns of the machine that a volume, or the room for one, is on. */
function machineColumns(machine: MarketOffer | undefined) {
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
    ...machineColumns(machine),
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
    ...machineColumns(machine),
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
