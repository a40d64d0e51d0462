import { formatPrice } from "../money/format-price.ts";
import type { OfferPrice } from "../money/price.ts";
import type { Offer } from "../vast/schemas/offer.ts";
import { offerPrice } from "./offer-price.ts";
import type { OfferWishes } from "./offer-wishes.ts";

/** The usual bid, above the lowest: the next one who bids a little more must not win at once. */
const MARGIN = 1.1;
/** The service takes no bid below this, and this is how finely it is rounded. USD per hour. */
const LEAST = 0.001;
const STEP = 10_000;

type Bidding = Pick<OfferWishes, "bid" | "diskGb" | "maxPrice">;

/** An offer's price: on demand, or with the bid that is made for it. */
export function priceOf(offer: Offer, { bid, diskGb, maxPrice }: Bidding): OfferPrice {
  const asked = offerPrice(offer, diskGb);
  if (bid === undefined) return asked;
  const price = bid.price ?? usualBid(lowestBid(offer, diskGb), maxPrice - asked.storage);
  return { total: price + asked.storage, storage: asked.storage, bid: price };
}

/**
 * The lowest bid that wins, in USD per hour for the GPUs. SPEC-SILENT: the specification's offers
 * show no `min_bid`; the price in a search for interruptible ones is taken for it.
 */
export function lowestBid(offer: Offer, diskGb: number): number {
  const { total, storage } = offerPrice(offer, diskGb);
  return offer.min_bid ?? Math.max(0, total - storage);
}

/** The margin is given up, as far as must be, where `max-price` leaves less. */
function usualBid(lowest: number, most: number): number {
  const wanted = Math.round(lowest * MARGIN * STEP) / STEP;
  return Math.max(LEAST, lowest, Math.min(wanted, Math.floor(most * STEP) / STEP));
}

/** A price in words: `0.34 USD per hour`, and what of it is a bid. */
export function describePrice({ total, bid }: OfferPrice): string {
  const perHour = `${formatPrice(total)} per hour`;
  return bid === undefined ? perHour : `${perHour} (interruptible, at a bid of ${formatPrice(bid)} for the GPUs)`;
}
