import type { InstanceRecord } from "./instance-record.ts";
import type { MarketOffer } from "./market-offer.ts";
import type { MovedBytes } from "./moved-bytes.ts";

/** SPEC-SILENT: hours of the month in which `storage_cost` is given; we take 30 days. */
export const HOURS_PER_MONTH = 720;

/** USD per hour for that many GB on this offer. */
export function storagePerHour(offer: Pick<MarketOffer, "storage_cost">, gigabytes: number): number {
  return (offer.storage_cost * gigabytes) / HOURS_PER_MONTH;
}

/** USD per hour for an instance's GPUs while its container is up: the bid of an interruptible one, else the offer's price. */
export function gpuPerHour({ offer, order }: Pick<InstanceRecord, "offer" | "order">): number {
  return order.price ?? offer.dph_base;
}

/** USD for what was moved over the host's line, both ways, at the offer's prices per GB. */
export function bytesPrice(offer: Pick<MarketOffer, "inet_down_cost" | "inet_up_cost">, moved: MovedBytes): number {
  return moved.downGb * offer.inet_down_cost + moved.upGb * offer.inet_up_cost;
}
