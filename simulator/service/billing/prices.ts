import type { MarketOffer } from "../../scenario/market-offer.ts";
import type { InstanceRecord } from "../rentals/instance-record.ts";
import type { MovedBytes } from "./moved-bytes.ts";

/** USD per hour for the GPUs while the container is up: the latest bid, or the offer's price. */
export function gpuPerHour({ offer, bids }: Pick<InstanceRecord, "offer" | "bids">): number {
  return bids.at(-1)?.price ?? offer.dph_base;
}

/** USD for so many seconds of an instance's GPUs from a time on, at the bids that held in them. */
export function gpuUsd({ offer, bids }: Pick<InstanceRecord, "offer" | "bids">, from: number, seconds: number): number {
  const to = from + seconds * 1000;
  const cuts = [from, ...bids.map(({ at }) => at).filter((at) => at > from && at < to), to];
  return cuts.slice(1).reduce((sum, end, index) => {
    const start = cuts[index] ?? from;
    const price = bids.findLast(({ at }) => at <= start)?.price ?? offer.dph_base;
    return sum + ((end - start) / 3_600_000) * price;
  }, 0);
}

/** USD for what was moved over the host's line, both ways, at the offer's prices per GB. */
export function bytesPrice(offer: Pick<MarketOffer, "inet_down_cost" | "inet_up_cost">, moved: MovedBytes): number {
  return moved.downGb * offer.inet_down_cost + moved.upGb * offer.inet_up_cost;
}
