import type { OfferPrice } from "../../money/price.ts";
import type { Offer } from "../../service/schemas/offer.ts";

/** SPEC-SILENT: the hours of a "month" in `storage_cost`. The shorter month gives the higher price. */
const HOURS_PER_MONTH = 30 * 24;

/**
 * The price of an offer with that much disk. `dph_total` includes storage only when the service was asked to price it; where the
 * answer shows that it was left out, it is added. Never below what the service says.
 */
export function offerPrice(offer: Offer, diskGb: number): OfferPrice {
  const storage = ((offer.storage_cost ?? 0) * diskGb) / HOURS_PER_MONTH;
  if (offer.dph_base !== undefined) return { total: Math.max(offer.dph_total, offer.dph_base + storage), storage };
  const included = offer.storage_total_cost ?? 0;
  return { total: offer.dph_total + Math.max(0, storage - included), storage };
}
