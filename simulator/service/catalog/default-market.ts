import { MarketOffer } from "../../scenario/market-offer.ts";

const DAY_SECONDS = 86_400;

/** An offer of which only the id must be given. */
export type GivenOffer = { [Field in keyof MarketOffer]?: MarketOffer[Field] | undefined } & { id: number };

/** Completes an offer: a plain RTX 4090, on a machine of its own, at 0.40 USD per hour. */
export function completeOffer(given: GivenOffer): MarketOffer {
  const base = given.dph_base ?? 0.4;
  return MarketOffer.parse({
    ...machineFields(given),
    num_gpus: 1,
    gpu_name: "RTX 4090",
    gpu_ram: 24_564,
    gpu_frac: 1,
    gpu_arch: "nvidia",
    compute_cap: 890,
    cuda_max_good: 12.8,
    driver_version: "570.86.15",
    dlperf: 92.5 * (given.num_gpus ?? 1),
    dph_base: base,
    min_bid: round(base * 0.55),
    rentable: true,
    external: false,
    duration: 30 * DAY_SECONDS,
    score: round(100 / (base + 0.1)),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  });
}

function machineFields({ id, machine_id }: GivenOffer) {
  const machine = machine_id ?? 40_000 + id;
  return {
    machine_id: machine,
    host_id: 70_000 + (machine % 1000),
    cpu_arch: "amd64",
    cpu_cores: 32,
    cpu_cores_effective: 16,
    cpu_ram: 128_700,
    disk_space: 420,
    disk_bw: 3_100,
    storage_cost: 0.15,
    inet_up: 620,
    inet_down: 840,
    inet_up_cost: 0.003,
    inet_down_cost: 0.002,
    direct_port_count: 49,
    // Documentation addresses (RFC 5737): nothing in the simulated market points to a real machine.
    public_ipaddr: `203.0.113.${(machine % 250) + 1}`,
    static_ip: true,
    geolocation: "Sweden, SE",
    reliability: 0.9931,
    verification: "verified",
    hosting_type: 0,
  };
}

function round(price: number): number {
  return Math.round(price * 10_000) / 10_000;
}

const H100 = { gpu_name: "H100 SXM", gpu_ram: 81_559, compute_cap: 900, dlperf: 412.7, hosting_type: 1 } as const;

/**
 * The market without a scenario. For "RTX 4090, at most 0.60 USD, reliable and verified" offers 11
 * to 14 are fit (11 and 13 on one machine), and one each is too dear, unverified, unreliable.
 */
export const DEFAULT_MARKET: readonly MarketOffer[] = [
  completeOffer({ id: 11, machine_id: 40_211, dph_base: 0.31 }),
  completeOffer({ id: 12, machine_id: 40_305, dph_base: 0.34, geolocation: "Quebec, CA", reliability: 0.9987 }),
  completeOffer({ id: 13, machine_id: 40_211, dph_base: 0.36 }),
  completeOffer({ id: 14, machine_id: 41_118, dph_base: 0.42, geolocation: ", US", hosting_type: 1 }),
  completeOffer({ id: 15, machine_id: 42_077, dph_base: 0.89, reliability: 0.9996, hosting_type: 1 }),
  completeOffer({ id: 16, machine_id: 43_500, dph_base: 0.22, verification: "unverified" }),
  completeOffer({ id: 17, machine_id: 44_019, dph_base: 0.19, reliability: 0.71, inet_down: 88 }),
  completeOffer({
    id: 18,
    machine_id: 45_260,
    gpu_name: "RTX 3090",
    gpu_ram: 24_576,
    compute_cap: 860,
    dph_base: 0.18,
    dlperf: 48.1,
  }),
  completeOffer({ ...H100, id: 19, machine_id: 46_731, dph_base: 2.14 }),
  completeOffer({ id: 20, machine_id: 47_904, num_gpus: 2, dph_base: 0.74, cpu_cores: 64, cpu_cores_effective: 32 }),
];

/** The demo's: three machines have an H100 SXM, so that several jobs can ask for one. */
export const DEMO_MARKET: readonly MarketOffer[] = [
  ...DEFAULT_MARKET,
  completeOffer({ ...H100, id: 21, machine_id: 48_112, dph_base: 2.29, geolocation: "Iowa, US" }),
  completeOffer({ ...H100, id: 22, machine_id: 49_377, dph_base: 2.55, geolocation: "Finland, FI" }),
];
