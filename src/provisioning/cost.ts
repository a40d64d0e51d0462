import type { Report } from "../provisioning/report.ts";

const HOUR_MS = 3_600_000;

/**
 * What a machine cost in USD, as far as prices and times tell: storage from its creation, the GPU while it ran, until `end` (ms since
 * the epoch). Bytes are not in it: the service bills them per host.
 */
export function estimatedCost(report: Report, end: number): number {
  const { created, running, gone } = report.at;
  const until = gone ?? end;
  const hours = (from: number | undefined) => (from === undefined ? 0 : Math.max(0, until - from) / HOUR_MS);
  const gpuPrice = Math.max(0, report.price.total - report.price.storage);
  return gpuPrice * hours(running) + report.price.storage * hours(created);
}
