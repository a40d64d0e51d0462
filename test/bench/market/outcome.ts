import type { Host, MarketShape } from "./market.ts";

/** One machine's bill in a trial. Moments in seconds since its start; infinite: never. */
export interface Bill {
  host: Host;
  created: number;
  running: number;
  gone: number;
  /** Of the image, in GB. */
  pulledGb: number;
}

/** How a trial came out. */
export interface Outcome {
  /** When each job had its machine, in seconds; infinite where it had none in time. */
  ready: readonly number[];
  /** When the last job was over, in seconds. */
  end: number;
  bills: readonly Bill[];
}

/** After this a trial has failed, in seconds. */
export const TRIAL_SECONDS = 25 * 60;

/** A trial's cost, in USD: storage from the creation, the GPU while it ran, the image's bytes. */
export function costOf(bills: readonly Bill[]): number {
  return bills.reduce((sum, { host, created, running, gone, pulledGb }) => {
    const gpu = (host.gpuPrice * Math.max(0, gone - running)) / 3600;
    return sum + gpu + (host.storagePrice * Math.max(0, gone - created)) / 3600 + host.bytePrice * pulledGb;
  }, 0);
}

/** The bill of a machine that ran and was gone at these moments. Its image is pulled evenly until it runs; a broken one has half of it. */
export function billOf(host: Host, { imageGb }: MarketShape, created: number, running: number, gone: number): Bill {
  const isHalf = host.broken === "hangs" || host.broken === "ends";
  const part = isHalf ? 0.5 : Math.min(1, Math.max(0, gone - created) / Math.max(1, running - created));
  return { host, created, running, gone, pulledGb: host.hasImage ? 0 : imageGb * part };
}
