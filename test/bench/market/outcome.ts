import type { Host } from "./market.ts";

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

/** The part of an image that a failed machine had pulled. It pulls evenly until it runs. */
export function pulledUntil(host: Host, imageGb: number, created: number, running: number, gone: number): number {
  if (host.hasImage || host.broken === "hangs" || host.broken === "ends") return host.hasImage ? 0 : imageGb / 2;
  return imageGb * Math.min(1, Math.max(0, gone - created) / Math.max(1, running - created));
}
