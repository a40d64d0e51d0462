import type { OfferPrice } from "../money/price.ts";
import type { Offer } from "../vast/schemas/offer.ts";

/** SPEC-SILENT: hours of a "month" in `storage_cost`. The shorter month bills more. */
const HOURS_PER_MONTH = 30 * 24;

/**
 * The price with that much disk. `dph_total` has storage only when it was asked for; where the
 * answer shows that it was left out, it is added. Never below what the service says.
 */
export function offerPrice(offer: Offer, diskGb: number): OfferPrice {
  const storage = ((offer.storage_cost ?? 0) * diskGb) / HOURS_PER_MONTH;
  if (offer.dph_base !== undefined) return { total: Math.max(offer.dph_total, offer.dph_base + storage), storage };
  const included = offer.storage_total_cost ?? 0;
  return { total: offer.dph_total + Math.max(0, storage - included), storage };
}
