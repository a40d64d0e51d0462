// Translates the service's words and units into those of the marketplace, and back.

import type { FieldFilter, Instance, InstanceOrder, Offer, OfferQuery, Template } from "../marketplace.ts";
import type { InstanceConfig, WireQuery } from "./requests.ts";
import type { WireInstance, WireOffer, WireTemplate } from "./schemas.ts";

/** SPEC-SILENT: hours of a "month" in `storage_cost`. The shorter month bills more. */
const HOURS_PER_MONTH = 30 * 24;

/** The service counts in KB. SPEC-SILENT: of how many bytes; 1000 bills the most. */
const KB_PER_GB = 1e6;

/** Translates a search. */
export function wireQuery({ filters, isInterruptible, order, limit, diskGb }: OfferQuery): WireQuery {
  const type = isInterruptible ? "bid" : "on-demand";
  return { filters, type, order, limit, allocated_storage: diskGb };
}

const SHOWN_OPERATORS: ReadonlySet<string> = new Set(["eq", "gte", "in"]);

/** Reduces a search to what the specification shows. What is dropped we check ourselves, as far as offers show it. */
export function seedQuery({ filters, type, order, limit }: WireQuery): WireQuery {
  const isShown = (filter: FieldFilter) => Object.keys(filter).every((operator) => SHOWN_OPERATORS.has(operator));
  const shown = Object.fromEntries(Object.entries(filters).filter(([, filter]) => isShown(filter)));
  const isDescending = order.every(([, direction]) => direction === "desc");
  return { filters: shown, type, order: isDescending ? order : [["dlperf_per_dphtotal", "desc"]], limit };
}

/** Translates an offer, priced with that much disk. */
export function offerOf(wire: WireOffer, diskGb: number): Offer {
  const price = wirePrice(wire, diskGb);
  const isDatacenter = wire.hosting_type === undefined ? undefined : wire.hosting_type >= 1;
  // A word, or the specification's boolean. Undefined: not shown.
  const verified = wire.verification === undefined ? wire.verified : wire.verification === "verified";
  // `Sweden, SE`, `, US` or `US`; the last letters of a country's name are no code.
  const country = /(?:^|,)\s*([A-Z]{2})\s*$/.exec(wire.geolocation ?? "")?.[1];
  return {
    id: wire.id,
    machineId: wire.machine_id,
    gpuName: wire.gpu_name,
    numGpus: wire.num_gpus,
    price,
    // SPEC-SILENT: the specification's offers show no `min_bid`; the price in a search for
    // interruptible ones is taken for it.
    lowestBid: wire.min_bid ?? Math.max(0, price.total - price.storage),
    isDatacenter,
    reliability: wire.reliability ?? wire.reliability2,
    country,
    cpuArch: wire.cpu_arch,
    cpuCores: wire.cpu_cores_effective,
    cpuRamGb: cpuRamShareGb(wire),
    diskGb: wire.disk_space,
    gpuRamMb: wire.gpu_ram,
    computeCap: wire.compute_cap === undefined ? undefined : wire.compute_cap / 100,
    cuda: wire.cuda_max_good,
    inetDownMbps: wire.inet_down,
    durationSeconds: wire.duration,
    // Three filters have other names or forms than what offers show.
    fields: { ...wire, verified, datacenter: isDatacenter, geolocation: country },
  };
}

/** Computes the price with that much disk, which `dph_total` may lack; never below the service's own figure. */
function wirePrice(wire: WireOffer, diskGb: number): Offer["price"] {
  const { dph_base, dph_total, inet_down_cost: inetDown, inet_up_cost: inetUp } = wire;
  const storage = ((wire.storage_cost ?? 0) * diskGb) / HOURS_PER_MONTH;
  if (dph_base !== undefined) return { total: Math.max(dph_total, dph_base + storage), storage, inetDown, inetUp };
  const included = wire.storage_total_cost ?? 0;
  return { total: dph_total + Math.max(0, storage - included), storage, inetDown, inetUp };
}

