import type { Offer } from "../vast/schemas/offer.ts";

/**
 * A card reports less than its nominal memory: an A40 of 48 GB down to 45,634 MB, 7.2% less, for
 * its error correction. The next smaller card (11 of 12 GB, 22 of 24) has 8.3% less. So 8% less
 * counts as nominal.
 */
const REPORTED_SHARE = 0.92;

/** The `gpu_ram`, in MB of 2^20 bytes, that a card of that nominal size reports at the least. */
export function leastGpuRamMb(nominalGb: number): number {
  return Math.floor(nominalGb * 1024 * REPORTED_SHARE);
}

/** Seed: `verified`, a boolean. The service answers `verification`, a word. Undefined: not told. */
export function isVerified({ verification, verified }: Offer): boolean | undefined {
  return verification === undefined ? verified : verification === "verified";
}

/** Reliability of the host, 0 to 1, under either of its names. */
export function reliabilityOf(offer: Offer): number | undefined {
  return offer.reliability ?? offer.reliability2;
}

/** The country's two letters; the service answers "Region, CC" or ", CC". */
export function countryOf({ geolocation }: Offer): string | undefined {
  return geolocation?.slice(-2).toUpperCase() || undefined;
}

/** True for a certified data centre; the filter is `datacenter`, the answer `hosting_type`. */
export function isDatacenter({ hosting_type }: Offer): boolean | undefined {
  return hosting_type === undefined ? undefined : hosting_type >= 1;
}

/** The offer's part of the machine's `cpu_ram`, by its part of the cores. GB of 1000 MB. */
export function cpuRamShareGb({ cpu_ram, cpu_cores, cpu_cores_effective, gpu_frac }: Offer): number | undefined {
  if (cpu_ram === undefined) return undefined;
  // `cpu_cores` was seen to be null; the share of the GPUs is the next best guess.
  const share = cpu_cores && cpu_cores_effective ? cpu_cores_effective / cpu_cores : (gpu_frac ?? 1);
  return (cpu_ram * Math.min(1, share)) / 1000;
}

/** The service's documentation writes underscores in names, its answers blanks. */
export function sameName(left: string, right: string): boolean {
  return foldName(left) === foldName(right);
}

function foldName(name: string): string {
  return name.replaceAll("_", " ").trim().toLowerCase();
}
