import type { OfferPrice } from "../money/price.ts";
import type { Offer } from "../service/schemas/offer.ts";
import type { Expectation } from "./history/expectation.ts";
import type { Objection } from "./rules/judge-offer.ts";

/** An offer that was looked at. */
export interface Considered {
  offer: Offer;
  price: OfferPrice;
  /** Expected of its machine; undefined where the wishes bring no knowledge. */
  expected?: Expectation | undefined;
  objections: readonly Objection[];
}