/** Computes the offer's share of the machine's memory by its share of the cores, in GB of 1000 MB. */
function cpuRamShareGb({ cpu_ram, cpu_cores, cpu_cores_effective, gpu_frac }: WireOffer): number | undefined {
  if (cpu_ram === undefined) return undefined;
  // `cpu_cores` was seen to be null; the share of the GPUs is the next best guess.
  const share = cpu_cores && cpu_cores_effective ? cpu_cores_effective / cpu_cores : (gpu_frac ?? 1);
  return (cpu_ram * Math.min(1, share)) / 1000;
}

/** The specification says that `exited`, `unknown` and `offline` never run. The other words were seen. */
const INSTANCE_STATES: ReadonlyMap<string | undefined, Instance["state"]> = new Map([
  ["running", "running"],
  ["stopped", "stopped"],
  ["exited", "ended"],
  ["frozen", "ended"],
  ["unknown", "silent"],
  ["offline", "silent"],
]);

/** Translates an instance. A status that is not in the table is pending. */
export function instanceOf(wire: WireInstance): Instance {
  const { actual_status, start_date, inet_down_billed: down, inet_up_billed: up } = wire;
  const hasTraffic = down !== undefined || up !== undefined;
  const gb = (kilobytes: number | undefined) => (kilobytes === undefined ? undefined : kilobytes / KB_PER_GB);
  return {
    id: wire.id,
    label: wire.label,
    state: INSTANCE_STATES.get(actual_status) ?? "pending",
    status: actual_status,
    message: wire.status_msg,
    isHalted: wire.intended_status === "stopped" && wire.cur_state === "stopped",
    isInterruptible: wire.is_bid,
    machineId: wire.machine_id,
    usdPerHour: wire.dph_total,
    startedAt: start_date === undefined ? undefined : start_date * 1000,
    traffic: hasTraffic ? { downGb: gb(down), upGb: gb(up) } : undefined,
    ssh: sshOf(wire),
  };
}

/** Reads where SSH answers. The ports are missing until the instance runs, and were seen to be missing later. */
function sshOf({ ssh_host, ssh_port, public_ipaddr, ports }: WireInstance): Instance["ssh"] {
  const port = ports?.["22/tcp"]?.[0]?.HostPort;
  return {
    proxy: ssh_host === undefined && ssh_port === undefined ? undefined : { host: ssh_host ?? "", port: ssh_port },
    direct: public_ipaddr && port ? { host: public_ipaddr, port } : undefined,
  };
}

/** Makes the body of *create instance*: what is sent overrides the template (specification, Create rule 2). */
export function configOf(order: InstanceOrder): InstanceConfig {
  const { bid, image, imageLogin, templateHashId, volume, label, disk, runtype, onstart } = order;
  return {
    ...(templateHashId && { template_hash_id: templateHashId }),
    ...(image && { image }),
    ...(imageLogin && { image_login: imageLogin }),
    ...{ label, disk, runtype, onstart, env: { ...order.env } },
    target_state: "running",
    ...(bid !== undefined && { price: bid }),
    ...(volume && { volume_info: { create_new: false, volume_id: volume.id, mount_path: volume.mountPath } }),
    // Bids included: without it a machine that can't be had becomes a stopped instance that bills
    // its disk.
    cancel_unavail: true,
  };
}

/** Translates a template. Its image has a tag if the service shows one. */
export function templateOf(wire: WireTemplate): Template {
  const { image, tag = wire.default_tag } = wire;
  const isWhole = !image || !tag || /:[^/]+$/.test(image);
  return {
    hash: wire.hash_id,
    name: wire.name?.trim(),
    creatorId: wire.creator_id,
    image: isWhole ? image : `${image}:${tag}`,
    filters: wire.extra_filters ?? {},
  };
}
