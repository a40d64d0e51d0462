import type { MarketOffer } from "../../scenario/market-offer.ts";

/** SPEC-SILENT: hours of the month in which `storage_cost` is given; we take 30 days. */
export const HOURS_PER_MONTH = 720;

/** USD per hour for that many GB on this offer. */
export function storagePerHour(offer: Pick<MarketOffer, "storage_cost">, gigabytes: number): number {
  return (offer.storage_cost * gigabytes) / HOURS_PER_MONTH;
}
