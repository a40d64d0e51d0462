import { z } from "zod";
import { aNumber, anAmount, anId, maybeAmount, maybeBoolean, maybeNumber, maybeString } from "./foreign.ts";

/**
 * A rentable machine. The specification promises only id, num_gpus, gpu_name and dph_total; every
 * other field may be missing. Prices in USD per hour, `storage_cost` in USD per GB and month,
 * `inet_…_cost` in USD per GB, `gpu_ram` in MB, `cpu_ram` in MB of the whole machine, `compute_cap`
 * times 100, `inet_down` in Mbit/s, `disk_space` in GB, `duration` in seconds left, `hosting_type`
 * 1 in a data centre.
 */
export const offerSchema = z.looseObject({
  id: anId,
  num_gpus: aNumber,
  gpu_name: z.string(),
  dph_total: anAmount,
  dph_base: maybeAmount,
  min_bid: maybeAmount,
  storage_cost: maybeAmount,
  storage_total_cost: maybeAmount,
  machine_id: maybeNumber,
  reliability: maybeNumber,
  reliability2: maybeNumber,
  verified: maybeBoolean,
  verification: maybeString,
  rentable: maybeBoolean,
  rented: maybeBoolean,
  external: maybeBoolean,
  cpu_arch: maybeString,
  disk_space: maybeNumber,
  duration: maybeNumber,
  gpu_ram: maybeNumber,
  gpu_frac: maybeNumber,
  compute_cap: maybeNumber,
  cuda_max_good: maybeNumber,
  cpu_cores: maybeNumber,
  cpu_cores_effective: maybeNumber,
  cpu_ram: maybeNumber,
  inet_down: maybeNumber,
  inet_down_cost: maybeAmount,
  inet_up_cost: maybeAmount,
  hosting_type: maybeNumber,
  score: maybeNumber,
  dlperf_per_dphtotal: maybeNumber,
  geolocation: maybeString,
});

export type Offer = z.infer<typeof offerSchema>;
