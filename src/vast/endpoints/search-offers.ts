import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { readableRows } from "../schemas/foreign.ts";
import { type Offer, offerSchema } from "../schemas/offer.ts";
import type { OfferQuery } from "../schemas/offer-query.ts";

/** Seed, Search offers: filters and control keys share one object. */
export const searchOffers: Endpoint<OfferQuery, Offer[]> = {
  operation: "search offers",
  method: "POST",
  path: () => "/api/v0/bundles/",
  body: ({ filters, ...control }) => ({ ...filters, ...control }),
  answer: z.looseObject({ offers: readableRows(offerSchema) }).transform((body) => body.offers),
  retry: "read",
  permission: "misc",
  intervalMs: 0,
};
