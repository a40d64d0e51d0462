import type { Offer } from "../vast/schemas/offer.ts";
import type { OfferRule } from "./offer-rule.ts";
import { rulesOf } from "./offer-rules.ts";
import type { OfferWishes } from "./offer-wishes.ts";

/** A reason not to take an offer. `rule`: the broken one; none if it is not about the wishes. */
export interface Objection {
  why: string;
  rule?: OfferRule;
}

/** Reasons against an offer; empty when it fits. The service may ignore its filters. */
export function judgeOffer(offer: Offer, wishes: OfferWishes): Objection[] {
  return rulesOf(wishes)
    .filter((rule) => rule.broken(offer, wishes))
    .map((rule) => ({ rule, why: rule.why(offer, wishes) }));
}
