import { type GivenFilter, isHeld } from "./given-filter.ts";
import { offerQuery } from "./offer-query.ts";
import type { OfferWishes } from "./offer-wishes.ts";

/**
 * Merges a template's `extra_filters` in by field: what the wishes or their own filter say of a
 * field wins (seed, Create rule 3).
 */
export function withTemplateFilter(wishes: OfferWishes, template: GivenFilter): OfferWishes {
  const asked = offerQuery({ ...wishes, filter: {} }).filters;
  const own = Object.entries(template).filter(([field]) => !Object.hasOwn(asked, field) && !isHeld(field));
  return { ...wishes, filter: { ...Object.fromEntries(own), ...wishes.filter } };
}
