import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { readableRows } from "../schemas/foreign.ts";
import type { FieldFilter } from "../schemas/offer-query.ts";
import { type VolumeOffer, volumeOfferSchema } from "../schemas/volume.ts";

/** Room for volumes. Filters like those of a search for offers. Not in the specification. */
export const searchVolumes: Endpoint<Readonly<Record<string, FieldFilter>>, VolumeOffer[]> = {
  operation: "search volumes",
  method: "POST",
  path: () => "/api/v0/volumes/search/",
  body: (filters) => filters,
  answer: z.looseObject({ offers: readableRows(volumeOfferSchema) }).transform((body) => body.offers),
  retry: "read",
  permission: "misc",
  intervalMs: 5500,
};
