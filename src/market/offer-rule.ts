import type { Offer } from "../vast/schemas/offer.ts";
import type { FieldFilter } from "../vast/schemas/offer-query.ts";
import type { OfferWishes } from "./offer-wishes.ts";

/** One demand on an offer, in one row: how it is asked, checked in the answer, and told. */
export interface OfferRule {
  /** The filter's field, by the service's name; one of our own, which no filter takes over. */
  field: string;
  /** True: asked for even where only these GPUs are looked for, whatever else is wished. */
  isWide?: true;
  /** The filter sent to the service; undefined: none. */
  asked?: (wishes: OfferWishes) => FieldFilter | undefined;
  /** The wish in words; undefined: nothing is wished. */
  told?: (wishes: OfferWishes) => string | undefined;
  /** The input that keeps such an offer away, and what to do with it; undefined: no input does. */
  remedy?: { verb: string; input: string };
  /** True when the offer breaks the rule. Missing fields break none: the search asked for them. */
  broken: (offer: Offer, wishes: OfferWishes) => boolean;
  why: (offer: Offer, wishes: OfferWishes) => string;
  /** The higher, the nearer an offer that breaks the rule is to meeting it. */
  measure?: (offer: Offer, wishes: OfferWishes) => number;
}

/** The row of an input that asks for a least amount; 0 asks for nothing. */
export function atLeast(rule: {
  field: string;
  input: string;
  value: (offer: Offer) => number | undefined;
  least: (wishes: OfferWishes) => number;
  /** The least that the service is asked for, where its field counts otherwise. */
  asked?: (wishes: OfferWishes) => number;
  told?: (wishes: OfferWishes) => string;
  why: (value: number) => string;
}): OfferRule {
  const { least, told } = rule;
  const asked = rule.asked ?? least;
  const amount = (offer: Offer) => rule.value(offer) ?? Number.POSITIVE_INFINITY;
  return {
    field: rule.field,
    remedy: { verb: "Lower", input: rule.input },
    asked: (wishes) => (asked(wishes) > 0 ? { gte: asked(wishes) } : undefined),
    ...(told && { told: (wishes) => (least(wishes) > 0 ? `${told(wishes)} or more` : undefined) }),
    broken: (offer, wishes) => amount(offer) < least(wishes),
    why: (offer) => rule.why(amount(offer)),
    measure: amount,
  };
}

/** Any of these values; none: nothing is asked. */
export function anyOf([first, ...others]: readonly string[]): FieldFilter | undefined {
  if (first === undefined) return undefined;
  return others.length > 0 ? { in: [first, ...others] } : { eq: first };
}
