import { completeOffer } from "../../catalog/default-market.ts";
import { readSearchBody } from "../../requests/search-body.ts";
import { type OfferRow, offerRow, seedOffer } from "../../rows/offer-row.ts";
import type { Operation } from "../../service-world.ts";
import { findFault } from "../../traffic/find-fault.ts";

/** `POST /api/v0/bundles/` */
export const searchOffers: Operation = ({ body, faults }, { dialect, market, rentals, clock, templates }) => {
  const terms = { now: clock.now(), openedAt: market.openedAt };
  // Any row tells the columns and their types, even where the market is empty.
  const sample = offerRow(completeOffer({ id: 1 }), { ...terms, allocatedStorage: 8, isBid: false, rented: false });
  const ignored = findFault(faults, "ignore-filters")?.keys ?? [];
  const { isBid, allocatedStorage, limit, passes, compare } = readSearchBody(body, {
    dialect,
    sample,
    ignored,
    templates,
  });
  const rows: OfferRow[] = market.stalls.map(({ offer }) =>
    offerRow(offer, { ...terms, allocatedStorage, isBid, rented: rentals.holds(offer.id) }),
  );
  const found = rows.filter(passes).toSorted(compare).slice(0, limit);
  return { status: 200, body: { offers: dialect === "seed" ? found.map(seedOffer) : found } };
};
