import { offerQuery } from "./offer-query.ts";
import { type GivenFilter, isHeld } from "./rules/given-filter.ts";
import type { OfferWishes } from "./rules/offer-wishes.ts";

/**
 * The wishes with a template's `extra_filters` merged in by field: what the wishes ask of a field, and what their own filter says of it,
 * wins (seed, Create rule 3).
 */
export function withTemplateFilter(wishes: OfferWishes, template: GivenFilter): OfferWishes {
  const asked = offerQuery({ ...wishes, filter: {} }).filters;
  const own = Object.entries(template).filter(([field]) => !Object.hasOwn(asked, field) && !isHeld(field));
  return { ...wishes, filter: { ...Object.fromEntries(own), ...wishes.filter } };
}
