import type { ImageFacts } from "../limits/boot-time.ts";
import type { RentRequest } from "../machine/rent-request.ts";
import type { OfferWishes } from "../market/offer-wishes.ts";
import type { Money } from "../money/budget.ts";
import type { Offer } from "../service/schemas/offer.ts";

/** What one use asks of the market and of each machine. */
export interface FleetRequest extends RentRequest {
  offer: OfferWishes;
  image: ImageFacts;
  money: Money;
  /** The shortest time for which a machine is worth renting, in milliseconds. */
  leastMs: number;
  /** From its creation to its runner online, as it is expected of this offer, in milliseconds. */
  expectedBootMs: (offer: Offer) => number;
  /** From its creation to running: after that it is late. */
  lateMs: (offer: Offer) => number;
}
