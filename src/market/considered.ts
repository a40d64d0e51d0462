import type { OfferPrice } from "../money/price.ts";
import type { Offer } from "../vast/schemas/offer.ts";
import type { Expectation } from "./expectation.ts";
import type { Objection } from "./judge-offer.ts";

/** An offer that was looked at. */
export interface Considered {
  offer: Offer;
  price: OfferPrice;
  /** Expected of its machine; undefined where the wishes bring no knowledge. */
  expected?: Expectation | undefined;
  objections: readonly Objection[];
}
