import type { RentRequest } from "../../create/rent.ts";
import type { OfferWishes } from "../../market/offer-wishes.ts";
import type { ImageFacts } from "../../money/boot.ts";
import type { Money } from "../../money/budget.ts";

/** The demands of one use on the market and on each machine. */
export interface FleetRequest extends RentRequest {
  offer: OfferWishes;
  image: ImageFacts;
  money: Money;
  /** How long the user's `setup` may take, in milliseconds. */
  setupMs?: number | undefined;
  /** The shortest time for which a machine is worth renting, in milliseconds. */
  leastMs: number;
}
