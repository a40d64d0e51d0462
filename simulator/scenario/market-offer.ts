import { z } from "zod";

const price = z.number().min(0);
const count = z.int().min(0);
const fraction = z.number().min(0).max(1);

/**
 * An offer as the market stores it. All that follows from this and the time (dph_total, rented,
 * duration as it shrinks, aliases) is computed for each answer. Prices are USD, `storage_cost` is
 * USD per GB and month of 720 h.
 */
export const MarketOffer = z.strictObject({
  id: z.int().positive(),
  machine_id: z.int().positive(),
  host_id: z.int().positive(),
  num_gpus: z.int().positive(),
  gpu_name: z.string().min(1),
  gpu_ram: count,
  gpu_frac: fraction,
  gpu_arch: z.string(),
  compute_cap: count,
  cuda_max_good: z.number(),
  driver_version: z.string(),
  cpu_arch: z.string(),
  cpu_cores: count,
  cpu_cores_effective: z.number().min(0),
  cpu_ram: count,
  disk_space: z.number().min(0),
  disk_bw: z.number().min(0),
  dlperf: z.number().min(0),
  /** USD per hour for the GPUs of the whole offer, on demand. */
  dph_base: price,
  min_bid: price,
  storage_cost: price,
  inet_up: z.number().min(0),
  inet_down: z.number().min(0),
  inet_up_cost: price,
  inet_down_cost: price,
  direct_port_count: count,
  public_ipaddr: z.string(),
  static_ip: z.boolean(),
  geolocation: z.string(),
  reliability: fraction,
  verification: z.enum(["verified", "unverified", "deverified"]),
  hosting_type: z.union([z.literal(0), z.literal(1)]),
  /** False: the host has it off the market. A rented offer is not rentable whatever this says. */
  rentable: z.boolean(),
  external: z.boolean(),
  /** Seconds that the offer lasts from the start of the simulator. */
  duration: z.number().min(0),
  score: z.number(),
});

/** One offer as the market stores it. */
export type MarketOffer = z.infer<typeof MarketOffer>;
